/** The bits of each character's kind, by character code. A kind of 0 ends a run, as does any code beyond the array. */
export type SignKinds = Uint8Array;

/**
 * Calls `take` for each run of at least `shortest` characters that have a kind, in order, with its start, its end, and
 * the combined bits of its characters. It jumps to the character where such a run would have to end and scans backward,
 * and so skips most of a text, whereas a regular expression looks at every character. Positions are in UTF-16 code
 * units.
 */
export function eachRun(
  text: string,
  kinds: SignKinds,
  shortest: number,
  take: (start: number, end: number, bits: number) => void,
): void {
  let start = 0;
  while (start + shortest <= text.length) {
    let bits = 0;
    let back = start + shortest - 1;
    for (let kind = 0; back >= start && (kind = kindAt(text, back, kinds)) !== 0; back--) bits |= kind;
    if (back >= start) {
      start = back + 1;
      continue;
    }
    let end = start + shortest;
    for (let kind = 0; end < text.length && (kind = kindAt(text, end, kinds)) !== 0; end++) bits |= kind;
    take(start, end, bits);
    start = end + 1;
  }
}

function kindAt(text: string, index: number, kinds: SignKinds): number {
  const code = text.charCodeAt(index);
  return code < kinds.length ? (kinds[code] as number) : 0;
}
