import {
  artifactIdPrefix,
  type CompactionPlan,
  canonicalJson,
  emptyPlan,
  idsHashedApart,
  type JournalRecord,
  MerkleTree,
  merkleLeafOf,
  parseJson,
  parsePlan,
  planChanges,
  planHashText,
  sha256,
  THREAD_CHAIN_START,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { inspectorOf, type StoredPlan, type StoreInspector } from "../inspection/inspector.ts";
import { checkTimeOption } from "../shared/store-basics.ts";
import { checkpointSchema } from "./checkpoint.ts";

/** Version of the audit file format, written in its first line. */
const AUDIT_FORMAT_VERSION = 1;

/** The algorithms behind the hashes and signatures of an audit file. */
const AUDIT_ALGORITHMS = Object.freeze({
  digest: "SHA-256",
  text: "RFC 8785",
  tree: "RFC 6962",
  signature: "Ed25519",
});

/**
 * A line of an audit file before it is sealed. Whatever is hashed appears in it as the exact text that was hashed, so
 * that a reader needs SHA-256 and no serialization rules. `docs/audit-format.md` describes each kind of line.
 */
export type AuditLine =
  | {
      readonly type: "header";
      readonly format: "threadfold-audit";
      readonly formatVersion: typeof AUDIT_FORMAT_VERSION;
      readonly algorithms: typeof AUDIT_ALGORITHMS;
      readonly threadId: string;
      /** ISO 8601 time in UTC at which the file was written. */
      readonly at: string;
    }
  | {
      readonly type: "entry";
      readonly version: number;
      /** SHA-256 of the body. */
      readonly digest: string;
      /** SHA-256 of the previous link and the digest. */
      readonly link: string;
      /** Null when it was left out, or erased. */
      readonly body: string | null;
    }
  | {
      readonly type: "plan";
      readonly version: number;
      /** SHA-256 of the text. */
      readonly planId: string;
      readonly createdAt: string;
      readonly text: string | null;
      /** The lists of message ids that stand in the text by their number and SHA-256; absent if there are none. */
      readonly spans?: readonly string[];
      /** What changed since the previous plan, as patches. */
      readonly diff: string | null;
    }
  | {
      readonly type: "artifact";
      /** Ends in the first 24 hexadecimal digits of the SHA-256 of `prefix` and `content`. */
      readonly artifactId: string;
      readonly prefix: string;
      readonly content: string | null;
    }
  | {
      readonly type: "journal";
      /** SHA-256 of the text. */
      readonly hash: string;
      readonly text: string;
    }
  | {
      readonly type: "inclusion";
      /** Sequence number of the request that the proof shows to be in the tree of the last line. */
      readonly sequence: number;
      readonly proof: readonly string[];
    }
  | {
      readonly type: "consistency";
      /** Sequence number of the checkpoint that the proof shows the tree of the last line to have grown from. */
      readonly sequence: number;
      readonly proof: readonly string[];
    }
  | {
      readonly type: "end";
      readonly threadVersion: number;
      readonly threadDigest: string;
      readonly planVersion: number;
      readonly size: number;
      readonly rootHash: string;
    };

/** Options for writing an audit file. */
export interface AuditExportOptions {
  /** ISO 8601 time in UTC to record as the time of writing. */
  readonly at: string;
  /** Whether to include the bodies of entries, plans and artifacts; true by default. Without them, only digests are. */
  readonly content?: boolean;
  /** Aborts the export. */
  readonly signal?: AbortSignal;
}

/**
 * Writes a thread's whole record as lines of one self-contained file, each ending in a newline: entries, plans with
 * what changed, artifacts, the journal with requests and checkpoints, and proofs. Anyone who has the file can check it
 * with SHA-256 alone, as `docs/audit-format.md` describes, or with {@link verifyAudit}. It contains what is stored, so
 * what is encrypted in the store is encrypted in the file.
 *
 * Lines are made on demand; only a digest of 32 bytes for each journal entry is kept in memory, in hexadecimal.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`, `INVALID_CONFIG` for a time that is not one, `ABORTED`, or
 * `STORE_CORRUPT` for a plan that cannot be read, or a journal entry that is missing or cannot be read.
 */
export async function* exportAudit(
  store: ThreadfoldStore,
  threadId: ThreadId,
  options: AuditExportOptions,
): AsyncGenerator<string> {
  checkTimeOption(options.at);
  let seal = "";
  for await (const line of auditLines(inspectorOf(store, options.signal), threadId, options)) {
    const sealed = sealLine(line, seal);
    seal = sealed.seal;
    yield `${sealed.text}\n`;
  }
}

async function* auditLines(
  inspector: StoreInspector,
  threadId: ThreadId,
  { at, content = true }: AuditExportOptions,
): AsyncIterable<AuditLine> {
  const header = { format: "threadfold-audit", formatVersion: AUDIT_FORMAT_VERSION, algorithms: AUDIT_ALGORITHMS };
  yield { type: "header", ...header, threadId, at } as AuditLine;
  // The journal is read only up to its current end, so that it never refers to entries newer than those in the file.
  const size = await lengthOf(inspector, threadId);
  let end = { threadVersion: 0, threadDigest: THREAD_CHAIN_START };
  for await (const { version, digest, link, body } of inspector.entries(threadId)) {
    yield { type: "entry", version, digest, link, body: content ? body : null };
    end = { threadVersion: version, threadDigest: link };
  }
  if (end.threadVersion === 0 && size === 0)
    throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to export.`);
  let planVersion = 0;
  for await (const line of planLines(inspector, threadId, content)) {
    yield line;
    planVersion = line.version;
  }
  for await (const { artifactId, tenantId, content: kept } of inspector.artifacts(threadId)) {
    yield {
      type: "artifact",
      artifactId,
      prefix: artifactIdPrefix(threadId, tenantId),
      content: content ? kept : null,
    };
  }
  yield* journalLines(inspector, threadId, size, (rootHash) => ({ type: "end", ...end, planVersion, size, rootHash }));
}

async function lengthOf(inspector: StoreInspector, threadId: ThreadId): Promise<number> {
  let size = 0;
  for await (const { sequence } of inspector.journal(threadId)) size = sequence;
  return size;
}

type PlanLine = Extract<AuditLine, { type: "plan" }>;

async function* planLines(inspector: StoreInspector, threadId: ThreadId, content: boolean): AsyncIterable<PlanLine> {
  let before: CompactionPlan | null = emptyPlan(threadId, "none");
  for await (const row of inspector.plans(threadId)) {
    const plan = content ? planIn(row, threadId) : null;
    const { version, planId, createdAt } = row;
    const diff = plan === null || before === null ? null : canonicalJson(planChanges(before, plan));
    const spans = plan === null ? [] : idsHashedApart(plan).map((ids) => canonicalJson(ids));
    const text = plan === null ? null : planHashText(plan);
    yield { type: "plan", version, planId, createdAt, text, ...(spans.length > 0 && { spans }), diff };
    before = plan;
  }
}

function planIn({ body, version }: StoredPlan, threadId: ThreadId): CompactionPlan | null {
  if (body === null) return null;
  try {
    return parsePlan(body);
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", `Plan ${version} of thread ${threadId} cannot be read.`, { cause });
  }
}

async function* journalLines(
  inspector: StoreInspector,
  threadId: ThreadId,
  size: number,
  endLine: (rootHash: string) => AuditLine,
): AsyncIterable<AuditLine> {
  const tree = new MerkleTree();
  const requests: number[] = [];
  const checkpoints: { readonly sequence: number; readonly size: number }[] = [];
  let read = 0;
  for await (const { sequence, at, record, previousHash, hash } of inspector.journal(threadId)) {
    if (sequence > size) break;
    if (sequence !== ++read) throw damagedJournal(threadId, read, "is missing");
    const parsed = parseRecord(record, threadId, sequence);
    yield { type: "journal", hash, text: canonicalJson({ sequence, threadId, at, record: parsed, previousHash }) };
    tree.append(merkleLeafOf(hash));
    if (parsed.type === "request-rendered") requests.push(sequence);
    if (parsed.type === "checkpoint-made") checkpoints.push({ sequence, size: parsed.checkpoint.size });
  }
  for (const sequence of requests) yield { type: "inclusion", sequence, proof: tree.inclusionProof(sequence - 1) };
  for (const { sequence, size: from } of checkpoints)
    yield { type: "consistency", sequence, proof: tree.consistencyProof(from) };
  yield endLine(tree.root());
}

function parseRecord(text: string, threadId: ThreadId, sequence: number): JournalRecord {
  try {
    const record = recordSchema.parse(parseJson(text));
    const covered = record.type === "checkpoint-made" ? checkpointSchema.parse(record["checkpoint"]).size : 0;
    if (covered < sequence) return record as unknown as JournalRecord;
  } catch (cause) {
    throw damagedJournal(threadId, sequence, "cannot be read", cause);
  }
  throw damagedJournal(threadId, sequence, "is a checkpoint of entries that came after it");
}

/** What is needed to write a record. A reader checks the rest. */
const recordSchema = z.looseObject({ type: z.string() });

const damagedJournal = (threadId: ThreadId, sequence: number, problem: string, cause?: unknown): ThreadfoldError =>
  new ThreadfoldError("STORE_CORRUPT", `Journal entry ${sequence} of thread ${threadId} ${problem}.`, { cause });

/** Returns a line as written, and the seal that the next one builds on. The first line builds on the empty string. */
export function sealLine(line: object, previousSeal: string): { readonly text: string; readonly seal: string } {
  const body = canonicalJson(line);
  const seal = sha256(previousSeal + body);
  return { text: `${body.slice(0, -1)},"seal":"${seal}"}`, seal };
}

/**
 * Returns a line without its seal, and the seal; null for a line that does not build on the previous one, or is not
 * JSON.
 */
export function unsealLine(
  text: string,
  previousSeal: string,
): { readonly line: Readonly<Record<string, unknown>>; readonly seal: string } | null {
  const [, open, seal] = SEAL.exec(text) ?? [];
  if (open === undefined || seal === undefined || sha256(`${previousSeal}${open}}`) !== seal) return null;
  try {
    const line: unknown = parseJson(`${open}}`);
    return typeof line === "object" && line !== null ? { line: line as Readonly<Record<string, unknown>>, seal } : null;
  } catch {
    return null;
  }
}

const SEAL = /^(.*),"seal":"([0-9a-f]{64})"\}$/s;

/** Parses an unsealed line by its type; null when this version does not know such a line. */
export function parseAuditLine(line: unknown): AuditLine | null {
  const parsed = schema.safeParse(line);
  return parsed.success ? (parsed.data as AuditLine) : null;
}

/** Created when a file is first read. */
const schema = z.lazy(() => {
  const digest = z.string().regex(/^[0-9a-f]{64}$/);
  const count = z.int().nonnegative();
  const proof = z.array(digest).max(64);
  const body = z.string().nullable();
  return z.discriminatedUnion("type", [
    headerSchema(),
    z.strictObject({ type: z.literal("entry"), version: count, digest, link: digest, body }),
    z.strictObject({
      type: z.literal("plan"),
      version: count,
      planId: digest,
      createdAt: z.string(),
      text: body,
      spans: z.array(z.string()).min(1).exactOptional(),
      diff: body,
    }),
    z.strictObject({
      type: z.literal("artifact"),
      artifactId: z.string().regex(/^artifact_[0-9a-f]{24}$/),
      prefix: z.string(),
      content: body,
    }),
    z.strictObject({ type: z.literal("journal"), hash: digest, text: z.string() }),
    z.strictObject({ type: z.literal("inclusion"), sequence: count, proof }),
    z.strictObject({ type: z.literal("consistency"), sequence: count, proof }),
    z.strictObject({
      type: z.literal("end"),
      threadVersion: count,
      threadDigest: digest,
      planVersion: count,
      size: count,
      rootHash: digest,
    }),
  ]);
});

const headerSchema = () =>
  z.strictObject({
    type: z.literal("header"),
    format: z.literal("threadfold-audit"),
    formatVersion: z.literal(AUDIT_FORMAT_VERSION),
    algorithms: z.strictObject({
      digest: z.literal("SHA-256"),
      text: z.literal("RFC 8785"),
      tree: z.literal("RFC 6962"),
      signature: z.literal("Ed25519"),
    }),
    threadId: z.string(),
    at: z.string(),
  });
