import { sourceTooLarge } from "./source-too-large.ts";

/**
 * All bytes of a stream.
 *
 * @param path the file that it is read from, for the error.
 * @throws ThreadfoldError `SOURCE_TOO_LARGE` as soon as there are more than the limit.
 */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  path?: string,
): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw sourceTooLarge(maxBytes, path);
    collected.push(chunk);
  }
  return Buffer.concat(collected);
}
