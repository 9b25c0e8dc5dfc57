import { type Duplex, PassThrough, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** Reads a stream to its end and returns its bytes; null when there are more than the limit. */
export async function readBody(stream: Readable, limit: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  // A stream that is too long stays open so that an answer can say so.
  for await (const piece of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limit) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ["identity", () => new PassThrough()],
  ["gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Returns a stream that decodes the given `content-encoding`; undefined for an unknown encoding. */
export const contentDecoder = (coding = "identity"): Duplex | undefined =>
  DECODERS.get(coding.trim().toLowerCase())?.();
