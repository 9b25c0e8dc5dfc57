/**
 * How a page gets its data, as JSON in the element {@link PAGE_DATA}: `embedded` in the page itself, where every piece
 * is in its own element, gzipped as base64, to be decompressed with `DecompressionStream` when it is shown; or `served`
 * by the command, each piece under a path next to the page's own, which the browser unzips automatically.
 *
 * A piece is the index, the folded messages, a chunk of a list of bodies, or the raw log, and has the same name in both
 * kinds: see {@link pieceName}. A served page also has `events`: server-sent events, each a {@link ThreadSize} sent
 * when something was added; the additions to the index since a revision, and the current bill; and the search result
 * for one folded message. A page that is a file cannot search, so it contains the `searches` of all folded messages,
 * or, for a long thread, of those that were needed and of the largest.
 */
export type PageData =
  | {
      readonly kind: "embedded" | "served";
      /** The view that it opens with if no link leads to another one; absent for the first. */
      readonly view?: "presets";
    }
  /** No thread: two prompts side by side, in an element with the id `prompts`. */
  | { readonly kind: "prompts" };

/** Id of the element that holds the {@link PageData}. */
export const PAGE_DATA = "threadfold-data";

/** Id of the element that the page draws into. */
export const PAGE_ROOT = "threadfold-inspector";

const WHOLE_PIECES = ["index", "gone", "bill", "log"] as const;

/** A piece that can be requested. */
export type Piece =
  | { readonly kind: "index" }
  | { readonly kind: "gone" }
  | { readonly kind: "bill" }
  | { readonly kind: "log" }
  | { readonly kind: "searches" }
  | { readonly kind: "growth"; readonly since: number }
  | { readonly kind: "search"; readonly message: number }
  | { readonly kind: "messages" | "texts" | "payloads"; readonly chunk: number };

/** Returns the name of a piece: the id of its element, or its path. */
export function pieceName(piece: Piece): string {
  if ("chunk" in piece) return `${piece.kind}-${piece.chunk}`;
  if (piece.kind === "search") return `${piece.kind}-${piece.message}`;
  return piece.kind === "growth" ? `${piece.kind}-${piece.since}` : piece.kind;
}

/** Parses the name of a piece that a server offers; null when there is none. */
export function parsePieceName(name: string): Piece | null {
  const whole = WHOLE_PIECES.find((kind) => kind === name);
  if (whole !== undefined) return { kind: whole };
  const [, kind, number] = /^(messages|texts|payloads|growth|search)-(\d{1,9})$/.exec(name) ?? [];
  if (kind === undefined) return null;
  if (kind === "growth") return { kind, since: Number(number) };
  if (kind === "search") return { kind, message: Number(number) };
  return { kind: kind as "messages" | "texts" | "payloads", chunk: Number(number) };
}

/** The size of a thread. */
export interface ThreadSize {
  readonly messages: number;
  readonly calls: number;
  readonly planVersion: number;
}
