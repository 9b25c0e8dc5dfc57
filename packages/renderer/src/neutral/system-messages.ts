import { type SystemEntry, type SystemText, toSystemText } from "@threadfold/core";

/** System texts as the messages that they stand in: each is one of its own, unless it continues the one before it. */
export function systemMessages(system: readonly SystemEntry[]): readonly (readonly SystemText[])[] {
  const messages: SystemText[][] = [];
  for (const entry of system) {
    const text = toSystemText(entry);
    const open = text.continues === true ? messages.at(-1) : undefined;
    if (open === undefined) messages.push([text]);
    else open.push(text);
  }
  return messages;
}
