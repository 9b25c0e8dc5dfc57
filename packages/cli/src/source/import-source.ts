import { type ArtifactId, type Clock, ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import {
  type ExportFormat,
  type ImportedSession,
  type ImportOptions,
  importSession,
  importSessionFile,
  importSessionStream,
} from "@threadfold/importers";
import type { CliIo } from "../output/cli-io.ts";
import { type SourceRequest, STANDARD_INPUT } from "../parse/options.ts";

/** Reads the session that is meant, from its file or from standard input. @throws ThreadfoldError what importing throws. */
export async function importSource(
  { file, from, thread, limits }: SourceRequest,
  { stdin, signal }: Pick<CliIo, "stdin" | "signal">,
  onProgress: NonNullable<ImportOptions["onProgress"]> = () => undefined,
): Promise<ImportedSession> {
  const options = { format: from, thread, limits, signal, onProgress };
  if (file !== STANDARD_INPUT) return importSessionFile(file, options);
  try {
    return await importSessionStream(stdin(), options);
  } catch (cause) {
    if (!signal.aborted || ThreadfoldError.isInstance(cause)) throw cause;
    throw new ThreadfoldError("ABORTED", "The import was aborted while it read standard input.", { cause });
  }
}

/** Media type under which a store keeps the source that a thread was imported from. */
export const SOURCE_MEDIA_TYPE = "application/vnd.threadfold.source";

/**
 * Keeps the whole source of an imported session with its thread, as one artifact. `metadata.source` of every message
 * points into it, and it holds what no message holds: records that were never prompt content, and malformed ones.
 */
export async function keepSource(
  store: ThreadfoldStore,
  { threadId, source }: ImportedSession,
  clock: Clock,
): Promise<ArtifactId> {
  return store.artifacts.store(source.text.toWellFormed(), {
    threadId,
    tenantId: null,
    createdAt: new Date(clock.now()).toISOString(),
    ttlSeconds: null,
    sensitivity: "internal",
    mediaType: SOURCE_MEDIA_TYPE,
  });
}

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
    const bytes = new TextEncoder().encode(content);
    // It was let in when it was imported, whatever --max-size said then.
    const limits = { maxBytes: bytes.length, maxLineLength: bytes.length };
    const imported = await importSession(bytes, { limits, signal });
    return imported.format === format && imported.threadId === threadId ? content : null;
  }
  return null;
}
