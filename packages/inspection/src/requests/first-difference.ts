/** Returns the first byte, in UTF-8, at which two texts differ; if one is a prefix of the other, its length. */
export function firstDifference(a: string, b: string): number {
  let index = sharedLength(a, b);
  // Half a surrogate pair is not a character: the whole character differs.
  if (index > 0 && isHighSurrogate(a.charCodeAt(index - 1))) index--;
  return Buffer.byteLength(a.slice(0, index));
}

/** Returns how many UTF-16 code units two texts have in common at their beginning. */
export function sharedLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let index = 0;
  // The engine compares whole stretches, which is many times faster than a loop.
  while (index + STRETCH <= length && a.slice(index, index + STRETCH) === b.slice(index, index + STRETCH))
    index += STRETCH;
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  return index;
}

const STRETCH = 4_096;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
