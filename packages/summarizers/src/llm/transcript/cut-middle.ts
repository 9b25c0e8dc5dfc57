const HEAD_SHARE = 0.7;
/** No tokenizer packs more characters into a token than this for long, so longer text need not be counted. */
const MAX_CHARACTERS_PER_TOKEN = 16;
const MARKER_ROOM = 60;

/** A text of at most so many tokens: itself, or its beginning and end around a marker that says how much is left out (L7). */
export function cutMiddle(text: string, maxTokens: number, countTokens: (text: string) => number): string {
  const candidate = text.slice(0, maxTokens * MAX_CHARACTERS_PER_TOKEN);
  const tokens = countTokens(candidate);
  if (tokens <= maxTokens && candidate.length === text.length) return text;
  let room = Math.floor((candidate.length * maxTokens) / Math.max(1, tokens)) - MARKER_ROOM;
  let cut = around(text, room);
  while (room > 0 && countTokens(cut) > maxTokens) {
    room = Math.floor(room * 0.9) - 1;
    cut = around(text, room);
  }
  return cut;
}

function around(text: string, room: number): string {
  const head = text.slice(0, Math.max(0, Math.ceil(room * HEAD_SHARE)));
  const tail = room <= 0 ? "" : text.slice(text.length - Math.floor(room * (1 - HEAD_SHARE)));
  const left = text.length - head.length - tail.length;
  // A cut may fall into a surrogate pair; what is left of it is left out.
  return `${head.replace(/[\ud800-\udbff]$/, "")}\n[… ${left} characters left out …]\n${tail.replace(/^[\udc00-\udfff]/, "")}`;
}
