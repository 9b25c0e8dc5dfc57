/** Reads what a resumed session left in the store. */
export interface HistoryReader {
  /** Brings thread and plan into memory as a whole. Does nothing when they are. @throws what the store throws. */
  load(): Promise<void>;
  /** Does work that seldom needs more than what is in memory, and when it does, once more with all of it. */
  whenNeeded<Result>(work: () => Promise<Result> | Result): Promise<Result>;
  /** Takes in the newest plan when somebody else committed it, and says whether so. Reads messages only when the plan needs them. */
  takeCommitted(): Promise<boolean>;
}
