import {
  artifactIdPrefix,
  asThreadId,
  type Checkpoint,
  hashedIdsIn,
  JOURNAL_START,
  MerkleTree,
  merkleLeafOf,
  nextThreadLink,
  parseJson,
  sha256,
  THREAD_CHAIN_START,
  ThreadfoldError,
  verifyConsistency,
  verifyInclusion,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { isKeyedDigest } from "../shared/journal.ts";
import type { AuditLine } from "./audit-file.ts";
import { checkpointSchema, signatureProblem } from "./checkpoint.ts";

type LineOf<Type extends AuditLine["type"]> = Extract<AuditLine, { type: Type }>;

/** A proof in the file, which must match the root in its last line. */
interface Proven {
  readonly lineNumber: number;
  readonly line: LineOf<"inclusion"> | LineOf<"consistency">;
}

/** The order of the lines in a file. */
const ORDER: readonly AuditLine["type"][] = [
  "header",
  "entry",
  "plan",
  "artifact",
  "journal",
  "inclusion",
  "consistency",
  "end",
];

/** Checks the lines of an audit file one at a time, and returns what is wrong with each. */
export class AuditChecker {
  readonly counts = {
    entries: 0,
    plans: 0,
    artifacts: 0,
    journal: 0,
    requests: 0,
    checkpoints: 0,
    signed: 0,
    signedEntries: 0,
  };
  readonly tree = new MerkleTree();
  threadId: string | null = null;
  isComplete = false;
  readonly #publicKey: string | undefined;
  readonly #links = new DigestList();
  readonly #plans = new Map<number, { readonly planId: string; readonly diffDigest: string | null }>();
  readonly #artifacts = new Set<string>();
  /** Artifacts that were stored with a time to live. */
  readonly #limited = new Set<string>();
  readonly #requests = new Map<number, string>();
  readonly #checkpoints = new Map<number, Checkpoint>();
  readonly #proofs: Proven[] = [];
  #place = 0;
  #previousHash = JOURNAL_START;

  /** @param publicKey the key that a checkpoint must be signed with to count as signed, if one is trusted. */
  constructor(publicKey?: string) {
    this.#publicKey = publicKey;
    this.#links.push(THREAD_CHAIN_START);
  }

  /** Returns what is wrong with the next line, or null. */
  problemOf(line: AuditLine, lineNumber: number): string | null {
    const place = ORDER.indexOf(line.type);
    if (this.isComplete) return "it comes after the end";
    if (lineNumber === 1 ? line.type !== "header" : line.type === "header" || place < this.#place)
      return "it is in the wrong place";
    this.#place = place;
    switch (line.type) {
      case "header":
        this.threadId = line.threadId;
        return null;
      case "entry":
        return this.#entryProblem(line);
      case "plan":
        return this.#planProblem(line);
      case "artifact":
        return this.#artifactProblem(line);
      case "journal":
        return this.#journalProblem(line);
      case "inclusion":
      case "consistency":
        this.#proofs.push({ lineNumber, line });
        return this.#proofProblem(line);
      case "end":
        this.isComplete = true;
        return this.#endProblem(line);
    }
  }

  /** Returns how a checkpoint that was kept elsewhere contradicts the file, or null. */
  trustProblem(checkpoint: Checkpoint): string | null {
    if (checkpoint.threadId !== this.threadId) return "the checkpoint belongs to another thread";
    const signature = signatureProblem(checkpoint, this.#publicKey);
    if (signature !== null) return `the checkpoint cannot be trusted: ${signature}`;
    return this.#stateProblem(checkpoint);
  }

  #entryProblem({ version, digest, link, body }: LineOf<"entry">): string | null {
    if (version !== this.#links.length) return "an entry is missing or out of order";
    if (body !== null && sha256(body) !== digest) return "its body does not match its digest";
    if (nextThreadLink(this.#links.at(version - 1) as string, digest) !== link)
      return "it does not link to the previous entry";
    this.#links.push(link);
    this.counts.entries++;
    return null;
  }

  #planProblem({ version, planId, text, spans = [], diff }: LineOf<"plan">): string | null {
    if (version !== this.counts.plans + 1) return "a plan is missing or out of order";
    if (text !== null && sha256(text) !== planId) return "its text does not match its id";
    if (!areNamedIn(text ?? "", spans)) return "its spans are not those that its text names";
    this.#plans.set(version, { planId, diffDigest: diff === null ? null : sha256(diff) });
    this.counts.plans++;
    return null;
  }

  #artifactProblem({ artifactId, prefix, content }: LineOf<"artifact">): string | null {
    this.counts.artifacts++;
    this.#artifacts.add(artifactId);
    if (prefix !== artifactIdPrefix(asThreadId(this.threadId as string), tenantIn(prefix)))
      return "it is an artifact of another thread";
    if (content === null || artifactId === `artifact_${sha256(prefix + content).slice(0, 24)}`) return null;
    return "its content does not match its id";
  }

  #journalProblem({ hash, text }: LineOf<"journal">): string | null {
    if (sha256(text) !== hash) return "its text does not match its hash";
    const entry = parseJournalText(text);
    if (entry === null) return "its text is not a journal entry";
    if (entry.sequence !== this.tree.size + 1) return "a journal entry is missing or out of order";
    if (entry.threadId !== this.threadId) return "it is a journal entry of another thread";
    if (entry.previousHash !== this.#previousHash) return "it does not link to the previous journal entry";
    const claim = this.#claimProblem(entry, hash);
    if (claim !== null) return claim;
    this.tree.append(merkleLeafOf(hash));
    this.#previousHash = hash;
    this.counts.journal++;
    return null;
  }

  /**
   * Checks the claims of a journal entry against the file. Digests under a subject's key are for its holder to check.
   */
  #claimProblem({ sequence, record }: JournalText, hash: string): string | null {
    switch (record["type"]) {
      case "entries-appended": {
        const { threadVersion, threadDigest } = record;
        const link = this.#links.at(threadVersion as number);
        if (link === undefined) return "it refers to entries that do not exist";
        return isKeyedDigest(threadDigest) || link === threadDigest ? null : "the thread has a different digest there";
      }
      case "plan-committed": {
        const plan = this.#plans.get(record["planVersion"] as number);
        if (plan === undefined) return "it refers to a plan that does not exist";
        if (!isKeyedDigest(record["planId"]) && plan.planId !== record["planId"])
          return "the plan there is a different one";
        const isSame = plan.diffDigest === null || isKeyedDigest(record["diffDigest"]);
        return isSame || plan.diffDigest === record["diffDigest"] ? null : "the plan made different changes";
      }
      case "request-rendered": {
        if (this.#links.at(record["threadVersion"] as number) === undefined)
          return "it refers to entries that do not exist";
        if (record["planVersion"] !== 0 && !this.#plans.has(record["planVersion"] as number))
          return "it refers to a plan that does not exist";
        if (!this.#hasSources(record)) return "it refers to an artifact that does not exist";
        this.#requests.set(sequence, hash);
        this.counts.requests++;
        return null;
      }
      case "artifacts-stored":
        return this.#hasStored(record) ? null : "it refers to an artifact that does not exist";
      case "checkpoint-made":
        return this.#checkpointProblem(sequence, record["checkpoint"]);
      default:
        return null;
    }
  }

  /** Checks that what a request was rendered from is in the file. What it brought back may have expired since. */
  #hasSources({ frame, rehydrated }: JournalText["record"]): boolean {
    const contents = listIn(rehydrated).map(({ content }) => String(content));
    const lasting = [String(frame), ...contents.filter((artifactId) => !this.#limited.has(artifactId))];
    return lasting.every((artifactId) => this.#artifacts.has(artifactId));
  }

  /** Checks that stored artifacts are in the file. Those with a time to live may have expired since. */
  #hasStored({ artifacts }: JournalText["record"]): boolean {
    for (const { artifactId, ttlSeconds } of listIn(artifacts)) {
      if (ttlSeconds !== null) this.#limited.add(String(artifactId));
      else if (!this.#artifacts.has(String(artifactId))) return false;
    }
    return true;
  }

  #checkpointProblem(sequence: number, given: unknown): string | null {
    const parsed = checkpointSchema.safeParse(given);
    if (!parsed.success) return "it does not contain a checkpoint";
    const checkpoint = parsed.data;
    const { signature } = checkpoint;
    if (checkpoint.threadId !== this.threadId) return "its checkpoint belongs to another thread";
    // Keys change, and other auditors have theirs: who signed decides only what the trusted key vouches for.
    const problem = signatureProblem(checkpoint) ?? this.#stateProblem(checkpoint);
    if (problem !== null) return `its checkpoint does not verify: ${problem}`;
    this.#checkpoints.set(sequence, checkpoint);
    this.counts.checkpoints++;
    if (signature === undefined || signature.publicKey !== (this.#publicKey ?? signature.publicKey)) return null;
    this.counts.signed++;
    this.counts.signedEntries = Math.max(this.counts.signedEntries, checkpoint.size);
    return null;
  }

  #stateProblem({ size, rootHash, threadVersion, threadDigest, planVersion }: Checkpoint): string | null {
    if (size > this.tree.size) return `the journal had ${size} entries and now has ${this.tree.size}`;
    if (this.tree.root(size) !== rootHash) return "the journal was a different one";
    const link = this.#links.at(threadVersion);
    if (link === undefined) return `the thread had ${threadVersion} entries and now has ${this.#links.length - 1}`;
    if (link !== threadDigest) return "the thread was a different one";
    return planVersion > this.counts.plans ? "a plan is missing" : null;
  }

  #proofProblem(line: Proven["line"]): string | null {
    const size = this.tree.size;
    const rootHash = this.tree.root();
    if (line.type === "inclusion") {
      const hash = this.#requests.get(line.sequence);
      const claim = {
        leafHash: hash === undefined ? "" : merkleLeafOf(hash),
        index: line.sequence - 1,
        size,
        rootHash,
      };
      return hash !== undefined && verifyInclusion(claim, line.proof) ? null : "it does not prove the request";
    }
    const made = this.#checkpoints.get(line.sequence);
    if (made === undefined) return "there is no such checkpoint";
    const claim = { from: made.size, fromRoot: made.rootHash, to: size, toRoot: rootHash };
    return verifyConsistency(claim, line.proof) ? null : "it does not prove that the journal only grew";
  }

  #endProblem({ threadVersion, threadDigest, planVersion, size, rootHash }: LineOf<"end">): string | null {
    if (threadVersion !== this.#links.length - 1 || this.#links.at(threadVersion) !== threadDigest)
      return "the thread ends at a different point";
    if (planVersion !== this.counts.plans) return "the newest plan is a different one";
    if (size !== this.tree.size || rootHash !== this.tree.root()) return "the journal ends at a different point";
    const { requests, checkpoints } = this.counts;
    return this.#proofs.length === requests + checkpoints ? null : "a proof is missing";
  }
}

const listIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value : []);

function tenantIn(prefix: string): string | null {
  try {
    const [tenantId] = JSON.parse(prefix) as readonly unknown[];
    return typeof tenantId === "string" ? tenantId : null;
  } catch {
    return null;
  }
}

/** Checks that the lists of ids beside a plan's text are those that stand in it by their digests, and no others. */
function areNamedIn(text: string, spans: readonly string[]): boolean {
  const given = new Map(spans.map((span) => [sha256(span), lengthIn(span)]));
  const named = new Map(hashedIdsIn(text).map((ids) => [ids.sha256, ids.count]));
  return (
    given.size === spans.length &&
    given.size === named.size &&
    [...named].every(([digest, count]) => given.get(digest) === count)
  );
}

/** The number of items in a JSON list; null for any other text. */
function lengthIn(text: string): number | null {
  try {
    const list = parseJson(text);
    return Array.isArray(list) ? list.length : null;
  } catch {
    return null;
  }
}

/** A journal entry without its hash, as in the text that was hashed. */
interface JournalText {
  readonly sequence: number;
  readonly threadId: string;
  readonly at: string;
  readonly previousHash: string;
  readonly record: Readonly<Record<string, unknown>>;
}

const schema = z.lazy(() =>
  z.strictObject({
    sequence: z.int().positive(),
    threadId: z.string(),
    at: z.string(),
    previousHash: z.string(),
    record: z.record(z.string(), z.unknown()),
  }),
);

/** Parses the text of a journal entry; null when it is not one. */
function parseJournalText(text: string): JournalText | null {
  try {
    const parsed = schema.safeParse(parseJson(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const DIGEST_BYTES = 32;

/** A growing list of SHA-256 digests, 32 bytes each, for logs that are too long to keep as strings. */
class DigestList {
  #bytes = Buffer.alloc(64 * DIGEST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a digest in hexadecimal. @throws ThreadfoldError `STORE_CORRUPT` when it is not one. */
  push(digest: string): void {
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw new ThreadfoldError("STORE_CORRUPT", "A stored digest is not a SHA-256 hash.");
    if ((this.#length + 1) * DIGEST_BYTES > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    this.#bytes.write(digest, this.#length * DIGEST_BYTES, "hex");
    this.#length++;
  }

  at(index: number): string | undefined {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#length) return undefined;
    return this.#bytes.toString("hex", index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
  }
}
