/** Words that hints and questions have in common whatever they are about. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "about again also artifact back been before call called characters complete content contents data detail details does done each earlier entire every file files find from full " +
    "have here into just know last like line lines look make more need needed needs only original other output part please read recall result results retrieve same section see show some " +
    "stored summary tell text than that their them then there these they thing this tokens tool turn used uses value want what when where which whole will with would you your"
  ).split(" "),
);
const ASKING =
  /[?？]|\b(?:need|want|recall|remember|remind|look (?:up|at|again)|re-?read|see|show|check|find|fetch|retrieve|get|load|what was|what were|exact|contents? of)\b|brauche|erinner|besoin|rappel|necesito|recordar|需要|查看|回忆/iu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}_./:@-]*[\p{L}\p{N}]/gu;
/** A name has a sign that plain words lack, so one of them is enough. */
const NAME = /[\p{L}\p{N}][_./:@][\p{L}\p{N}]|\p{L}\d|\d\p{L}|\p{Ll}\p{Lu}/u;
const MIN_WORD = 4;
const MIN_SHARED_WORDS = 2;
const MIN_SHARED_PART = 0.6;
/** What the agent asks for stands in few words; a longer message is a report. In UTF-16 code units. */
const MAX_MESSAGE = 20_000;
const MAX_HINT = 2_000;

/**
 * True when an agent's message asks for what a hint describes ("read if you need the schema of orders_v2"): it asks for
 * something at all, and it names a path or identifier of the hint, or most of the hint's telling words. A hint without
 * telling words matches nothing.
 */
export function asksForHint(message: string, hint: string): boolean {
  const text = message.slice(0, MAX_MESSAGE);
  if (!ASKING.test(text)) return false;
  const wanted = tellingWords(hint.slice(0, MAX_HINT));
  if (wanted.length === 0) return false;
  const said = new Set((text.match(WORD) ?? []).map((word) => word.toLowerCase()));
  const names = wanted.filter((word) => NAME.test(word));
  if (names.some((name) => said.has(name.toLowerCase()))) return true;
  const plain = wanted.filter((word) => !NAME.test(word));
  const shared = plain.filter((word) => said.has(word.toLowerCase())).length;
  return names.length === 0 && shared >= MIN_SHARED_WORDS && shared / plain.length >= MIN_SHARED_PART;
}

function tellingWords(hint: string): readonly string[] {
  const words = hint.match(WORD) ?? [];
  return [...new Set(words)].filter(
    (word) => word.length >= MIN_WORD && /\p{L}/u.test(word) && !EMPTY_WORDS.has(word.toLowerCase()),
  );
}
