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
  if (action === "tools") return `Definitions of ${count(index.frames.at(-1)?.tools.length ?? 0, "tool")}`;
  if (action === "pins") return count(index.pins.length, "standing instruction");
  if (record !== undefined && record.messages > 1)
    return `${LABELS[record.action] ?? record.action} ${count(record.messages, "message")}`;
  if (from >= 0) return messages.title[from] || messageName(index, from);
  return action === undefined ? "" : action.replaceAll("-", " ");
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
