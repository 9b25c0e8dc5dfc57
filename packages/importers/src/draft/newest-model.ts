import type { MessageInput } from "@threadfold/core";

/** The model of the newest assistant message on the main branch that names one. */
export function newestModel(messages: readonly MessageInput[]): string | undefined {
  return messages.findLast((message) => message.model !== undefined && message.branch === undefined)?.model;
}
