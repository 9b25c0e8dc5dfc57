import { TextDecoder } from "node:util";

const NEWLINE = 0x0a;
/** Far beyond any entry. A longer line is none, so that a file without newlines does not fill the memory. */
const LONGEST_LINE = 256 * 1024 * 1024;

/**
 * The lines of a file, without their newlines, as its bytes come in. Only a line feed ends a line, and the last one has
 * to be ended too. A line that is no UTF-8, too long or not ended is null, and what follows a line that is too long is not read.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      yield decoded(decoder, parts);
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > LONGEST_LINE) return yield null;
  }
  if (parts.length > 0) yield null;
}

function decoded(decoder: TextDecoder, parts: readonly Uint8Array[]): string | null {
  try {
    return decoder.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  } catch {
    return null;
  }
}
