import {
  artifactIdPrefix,
  type CompactionPlan,
  canonicalJson,
  emptyPlan,
  type JournalRecord,
  MerkleTree,
  merkleLeafOf,
  parseJson,
  parsePlan,
  planDiff,
  THREAD_CHAIN_START,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { inspectorOf } from "../inspection/inspector-of.ts";
import type { StoredPlan, StoreInspector } from "../inspection/stored-rows.ts";
import { AUDIT_ALGORITHMS, AUDIT_FORMAT_VERSION, type AuditLine, sealLine } from "./audit-line.ts";

/** What goes into an audit file. */
export interface AuditExportOptions {
  /** ISO 8601 time in UTC that the file says it was written at. */
  readonly at: string;
  /** Whether bodies of entries, plans and artifacts are in it; true by default. Without them digests alone are. */
  readonly content?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Writes a thread's whole record as lines of one self-contained file, each ending in a newline: entries, plans with what
 * changed, artifacts, journal with requests and checkpoints, and proofs. Whoever has the file checks it with SHA-256
 * alone, as `docs/audit-format.md` says, or with {@link verifyAudit}. It shows what is stored, so what is encrypted in
 * the store is encrypted in the file.
 *
 * Lines are made as they are asked for; what is kept is 32 bytes for each entry of the journal, in hexadecimal.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`, `ABORTED`, or `STORE_CORRUPT` for a plan that cannot be read.
 */
export async function* exportAudit(
  store: ThreadfoldStore,
  threadId: ThreadId,
  options: AuditExportOptions,
): AsyncGenerator<string> {
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
  // The journal is read up to where it ends now, so that it never speaks of entries that came after those in the file.
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
    const diff = plan === null || before === null ? null : canonicalJson(planDiff(before, plan).patches);
    yield { type: "plan", version, planId, createdAt, text: plan === null ? null : hashedText(plan), diff };
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

/** The text whose SHA-256 is the plan's id. */
function hashedText({ planId: _planId, createdAt: _createdAt, ...hashed }: CompactionPlan): string {
  return canonicalJson(hashed);
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
  for await (const { sequence, at, record, previousHash, hash } of inspector.journal(threadId)) {
    if (sequence > size) break;
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

function parseRecord(record: string, threadId: ThreadId, sequence: number): JournalRecord {
  try {
    return parseJson(record) as JournalRecord;
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", `Journal entry ${sequence} of thread ${threadId} cannot be read.`, {
      cause,
    });
  }
}
