import { callBlocks, type InspectionIndex, type RecordRow } from "@threadfold/inspection/rows";

/** What a request did with a message: its plan's action, `include`, or `absent` if neither plan nor request has it. */
export type MessageAction = RecordRow["action"] | "include" | "absent";

/** What a request did with every message that the thread had. */
export interface MessagesAt {
  /** Number of messages that the thread had. */
  readonly length: number;
  actionOf(ordinal: number): MessageAction;
  /** Returns the place of the record that covers the message; -1 for none. */
  recordOf(ordinal: number): number;
  /** Returns the position in the request of the block that shows the message or stands for it; -1 for none. */
  positionOf(ordinal: number): number;
}

/** Returns what the request of a call did with every message. */
export function messagesAt(index: InspectionIndex, call: number): MessagesAt {
  const length = index.calls.messages[call] ?? index.messages.id.length;
  const record = new Int32Array(length).fill(-1);
  const position = new Int32Array(length).fill(-1);
  const plan = index.calls.planVersion[call] ?? 0;
  for (const place of recordsOf(index, plan)) {
    for (const ordinal of ordinalsOf(index.records[place])) if (ordinal < length) record[ordinal] = place;
  }
  callBlocks(index, call).forEach((place, at) => {
    const from = index.blocks.from[place] ?? -1;
    const holder = index.blocks.record[place] ?? -1;
    const shown = holder === -1 ? (from === -1 ? [] : [from]) : ordinalsOf(index.records[holder]);
    for (const ordinal of shown)
      if (ordinal < length && (holder === -1 || ordinal === from || position[ordinal] === -1)) position[ordinal] = at;
  });
  return {
    length,
    recordOf: (ordinal) => record[ordinal] ?? -1,
    positionOf: (ordinal) => position[ordinal] ?? -1,
    actionOf: (ordinal) =>
      index.records[record[ordinal] ?? -1]?.action ?? ((position[ordinal] ?? -1) >= 0 ? "include" : "absent"),
  };
}

/** Returns the places of the records that are part of a plan. */
export const recordsOf = ({ records }: Pick<InspectionIndex, "records">, plan: number): readonly number[] =>
  records.flatMap(({ fromPlan, toPlan }, place) => (fromPlan <= plan && plan <= toPlan ? [place] : []));

/** Returns the ordinals that a record covers, ascending. */
function ordinalsOf(record: Pick<RecordRow, "runs"> | undefined): readonly number[] {
  const { runs } = record ?? { runs: [] };
  const ordinals: number[] = [];
  for (let at = 0; at < runs.length; at += 2) {
    for (let ordinal = runs[at] ?? 0; ordinal <= (runs[at + 1] ?? -1); ordinal++) ordinals.push(ordinal);
  }
  return ordinals;
}

/** Checks whether a record covers a message. */
export function holds({ runs }: Pick<RecordRow, "runs">, ordinal: number): boolean {
  for (let at = 0; at < runs.length; at += 2)
    if ((runs[at] ?? 0) <= ordinal && ordinal <= (runs[at + 1] ?? -1)) return true;
  return false;
}
