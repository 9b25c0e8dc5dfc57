import { canonicalJson, type JsonValue, ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";

/** Version of the export's shape, in its first line. */
export const THREAD_EXPORT_VERSION = 1;

/** How a thread is exported. */
export interface ExportOptions {
  /**
   * Takes secrets out of each line before it is written, such as `redactJson` of the summarizers. The first line then says
   * `redacted`, and digests in the export are those of the thread as it is stored.
   */
  readonly redact?: (line: JsonValue) => JsonValue | Promise<JsonValue>;
}

/**
 * Everything that a store holds of a thread as canonical JSON lines, in one order on every backend: a line on the
 * thread itself, then its entries, plans, artifacts (metadata; the id stands for the content) and journal, each oldest
 * first. Stores that were given the same operations at the same times export the same bytes.
 *
 * What was appended while the export ran may be in it or not; the log that it holds is always whole.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`.
 */
export async function exportThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  { redact }: ExportOptions = {},
): Promise<string> {
  const lines: string[] = [];
  for await (const line of exportLines(store, threadId, redact !== undefined)) {
    // Every line is JSON, which the types of what it holds need not say.
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
