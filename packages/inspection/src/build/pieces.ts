import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ThreadfoldError } from "@threadfold/core";
import { type Piece, pieceName } from "../rows/page-data.ts";
import type { Inspection } from "./inspection.ts";

/** A piece of what a page shows: its name, and its JSON, gzipped. */
export interface ZippedPiece {
  readonly name: string;
  readonly gzip: Uint8Array;
}

const zip = promisify(gzip);

/** The JSON of a piece. @throws ThreadfoldError `USAGE` for one that is not there. */
export async function pieceText(inspection: Inspection, piece: Exclude<Piece, { kind: "log" }>): Promise<string> {
  if (piece.kind === "index") return JSON.stringify(inspection.index());
  const chunk = await CHUNKS[piece.kind](inspection, piece.chunk);
  if (chunk.length > 0) return JSON.stringify(chunk);
  throw new ThreadfoldError("USAGE", `There is no piece ${pieceName(piece)}.`);
}

const CHUNKS = {
  messages: (inspection: Inspection, chunk: number) => inspection.messageChunk(chunk),
  texts: (inspection: Inspection, chunk: number) => inspection.textChunk(chunk),
  payloads: (inspection: Inspection, chunk: number) => inspection.payloadChunk(chunk),
} as const;

/**
 * All pieces of an inspection, the index first, each made when it is asked for.
 *
 * @param log the raw log, byte for byte; null where it is not to be in it.
 * @throws ThreadfoldError `ABORTED`.
 */
export async function* zippedPieces(
  inspection: Inspection,
  log: Uint8Array | null,
  signal?: AbortSignal,
): AsyncGenerator<ZippedPiece> {
  const index = inspection.index();
  yield { name: "index", gzip: await zip(JSON.stringify(index)) };
  for (const kind of ["messages", "texts", "payloads"] as const) {
    for (const chunk of index.chunks[kind].keys()) {
      if (signal?.aborted) throw new ThreadfoldError("ABORTED", "The writing of the page was interrupted.");
      const piece = { kind, chunk } as const;
      yield { name: pieceName(piece), gzip: await zip(await pieceText(inspection, piece)) };
    }
  }
  if (log !== null) yield { name: "log", gzip: await zip(log) };
}
