import { ThreadfoldError } from "@threadfold/core";
import {
  type ImportedSession,
  type ImportOptions,
  importSessionFile,
  importSessionStream,
} from "@threadfold/importers";
import type { CliIo } from "../cli-io.ts";
import { type SourceRequest, STANDARD_INPUT } from "../parse/source-options.ts";

/** Reads the session that is meant, from its file or from standard input. @throws ThreadfoldError what importing throws. */
export async function importSource(
  { file, from, thread }: SourceRequest,
  { stdin, signal }: Pick<CliIo, "stdin" | "signal">,
  onProgress: NonNullable<ImportOptions["onProgress"]> = () => undefined,
): Promise<ImportedSession> {
  const options = { format: from, thread, signal, onProgress };
  if (file !== STANDARD_INPUT) return importSessionFile(file, options);
  try {
    return await importSessionStream(stdin(), options);
  } catch (cause) {
    if (!signal.aborted || ThreadfoldError.isInstance(cause)) throw cause;
    throw new ThreadfoldError("ABORTED", "The import was aborted while it read standard input.", { cause });
  }
}
