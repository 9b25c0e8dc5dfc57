import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseJson, ThreadfoldError } from "@threadfold/core";
import type { CliIo } from "../cli-io.ts";
import { STANDARD_INPUT } from "../parse/source-options.ts";

type RequestIo = Pick<CliIo, "stdin" | "signal">;

const WHAT_TO_GIVE = "Give the body of one request, as it is sent to the provider.";

/**
 * Reads a request from a file of JSON, or from standard input.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE` when the file cannot be read, `EMPTY_SOURCE` when nothing is in it,
 * `INVALID_JSON` when it is no JSON, `ABORTED`.
 */
export async function readRequest(path: string, io: RequestIo): Promise<unknown> {
  const content = await textOf(path, io);
  if (content.trim() === "")
    throw new ThreadfoldError("EMPTY_SOURCE", `The file ${path} is empty.`, { hint: WHAT_TO_GIVE, details: { path } });
  try {
    return parseJson(content);
  } catch (cause) {
    throw new ThreadfoldError("INVALID_JSON", `The file ${path} is not JSON: ${(cause as Error).message}.`, {
      hint: WHAT_TO_GIVE,
      details: { path },
      cause,
    });
  }
}

async function textOf(path: string, { stdin, signal }: RequestIo): Promise<string> {
  try {
    if (path === STANDARD_INPUT) return await text(stdin());
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
