import { type Message, toChatMessage } from "@threadfold/core";
import type { Draft } from "./draft.ts";

/** A message of the thread as it stands. */
export function keptMessage(message: Message): Draft {
  return {
    chat: toChatMessage(message),
    action: "include",
    share: "kept",
    record: null,
    message,
    ordinal: message.ordinal,
  };
}
