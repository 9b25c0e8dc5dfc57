import type { Readable } from "node:stream";

/** The bytes of a stream; null when there are more than the limit. */
export async function readBody(stream: Readable, limit: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  // A stream that is too long stays open for an answer that says so.
  for await (const piece of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limit) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
