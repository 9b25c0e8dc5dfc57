import { type Duplex, PassThrough, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

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

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  identity: () => new PassThrough(),
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A stream that undoes what the header `content-encoding` names; undefined for a coding that is not known. */
export const contentDecoder = (coding = "identity"): Duplex | undefined => DECODERS[coding.trim().toLowerCase()]?.();
