import type { ChatMessage, JsonValue } from "@threadfold/core";
import type { GeminiContent, GeminiPart } from "../wire-types.ts";
import { lowerPart } from "./part.ts";

interface OpenContent extends GeminiContent {
  readonly isResponse: boolean;
  readonly parts: (GeminiPart | JsonValue)[];
}

/**
 * Lowers messages, joining what one side says without a break: a turn of calls comes directly behind a turn of the user,
 * and all responses to it are one turn that holds nothing else (W14). More of a turn only adds to its end.
 */
export function lowerContents(messages: readonly ChatMessage[]): readonly GeminiContent[] {
  const contents: OpenContent[] = [];
  let caller: ChatMessage | undefined;
  for (const message of messages) {
    if (message.role === "assistant") caller = message;
    const role = message.role === "assistant" ? "model" : "user";
    const isResponse = message.role === "tool";
    const last = contents.at(-1);
    const open =
      last?.role === role && last.isResponse === isResponse
        ? last
        : { role, isResponse, parts: [] as OpenContent["parts"] };
    if (open !== last) contents.push(open as OpenContent);
    for (const part of message.parts) open.parts.push(lowerPart(part, message, caller));
  }
  return contents.map(({ role, parts }) => ({ role, parts }));
}
