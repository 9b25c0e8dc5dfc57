/** Says how far a command is. */
export interface Progress {
  /**
   * @param phase what is being done, in a word or two.
   * @param share how much of the command's work is done, from 0 to 1.
   */
  update(phase: string, share: number): void;
  /** Takes the bar away. After this nothing is shown any more. */
  stop(): void;
}

/** Says nothing: for `--quiet` and for tests. */
export const SILENT_PROGRESS: Progress = Object.freeze({ update: () => undefined, stop: () => undefined });
