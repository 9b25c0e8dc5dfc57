import {
  canonicalJson,
  checkStore,
  type JsonValue,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";

/** Version of the export format, written in its first line. */
export const THREAD_EXPORT_VERSION = 1;

/** Options for exporting a thread. */
export interface ExportOptions {
  /**
   * Redacts secrets in each line before it is written, for example with `redactJson` of the summarizers. The first line
   * then says `redacted`, and digests in the export are those of the thread as stored.
   */
  readonly redact?: (line: JsonValue) => JsonValue | Promise<JsonValue>;
}

/**
 * Exports everything that a store holds about a thread as canonical JSON lines, in the same order on every backend: a
 * line about the thread itself, then its entries, plans, artifacts (metadata; the id identifies the content) and
 * journal, each oldest first. Stores that were given the same operations at the same times export the same bytes.
 *
 * Entries appended during the export may or may not be included; the exported log is always complete.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`; `INVALID_CONFIG` without a store.
 */
export async function exportThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  { redact }: ExportOptions = {},
): Promise<string> {
  checkStore(store);
  const lines: string[] = [];
  for await (const line of exportLines(store, threadId, redact !== undefined)) {
    // Every line is JSON, although the types of its contents do not say so.
    const shown = redact === undefined ? line : await redact(line as JsonValue);
    lines.push(`${canonicalJson(shown)}\n`);
  }
  return lines.join("");
}

async function* exportLines(store: ThreadfoldStore, threadId: ThreadId, redacted: boolean): AsyncIterable<object> {
  const thread = await store.threads.load(threadId);
  if (thread === null) throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to export.`);
  const { version, digest } = thread;
  yield {
    type: "thread",
    exportVersion: THREAD_EXPORT_VERSION,
    threadId,
    version,
    digest,
    ...(redacted && { redacted }),
  };
  let entryVersion = 0;
  for (const entry of thread.entries) yield { type: "entry", version: ++entryVersion, entry };
  for (const info of await store.plans.listPlans(threadId)) {
    yield { type: "plan", plan: await store.plans.getPlan(threadId, info.version) };
  }
  for (const artifactId of await store.artifacts.list(threadId)) {
    yield { type: "artifact", artifactId, metadata: await store.artifacts.getMetadata(artifactId) };
  }
  for (const entry of await store.journal.read(threadId)) yield { type: "journal", entry };
}
