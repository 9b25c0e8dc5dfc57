/**
 * True when somebody who said `said` said these words: whole sentences of it, word for word, white space aside. Where the
 * words were cut, `…` or a note in brackets stands in the place of what is left out. Part of a sentence is no sentence:
 * "delete the logs" is not what "Never delete the logs" says.
 */
export function saysVerbatim(said: string, words: string): boolean {
  const pieces = words.split(CUT).map((piece) => oneLine(piece).trim());
  const text = oneLine(said);
  let from = 0;
  for (const [index, piece] of pieces.entries()) {
    if (piece === "") continue;
    const opens = index === 0 || pieces.slice(0, index).every((before) => before === "");
    const closes = index === pieces.length - 1;
    const at = placeOf(piece, text, from, opens, closes);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return pieces.some((piece) => piece !== "");
}

/** True when the words are how a message begins, cut wherever the room ended. */
export function beginsWith(said: string, words: string): boolean {
  const start = oneLine(words).trim();
  return start !== "" && flat(oneLine(said)).trimStart().startsWith(flat(start));
}

/**
 * True when somebody said the same in a sentence of `said`, in another order or form: every word that tells something
 * stands there, and the sentence denies what the words deny. Words in another language than the sentence's are not borne
 * out; nobody can tell.
 */
export function saysInOwnWords(said: string, words: string): boolean {
  const wanted = stemsOf(words);
  if (wanted.size === 0) return false;
  const denies = NEGATION.test(words);
  return passagesOf(said).some((passage) => {
    const stems = stemsOf(passage);
    return NEGATION.test(passage) === denies && [...wanted].every((stem) => stems.has(stem));
  });
}

const CUT = /…|\[[^[\]\n]{1,120}\]/;

/** Line ends stay visible as one sign, so that they count as ends of sentences; all other white space is one space. */
const oneLine = (text: string): string =>
  text.replace(/\s+/g, (space) => (/[\n\r\u2028\u2029]/.test(space) ? "\n" : " "));
const flat = (text: string): string => text.replaceAll("\n", " ");

/** Marks that stand around a sentence and belong to none: quotes, brackets, signs of lists and of emphasis. */
const AROUND = /["'“”„«»‹›「」『』()*_`#>•–—\-\s\d)]/u;
const ENDS = /[.!?;:。！？；：…\n]/u;

function placeOf(piece: string, text: string, from: number, opens: boolean, closes: boolean): number {
  const needle = flat(piece);
  const hay = flat(text);
  for (let at = hay.indexOf(needle, from); at >= 0; at = hay.indexOf(needle, at + 1)) {
    if ((!opens || opensSentence(text, at)) && (!closes || closesSentence(text, at + needle.length))) return at;
  }
  return -1;
}

function opensSentence(text: string, at: number): boolean {
  for (let index = at - 1; index >= 0; index--) {
    const character = text.charAt(index);
    if (ENDS.test(character)) return true;
    if (!AROUND.test(character)) return false;
  }
  return true;
}

function closesSentence(text: string, end: number): boolean {
  for (let index = end - 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (ENDS.test(character)) return true;
    if (index >= end && !AROUND.test(character)) return false;
  }
  return true;
}

const passagesOf = (said: string): readonly string[] =>
  oneLine(said)
    .split(/(?<=[.!?;])(?=\s)|(?<=[。！？；])|\n/u)
    .filter((passage) => passage.trim() !== "");

/** Words that deny in the languages that users write most. */
const NEGATION =
  /(?<![\p{L}\p{N}])(?:not|never|no|none|nothing|without|cannot|nicht|nie|niemals|kein\p{Ll}*|ohne|nunca|jamás|sin|jamais|sans|ne|não|sem|nem|не|нет|никогда|без)(?![\p{L}\p{N}])|n['’]t(?!\p{L})|(?<!\p{L})n['’]|[不别勿没無无]|ない|なく|ません/iu;

/** Words of English that tell nothing of what is asked. Of other languages every word counts. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  "not a an and any are as at be been but by can could did do does for from had has have how i if in into is it its let me my of on or our out please so some than that the their them then there these they this those to up us was we were what when which who will with would you your also now just".split(
    " ",
  ),
);
const STEM = 5;
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}_]+/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** What denies is looked at by itself. */
const CONTRACTION = /n['’]t(?!\p{L})/gu;

/** Beginnings of the words that tell something; pairs of signs where a script sets no spaces. */
function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const [word] of text.toLowerCase().replace(CONTRACTION, " ").matchAll(WORD)) {
    if (UNSPACED.test(word))
      for (let at = 0; at < Math.max(1, word.length - 1); at++) stems.add(word.slice(at, at + 2));
    else if (!FUNCTION_WORDS.has(word)) stems.add(word.slice(0, STEM));
  }
  return stems;
}
