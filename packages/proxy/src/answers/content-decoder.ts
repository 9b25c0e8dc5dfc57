import { type Duplex, PassThrough } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  identity: () => new PassThrough(),
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A stream that undoes what the header `content-encoding` names; undefined for a coding that is not known. */
export const contentDecoder = (coding = "identity"): Duplex | undefined => DECODERS[coding.trim().toLowerCase()]?.();
