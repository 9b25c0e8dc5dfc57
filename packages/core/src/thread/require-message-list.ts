import { ThreadfoldError } from "../errors/threadfold-error.ts";
import type { MessageInput } from "../model/message.ts";

/** Lets a list of messages pass, whatever they are. @throws ThreadfoldError `INVALID_MESSAGE` for anything else. */
export function requireMessageList(messages: readonly MessageInput[]): void {
  if (Array.isArray(messages)) return;
  const found = messages === null ? "null" : `a value of type ${typeof messages}`;
  throw new ThreadfoldError("INVALID_MESSAGE", `Messages are appended as a list; this is ${found}.`, {
    hint: "Put a single message into brackets: `append([message])`.",
  });
}
