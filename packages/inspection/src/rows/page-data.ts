/**
 * How a page comes to its data. It says so in the element {@link PAGE_DATA}, as JSON: `embedded` in the page itself, where
 * every piece stands in an element of its own, gzip as base64, for `DecompressionStream` to open when it is shown; or
 * `served` by the command, each under a path beside the page's own, which the browser unzips by itself.
 *
 * A piece is the index, what is gone, a chunk of a list of bodies, or the raw log, and has the same name in both: see
 * {@link pieceName}. A served page has `events` too: server-sent events, each a {@link ThreadSize} once something was added;
 * what was added to the index since a revision of it, and its bill as it is then; and what search gives for one message that
 * is gone. Nobody can be asked for that where the page is a file, which has the `searches` of all of them, or of a long thread of those
 * that were needed and the largest.
 */
export type PageData =
  | {
      readonly kind: "embedded" | "served";
      /** The view that it opens with, where no link leads into another one; absent for the first. */
      readonly view?: "presets";
    }
  /** No thread: two prompts beside each other, in an element with the id `prompts`. */
  | { readonly kind: "prompts" };

/** Id of the element that holds the {@link PageData}. */
export const PAGE_DATA = "threadfold-data";

/** Id of the element that the page draws into. */
export const PAGE_ROOT = "threadfold-inspector";

const WHOLE_PIECES = ["index", "gone", "bill", "log"] as const;

/** What can be asked for. */
export type Piece =
  | { readonly kind: "index" }
  | { readonly kind: "gone" }
  | { readonly kind: "bill" }
  | { readonly kind: "log" }
  | { readonly kind: "searches" }
  | { readonly kind: "growth"; readonly since: number }
  | { readonly kind: "search"; readonly message: number }
  | { readonly kind: "messages" | "texts" | "payloads"; readonly chunk: number };

/** The name of a piece: the id of its element, or its path. */
export function pieceName(piece: Piece): string {
  if ("chunk" in piece) return `${piece.kind}-${piece.chunk}`;
  if (piece.kind === "search") return `${piece.kind}-${piece.message}`;
  return piece.kind === "growth" ? `${piece.kind}-${piece.since}` : piece.kind;
}

/** The piece of that name which a server has; null when there is none. */
export function parsePieceName(name: string): Piece | null {
  const whole = WHOLE_PIECES.find((kind) => kind === name);
  if (whole !== undefined) return { kind: whole };
  const [, kind, number] = /^(messages|texts|payloads|growth|search)-(\d{1,9})$/.exec(name) ?? [];
  if (kind === undefined) return null;
  if (kind === "growth") return { kind, since: Number(number) };
  if (kind === "search") return { kind, message: Number(number) };
  return { kind: kind as "messages" | "texts" | "payloads", chunk: Number(number) };
}

/** How much there is of a thread. */
export interface ThreadSize {
  readonly messages: number;
  readonly calls: number;
  readonly planVersion: number;
}
