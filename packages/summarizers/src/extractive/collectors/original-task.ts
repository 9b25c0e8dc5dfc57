import type { HarvestContext } from "../span-collector.ts";

/** The original task is kept word for word unless it alone takes more than this share of the summary. */
const MAX_SHARE = 0.3;
const HEAD_SHARE = 0.7;
const MARKER_ROOM = 80;

/** The text of the first request: verbatim, or its beginning and end around a marker that says how much is left out. */
export function originalTaskText(
  text: string,
  { maxTokens, countTokens }: Pick<HarvestContext, "maxTokens" | "countTokens">,
): string {
  const allowed = Math.floor(maxTokens * MAX_SHARE);
  const tokens = countTokens(text.slice(0, allowed * 16));
  if (tokens <= allowed && text.length <= allowed * 16) return text;
  let room = Math.floor((Math.min(text.length, allowed * 16) * allowed) / Math.max(1, tokens)) - MARKER_ROOM;
  let cut = cutAround(text, room);
  while (room > 0 && countTokens(cut) > allowed) {
    room = Math.floor(room * 0.9) - 1;
    cut = cutAround(text, room);
  }
  return cut;
}

function cutAround(text: string, room: number): string {
  const head = text.slice(0, Math.max(0, Math.ceil(room * HEAD_SHARE)));
  const tail = room <= 0 ? "" : text.slice(text.length - Math.floor(room * (1 - HEAD_SHARE)));
  const left = text.length - head.length - tail.length;
  // A cut may fall into a surrogate pair; what is left of it is left out.
  return `${head.replace(/[\ud800-\udbff]$/, "")}\n[… ${left} characters of this request are left out here …]\n${tail.replace(/^[\udc00-\udfff]/, "")}`;
}
