/**
 * Where a thread is folded between the message that shows a fact and the one that needs it, as fractions of the way.
 */
const SHARES = [0, 0.25, 0.5, 0.75, 1];

/** Returns the thread lengths to fold at: with the message that shows the fact, without the one that needs it. */
export function probeCuts(firstSeen: number, neededAt: number): readonly number[] {
  const first = firstSeen + 1;
  return [...new Set(SHARES.map((share) => Math.round(first + share * (neededAt - first))))];
}
