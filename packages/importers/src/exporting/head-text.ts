import { type ChatMessage, visibleText } from "@threadfold/core";

/** The head of a window as the text of one summary. What is kept word for word says whose words they are. */
export const headText = (head: readonly ChatMessage[]): string => head.map(textOf).join("\n\n");

function textOf({ role, parts, synthetic }: ChatMessage): string {
  const text = visibleText({ parts });
  return synthetic === undefined ? `[${role}, word for word]\n${text}` : text;
}
