import type { InspectionIndex } from "@threadfold/inspection/rows";

/** A block of a request, in short form. */
export type SmallBlock = readonly [
  action: "include" | "summarize" | "clear",
  from: number,
  to: number,
  record: number,
  tokens: number,
];

/** A call of a small index: the number of blocks it shares with the call before, and its own blocks. */
interface SmallCall {
  readonly shared: number;
  readonly own: readonly SmallBlock[];
  readonly messages: number;
  readonly plan: number;
}

type SmallRecord = Pick<InspectionIndex["records"][number], "action" | "fromPlan" | "toPlan" | "runs">;

/** Builds as much of an index as the page computes with, from hand-written rows. */
export function smallIndex(calls: readonly SmallCall[], records: readonly SmallRecord[] = []): InspectionIndex {
  const blocks = calls.flatMap(({ own }) => own);
  const messages = Math.max(0, ...calls.map((call) => call.messages));
  const firstBlock = calls.map((_, at) => calls.slice(0, at).reduce((sum, { own }) => sum + own.length, 0));
  const newest = Math.max(0, ...calls.map(({ plan }) => plan));
  const index = {
    thread: { id: "small", planVersion: newest, messages },
    blocks: {
      action: blocks.map(([action]) => action),
      role: blocks.map(() => "user"),
      from: blocks.map(([, from]) => from),
      to: blocks.map(([, , to]) => to),
      record: blocks.map(([, , , record]) => record),
      tokens: blocks.map(([, , , , tokens]) => tokens),
      text: blocks.map(() => -1),
    },
    calls: {
      at: calls.map((_, at) => at),
      shared: calls.map(({ shared }) => shared),
      firstBlock,
      messages: calls.map((call) => call.messages),
      planVersion: calls.map(({ plan }) => plan),
      limit: calls.map(() => 1_000),
    },
    messages: {
      id: Array.from({ length: messages }, (_, ordinal) => `m${ordinal}`),
      tokens: Array.from({ length: messages }, () => 10),
      firstCall: Array.from({ length: messages }, (_, ordinal) => calls.findIndex((call) => call.messages > ordinal)),
    },
    plans: Array.from({ length: newest }, (_, at) => ({ firstCall: calls.findIndex(({ plan }) => plan === at + 1) })),
    records: records.map((record) => ({
      ...record,
      shownTokens: record.action === "summarize" ? 5 : null,
      messages: 1,
    })),
  };
  return index as unknown as InspectionIndex;
}
