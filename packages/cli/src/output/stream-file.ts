import { createWriteStream, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ThreadfoldError } from "@threadfold/core";

/**
 * Writes a file as its texts are made, completely or not at all: it gets its name when it is whole. Gives how many texts
 * there were.
 *
 * @throws ThreadfoldError `OUTPUT_UNWRITABLE`, and what making the text throws.
 */
export async function streamWholeFile(path: string, texts: AsyncIterable<string>): Promise<number> {
  let written = 0;
  const counted = async function* (): AsyncIterable<string> {
    for await (const text of texts) {
      written++;
      yield text;
    }
  };
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await pipeline(Readable.from(counted()), createWriteStream(unfinished, { flags: "wx" }));
    renameSync(unfinished, path);
    return written;
  } catch (cause) {
    rmSync(unfinished, { force: true });
    if (ThreadfoldError.isInstance(cause)) throw cause;
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new ThreadfoldError("OUTPUT_UNWRITABLE", `${path} cannot be written: ${reason}.`, {
      cause,
      details: { path },
    });
  }
}
