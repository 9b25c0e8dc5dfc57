import { type Duplex, PassThrough, type Readable } from "node:stream";
import zlib from "node:zlib";

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

const { createBrotliDecompress, createGunzip, createInflate } = zlib;
/** Node has it from 22.15 on. */
const { createZstdDecompress }: Partial<Pick<typeof zlib, "createZstdDecompress">> = zlib;

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ["identity", () => new PassThrough()],
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
  ...(createZstdDecompress === undefined ? [] : [["zstd", () => createZstdDecompress()] as const]),
]);

const decoderFor = (coding: string): (() => Duplex) | undefined => DECODERS.get(coding.trim().toLowerCase());

/** Returns a stream that decodes the given `content-encoding`; undefined for an unknown encoding. */
export const contentDecoder = (coding = "identity"): Duplex | undefined => decoderFor(coding)?.();

/** Returns an `accept-encoding` without the codings that cannot be decoded here; unchanged when there are none. */
export function readableCodings(accepted: string): string {
  const offers = accepted.split(",");
  const readable = offers.filter((offer) => decoderFor(offer.replace(/;.*$/s, "")) !== undefined);
  if (readable.length === offers.length) return accepted;
  return readable.some((offer) => !REJECTED.test(offer)) ? readable.join(",").trim() : "identity";
}

const REJECTED = /;\s*q\s*=\s*0(?:\.0*)?\s*$/i;
