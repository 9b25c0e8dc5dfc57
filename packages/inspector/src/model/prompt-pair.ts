import { diffLines } from "diff";

/** Two prompts: the accepted one, and the one produced now. */
export interface PromptPair {
  /** Name of the prompt. */
  readonly name: string;
  /** Where the prompts diverge and what that costs, one sentence each. */
  readonly findings: readonly string[];
  /** The command that accepts the new one. */
  readonly accept: string;
  /** The files that only one of the prompts has or that differ between them; the human-readable page first. */
  readonly files: readonly PromptFile[];
}

/** A file of the two prompts; null for a prompt that does not have it. */
export interface PromptFile {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A line of each text, side by side; null for a text that has no line there. Lines are numbered from 1. */
export interface PairedLine {
  readonly kind: "same" | "changed";
  readonly before: { readonly line: number; readonly text: string } | null;
  readonly after: { readonly line: number; readonly text: string } | null;
}

/** Pairs two texts line by line: removed lines appear next to the lines that replaced them. */
export function pairedLines({ before, after }: PromptFile): readonly PairedLine[] {
  const rows: PairedLine[] = [];
  let [left, right] = [1, 1];
  let removed: string[] = [];
  const pushChanged = (added: readonly string[]): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      const [old, now] = [removed[at], added[at]];
      rows.push({
        kind: "changed",
        before: old === undefined ? null : { line: left++, text: old },
        after: now === undefined ? null : { line: right++, text: now },
      });
    }
    removed = [];
  };
  for (const { added, removed: isRemoved, value } of diffLines(before ?? "", after ?? "")) {
    const lines = value.replace(/\n$/, "").split("\n");
    if (isRemoved) removed = lines;
    else if (added) pushChanged(lines);
    else {
      pushChanged([]);
      for (const text of lines)
        rows.push({ kind: "same", before: { line: left++, text }, after: { line: right++, text } });
    }
  }
  pushChanged([]);
  return rows;
}

/** Number of equal lines shown around a change. */
const AROUND = 6;

/** Splits rows into runs: those that are shown, and the equal ones in between that are left out. */
export function shownRuns(
  rows: readonly PairedLine[],
): readonly { readonly first: number; readonly end: number; readonly isShown: boolean }[] {
  const isNear = new Uint8Array(rows.length);
  rows.forEach(({ kind }, at) => {
    if (kind === "changed") isNear.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const runs: { first: number; end: number; isShown: boolean }[] = [];
  for (let at = 0; at < rows.length; at++) {
    const isShown = isNear[at] === 1;
    const run = runs.at(-1);
    if (run?.isShown === isShown) run.end = at + 1;
    else runs.push({ first: at, end: at + 1, isShown });
  }
  return runs;
}
