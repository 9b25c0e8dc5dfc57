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

/**
 * Imports the requested session from its file or from standard input. @throws ThreadfoldError what importing throws.
 */
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

/** Media type with which a store keeps the source that a thread was imported from. */
export const SOURCE_MEDIA_TYPE = "application/vnd.threadfold.source";

/**
 * Stores the whole source of an imported session with its thread, as one artifact. `metadata.source` of every message
 * points into it, and it contains what no message does: records that were never prompt content, and malformed ones.
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

/** Returns the newest log that a thread was imported from, if it is in the given tool's format; otherwise null. */
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
    // It was accepted when it was imported, whatever --max-size was then.
    const limits = { maxBytes: bytes.length, maxLineLength: bytes.length };
    const imported = await importSession(bytes, { limits, signal });
    return imported.format === format && imported.threadId === threadId ? content : null;
  }
  return null;
}
