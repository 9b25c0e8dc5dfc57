/** Which of some starts, in rising order, is the last one that does not lie behind a position; -1 when all of them do. */
export function startBefore(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
