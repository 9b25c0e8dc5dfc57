/** Shorter names are words, longer ones are data. In UTF-16 code units. */
const MIN_NAME = 6;
const MAX_NAME = 200;
/** Scripts without spaces between words are no part of a name, so that one inside Chinese text is found. Paths, dotted and plain names, hashes and long numbers. A run of signs is entered at its beginning alone, so that it is read once. */
const CANDIDATE =
  /(?<![\w.~@+-])[\w.~@+-]*(?:\/[\w.@+-]+)+|[A-Za-zÀ-ԯ_$][\wÀ-ԯ$]*(?:\.[A-Za-zÀ-ԯ_][\wÀ-ԯ]*)*|[0-9a-f]{8,}|\d{6,}/gu;
/** A name has a sign that plain words lack: a separator, a digit, an inner capital. */
const NAME = /[_$/\d]|\p{Ll}\p{Lu}|[\p{L}\p{N}]\.[\p{L}\p{N}]|\p{Lu}{2}\p{Ll}/u;
/** Line breaks and tabs in a text that is itself JSON. */
const ESCAPED_SPACE = /\\[nrt]/g;
/** `.` ends sentences, `-` begins options, and searches print `path-12-` beside their context. */
const ENDS = /^[-+@]+|(?<=\.\w{1,5})-\d+-?$|[.+@-]+$/g;

/** The identifiers, paths, hashes and long numbers in a text, each once, in order. A dotted name also counts by its parts. */
export function namesInText(text: string): readonly string[] {
  const names = new Set<string>();
  for (const [candidate] of text.replace(ESCAPED_SPACE, " ").matchAll(CANDIDATE)) {
    if (candidate.length > MAX_NAME) continue;
    const name = candidate.includes("/") ? candidate.replace(ENDS, "") : candidate;
    const parts = name.includes(".") && !name.includes("/") ? [name, ...name.split(".")] : [name];
    for (const part of parts) if (part.length >= MIN_NAME && NAME.test(part)) names.add(part);
  }
  return [...names];
}
