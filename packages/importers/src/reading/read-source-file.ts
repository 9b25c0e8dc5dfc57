import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { ThreadfoldError } from "@threadfold/core";
import { collectBytes } from "./collect-bytes.ts";
import { sourceTooLarge } from "./source-too-large.ts";

/**
 * Reads a file into memory. Pipes and devices are read as well, up to the limit.
 *
 * @param maxBytes how many bytes are read at most, before decompression.
 * @throws ThreadfoldError `UNREADABLE_SOURCE` for a missing, forbidden or broken file and for a directory;
 * `SOURCE_TOO_LARGE` for a file above the limit; `ABORTED`.
 */
export async function readSourceFile(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  try {
    const status = await stat(path);
    if (status.isDirectory()) throw unreadable(path, "it is a directory");
    if (!status.isFile()) return await collectBytes(createReadStream(path, { signal }), maxBytes, path);
    if (status.size > maxBytes) throw sourceTooLarge(maxBytes, path);
    return await readFile(path, { signal });
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) throw error;
    if (signal?.aborted)
      throw new ThreadfoldError("ABORTED", "The import was aborted while it read the file.", { cause: error });
    throw unreadable(path, (error as NodeJS.ErrnoException).code ?? "it cannot be opened", error);
  }
}

function unreadable(path: string, why: string, cause?: unknown): ThreadfoldError {
  return new ThreadfoldError("UNREADABLE_SOURCE", `The file ${path} cannot be read: ${why}.`, {
    details: { path },
    cause,
  });
}
