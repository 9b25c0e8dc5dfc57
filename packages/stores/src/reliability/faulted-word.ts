/** How one operation of a process ended whose system calls fail. */
export interface FaultedWord {
  readonly path: string;
  readonly step: "open" | "append" | "commit" | "artifact" | "other" | "erase" | "close";
  /** `acknowledged`, the code of a Threadfold error, or `untyped` and what was thrown. */
  readonly outcome: string;
}

/** The operations that words tell of, a line each; one that was cut off is left out. */
export const faultedWords = (printed: string): readonly FaultedWord[] =>
  printed
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as FaultedWord);
