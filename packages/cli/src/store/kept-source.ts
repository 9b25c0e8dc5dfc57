import type { ThreadfoldStore, ThreadId } from "@threadfold/core";
import { type ExportFormat, importSession } from "@threadfold/importers";
import { SOURCE_MEDIA_TYPE } from "./keep-source.ts";

/** The newest log that a thread was imported from, when it is of the tool that is meant; null when there is none. */
export async function keptSource(
  store: ThreadfoldStore,
  threadId: ThreadId,
  format: ExportFormat,
  signal: AbortSignal,
): Promise<string | null> {
  const ids = await store.artifacts.list(threadId);
  for (const id of ids.toReversed()) {
    const metadata = await store.artifacts.getMetadata(id);
    if (metadata?.mediaType !== SOURCE_MEDIA_TYPE) continue;
    const content = (await store.artifacts.retrieve(id))?.content ?? "";
    const imported = await importSession(new TextEncoder().encode(content), { signal });
    return imported.format === format && imported.threadId === threadId ? content : null;
  }
  return null;
}
