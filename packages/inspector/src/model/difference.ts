import { callBlocks, type InspectionIndex } from "@threadfold/inspection/rows";

/** A block in the comparison of two requests, by its place in `InspectionIndex.blocks`. */
export interface DifferenceRow {
  readonly kind: "same" | "removed" | "added";
  readonly place: number;
  /** The block for the same messages in the earlier request; -1 if there is none, and for rows not added. */
  readonly before: number;
}

/** Compares the requests of two calls, block by block in order: a removed block comes before what replaced it. */
export function requestDifference(index: InspectionIndex, before: number, after: number): readonly DifferenceRow[] {
  const keyOf = (place: number): string => blockKey(index, place);
  const left = before < 0 ? [] : callBlocks(index, before);
  const right = callBlocks(index, after);
  const removed = new Map<string, number>();
  const rows = align(left, right, keyOf).map((row) => {
    if (row.kind === "removed") removed.set(sourceKey(index, row.place), row.place);
    return row;
  });
  return rows.map((row) =>
    row.kind === "added" ? { ...row, before: removed.get(sourceKey(index, row.place)) ?? -1 } : row,
  );
}

function align(left: readonly number[], right: readonly number[], keyOf: (place: number) => string) {
  const leftKeys = left.map(keyOf);
  const rightKeys = right.map(keyOf);
  const inRight = new Set(rightKeys);
  const inLeft = new Set(leftKeys);
  const rows: DifferenceRow[] = [];
  const push = (kind: DifferenceRow["kind"], place: number | undefined): void =>
    void (place !== undefined && rows.push({ kind, place, before: -1 }));
  let [at, to] = [0, 0];
  while (at < left.length || to < right.length) {
    const leftKey = leftKeys[at] ?? "";
    const rightKey = rightKeys[to] ?? "";
    if (at < left.length && leftKey === rightKey) {
      push("same", right[to]);
      at++;
      to++;
    } else if (at < left.length && !inRight.has(leftKey)) push("removed", left[at++]);
    else if (to < right.length && !inLeft.has(rightKey)) push("added", right[to++]);
    else if (at < left.length) {
      // In both requests but in a different order: removed here, and added where the other request has it.
      inLeft.delete(leftKey);
      push("removed", left[at++]);
    } else push("added", right[to++]);
  }
  return rows;
}

/** Returns a key that blocks share when they show the same: what made them, from which messages, and which text. */
function blockKey({ blocks }: InspectionIndex, place: number): string {
  return [blocks.action, blocks.from, blocks.to, blocks.record, blocks.text, blocks.tokens]
    .map((column) => column[place])
    .join();
}

/** Returns a key that blocks share when they stand for the same messages. */
const sourceKey = ({ blocks }: InspectionIndex, place: number): string =>
  `${blocks.role[place]} ${blocks.from[place]} ${blocks.to[place]}`;
