/** Something that a provider clears by age. */
export interface AgedItem {
  /** Whether the plan clears it. */
  readonly isCleared: boolean;
}

/**
 * How many of the oldest items a provider may clear that clears by age: up to the last one that the plan clears, and no
 * further than the first that it keeps, unless more may go. Items come oldest first.
 */
export function oldestRun(items: readonly AgedItem[], mayClearMore: boolean): number {
  const kept = items.findIndex(({ isCleared }) => !isCleared);
  const reach = mayClearMore || kept < 0 ? items.length : kept;
  return items.slice(0, reach).findLastIndex(({ isCleared }) => isCleared) + 1;
}
