/** Middle, lowest and highest of some figures. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The spread of at least one figure. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] as number;
  return { median: at(Math.floor(sorted.length / 2)), lowest: at(0), highest: at(sorted.length - 1) };
}
