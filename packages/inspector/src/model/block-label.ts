import type { InspectionIndex } from "@threadfold/inspection/rows";
import { count } from "../format/figures.ts";

/**
 * Returns the label of a request's block in a list: the beginning of its message, or what it is and of how many items.
 */
export function blockLabel(index: InspectionIndex, place: number): string {
  const { blocks, messages, records } = index;
  const from = blocks.from[place] ?? -1;
  const record = records[blocks.record[place] ?? -1];
  const action = blocks.action[place];
  if (action === "wrapping") return "What the provider wraps around a request";
  if (action === "opening") return "A user message added so that the request begins with one";
  if (action === "system") return "System text";
  if (action === "tools") return `Definitions of ${count(toolsDefinedIn(index, place), "tool")}`;
  if (action === "pins") return "Standing instructions";
  if (record !== undefined && record.messages > 1)
    return `${LABELS[record.action] ?? record.action} ${count(record.messages, "message")}`;
  if (from >= 0) return messages.title[from] || messageName(index, from);
  return action === undefined ? "" : action.replaceAll("-", " ");
}

/** Calls that share a block have the same tools as the one that it belongs to. */
function toolsDefinedIn({ calls, frames }: InspectionIndex, place: number): number {
  const call = calls.firstBlock.findLastIndex((first) => first <= place);
  return frames[calls.frame[call] ?? -1]?.tools.length ?? 0;
}

const LABELS: Readonly<Record<string, string>> = {
  summarize: "Summary of",
  externalize: "Pointer to",
  clear: "Cleared:",
  drop: "A note in place of",
};

/** Returns the name of a message without its text: its role and its tools. */
export function messageName(index: InspectionIndex, ordinal: number): string {
  const tools = toolsOf(index, ordinal);
  return [index.messages.role[ordinal], ...tools].join(" ");
}

/** Returns the names of the tools that a message calls or has results of. */
export const toolsOf = ({ messages, tools }: InspectionIndex, ordinal: number): readonly string[] =>
  (messages.tools[ordinal] ?? []).map((place) => tools[place] ?? "");
