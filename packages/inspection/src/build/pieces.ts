import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ThreadfoldError } from "@threadfold/core";
import { type Piece, pieceName } from "../rows/page-data.ts";
import type { Inspection } from "./inspection.ts";

/** A piece of the data that a page shows: its name, and its gzipped JSON. */
export interface ZippedPiece {
  readonly name: string;
  readonly gzip: Uint8Array;
}

const zip = promisify(gzip);

/**
 * Returns the JSON of a piece. The growth of the index is `null` if the whole index must be read instead, and so is the
 * search result for a message that is not folded.
 *
 * @throws ThreadfoldError `USAGE` when there is no such piece.
 */
export async function pieceText(inspection: Inspection, piece: Exclude<Piece, { kind: "log" }>): Promise<string> {
  switch (piece.kind) {
    case "index":
      return JSON.stringify(inspection.index());
    case "growth":
      return JSON.stringify(inspection.growth(piece.since));
    case "bill":
      return JSON.stringify(inspection.bill());
    case "gone":
      return JSON.stringify(await inspection.gone());
    case "search":
      return JSON.stringify(await inspection.goneSearch(piece.message));
    case "searches":
      return JSON.stringify(await inspection.goneSearches());
    default: {
      const chunk = await inspection.chunk(piece.kind, piece.chunk);
      if (chunk.length > 0) return JSON.stringify(chunk);
      throw new ThreadfoldError("USAGE", `There is no piece ${pieceName(piece)}.`);
    }
  }
}

/**
 * Yields all pieces of an inspection, the index first, each made on demand.
 *
 * @param log the raw log, byte for byte; null to leave it out.
 * @throws ThreadfoldError `ABORTED` when `signal` is aborted.
 */
export async function* zippedPieces(
  inspection: Inspection,
  log: Uint8Array | null,
  signal?: AbortSignal,
): AsyncGenerator<ZippedPiece> {
  const index = inspection.index();
  yield { name: "index", gzip: await zip(JSON.stringify(index)) };
  if (index.erased === null)
    for (const kind of ["gone", "searches"] as const)
      yield { name: kind, gzip: await zip(await pieceText(inspection, { kind })) };
  for (const kind of ["messages", "texts", "payloads"] as const) {
    for (const chunk of index.chunks[kind].keys()) {
      if (signal?.aborted) throw new ThreadfoldError("ABORTED", "Writing the page was interrupted.");
      const piece = { kind, chunk } as const;
      yield { name: pieceName(piece), gzip: await zip(await pieceText(inspection, piece)) };
    }
  }
  if (log !== null) yield { name: "log", gzip: await zip(log) };
}
