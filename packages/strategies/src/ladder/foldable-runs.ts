import type { MessageGroup, ThreadShape } from "@threadfold/core";

/** Messages of whole groups with nothing shown between them that stays. */
export interface FoldableRun {
  readonly ordinals: readonly number[];
}

/** Joins whole groups into unbroken runs. Messages of side branches break no run, because no prompt shows them. */
export function foldableRuns(groups: readonly MessageGroup[], shape: ThreadShape): readonly FoldableRun[] {
  const ordinals = groups.flatMap((group) => group.ordinals).sort((a, b) => a - b);
  const runs: number[][] = [];
  for (const ordinal of ordinals) {
    const run = runs.at(-1);
    if (run !== undefined && isAdjacent(run.at(-1) as number, ordinal, shape)) run.push(ordinal);
    else runs.push([ordinal]);
  }
  return runs.map((run) => ({ ordinals: run }));
}

function isAdjacent(from: number, to: number, shape: ThreadShape): boolean {
  for (let ordinal = from + 1; ordinal < to; ordinal++) if (shape.header(ordinal).branch === undefined) return false;
  return true;
}
