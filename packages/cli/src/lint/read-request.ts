import { readFile } from "node:fs/promises";
import { ThreadfoldError } from "@threadfold/core";

/**
 * Reads a request from a file of JSON.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE` when the file cannot be read, `EMPTY_SOURCE` when nothing is in it,
 * `INVALID_JSON` when it is no JSON, `ABORTED`.
 */
export async function readRequest(path: string, signal: AbortSignal): Promise<unknown> {
  const text = await textOf(path, signal);
  if (text.trim() === "")
    throw new ThreadfoldError("EMPTY_SOURCE", `The file ${path} is empty.`, { details: { path } });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ThreadfoldError("INVALID_JSON", `The file ${path} is not JSON: ${(cause as Error).message}.`, {
      hint: "Give the body of one request, as it is sent to the provider.",
      details: { path },
      cause,
    });
  }
}

async function textOf(path: string, signal: AbortSignal): Promise<string> {
  try {
    return await readFile(path, { encoding: "utf8", signal });
  } catch (cause) {
    if (signal.aborted)
      throw new ThreadfoldError("ABORTED", "The check was aborted while it read the file.", { cause });
    const why = (cause as NodeJS.ErrnoException).code ?? "it cannot be opened";
    throw new ThreadfoldError("UNREADABLE_SOURCE", `The file ${path} cannot be read: ${why}.`, {
      details: { path },
      cause,
    });
  }
}
