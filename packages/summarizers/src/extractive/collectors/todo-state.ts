import { isUnsettled, type MessageId, type OpenItem } from "@threadfold/core";
import type { Candidate } from "../selection/candidate.ts";
import type { HarvestContext } from "../span-collector.ts";

const FORGOTTEN = "its turn ended without another word on it";
/** How a task that has a number is told; by the number later folds know it again. */
const NUMBERED = /^task (\S+?)(?:,|:|$)/;

/** The state that a to-do tool's own word names; undefined when it names none. */
export function statusOf(state: string): OpenItem["status"] | undefined {
  if (/^(?:done|complete|finish|closed|resolved)/i.test(state)) return "done";
  if (/^(?:cancel|skip|abandon|dropped|deleted)/i.test(state)) return "cancelled";
  return state === "" ? undefined : "open";
}

/** Where something follows the span, what became of an unfinished item stands there. */
export const stateAtEnd = (status: OpenItem["status"], lastTurn: HarvestContext["lastTurn"]): OpenItem["status"] =>
  status === "open" && lastTurn !== undefined ? "asked" : status;

/** The number that a tool gave a task; undefined for the items of lists. */
export const taskNumber = ({ context }: OpenItem): string | undefined => NUMBERED.exec(context)?.[1];

/** What nobody wrote of again once its turn was over is no work any more. */
export function forgotten(before: readonly OpenItem[], { messages }: HarvestContext): readonly Candidate[] {
  const now = messages.at(-1)?.turn ?? 0;
  return before
    .filter((item) => isUnsettled(item) && item.turn !== undefined && now > item.turn + 1)
    .map((item) => lapsed(item, `${(item.context.split(",")[0] as string).trim()}: ${FORGOTTEN}`, []));
}

/** An item that lapses, with the reason. */
export function lapsed({ id, ...item }: OpenItem, context: string, places: readonly MessageId[]): Candidate {
  const sources = [...new Set([...item.sources, ...places])];
  return {
    section: "openItems",
    item: { ...item, status: "lapsed", priority: "medium", context, sources },
    worth: 0,
    supersedes: id,
  };
}
