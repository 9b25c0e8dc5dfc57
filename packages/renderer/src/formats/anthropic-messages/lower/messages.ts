import type { ChatMessage, JsonObject, JsonValue, Role } from "@threadfold/core";
import { lowerPart } from "./part.ts";

/** Results travel in user messages. */
export const wireRole = (role: Role): string => (role === "tool" ? "user" : role);

/**
 * Lowers messages, joining those of one role that follow each other: the results of a batch and what the user says next
 * are one message, results first. Content is always a list of blocks, so that more of it only adds to the end.
 */
export function lowerMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const lowered: { readonly role: string; readonly content: JsonValue[] }[] = [];
  for (const { role, parts } of messages) {
    const open = lowered.at(-1);
    const target = open?.role === wireRole(role) ? open : { role: wireRole(role), content: [] };
    if (target !== open) lowered.push(target);
    for (const part of parts) target.content.push(lowerPart(part));
  }
  return lowered;
}
