/**
 * The views, in the order of their tabs. Each answers one question; the last has a tab only if presets were compared.
 */
export const VIEWS = ["timeline", "request", "why", "gone", "plans", "bill", "integrity", "search", "presets"] as const;
export type View = (typeof VIEWS)[number];

/** How the request of a call is shown. */
export const MODES = ["request", "log", "difference", "payload"] as const;
export type Mode = (typeof MODES)[number];

/** What the page shows: everything that a link to it contains. */
export interface Place {
  readonly view: View;
  /** Place of the chosen call; null for the newest, whichever that is. */
  readonly call: number | null;
  /** Ordinal of the chosen message; null for none. */
  readonly message: number | null;
  readonly mode: Mode;
  readonly query: string;
  /** Versions of the two plans being compared; null for the newest and the one before it. */
  readonly plans: readonly [number, number] | null;
}

/** Where a page opens without a link. */
const START: Place = { view: "timeline", call: null, message: null, mode: "request", query: "", plans: null };

/**
 * Returns a place as the fragment of a link: `#/request?call=41&message=12&mode=difference`. Calls are numbered from 1.
 */
export function toHash({ view, call, message, mode, query, plans }: Place): string {
  const words: [string, string][] = [
    ...(call === null ? [] : [["call", String(call + 1)] as [string, string]]),
    ...(message === null ? [] : [["message", String(message)] as [string, string]]),
    ...(mode === START.mode ? [] : [["mode", mode] as [string, string]]),
    ...(query === "" ? [] : [["query", query] as [string, string]]),
    ...(plans === null ? [] : [["plans", plans.join("-")] as [string, string]]),
  ];
  const search = new URLSearchParams(words).toString();
  return `#/${view}${search === "" ? "" : `?${search}`}`;
}

/** Parses the fragment of a link. Anything it does not understand gets its default. */
export function fromHash(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const words = new URLSearchParams(search);
  const plans = /^(\d{1,9})-(\d{1,9})$/.exec(words.get("plans") ?? "");
  return {
    view: oneOf(VIEWS, path) ?? START.view,
    call: number(words.get("call"), 1),
    message: number(words.get("message"), 0),
    mode: oneOf(MODES, words.get("mode")) ?? START.mode,
    query: words.get("query") ?? "",
    plans: plans === null ? null : [Number(plans[1]), Number(plans[2])],
  };
}

const oneOf = <Word extends string>(words: readonly Word[], word: string | null): Word | undefined =>
  words.find((known) => known === word);

/** Parses a number counted from `first` into one counted from 0; null if the text is not one. */
const number = (text: string | null, first: number): number | null =>
  text !== null && /^\d{1,9}$/.test(text) && Number(text) >= first ? Number(text) - first : null;
