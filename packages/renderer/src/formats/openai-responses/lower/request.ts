import type { ChatMessage, ChatRequest, JsonValue } from "@threadfold/core";
import type { ResponsesItem, ResponsesRequest } from "../wire-types.ts";
import { lowerMessage } from "./message.ts";
import { lowerSystem } from "./system.ts";
import { lowerTool } from "./tool.ts";

/**
 * System texts are the instructions, up to the first that is sent under a role of its own: from there on they are items.
 * Nothing is stored: every request carries its whole window, reasoning encrypted.
 */
export function lowerRequest({ system, tools, messages }: ChatRequest): ResponsesRequest {
  const { instructions, items } = lowerSystem(system);
  return {
    ...(instructions !== undefined && { instructions }),
    input: [...items, ...lowerInput(messages)],
    ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
    store: false,
  };
}

function lowerInput(messages: readonly ChatMessage[]): readonly (ResponsesItem | JsonValue)[] {
  const takenIds = new Set<string>();
  let caller: ChatMessage | undefined;
  return messages.flatMap((message) => {
    if (message.role === "assistant") caller = message;
    const items = lowerMessage(message, { caller, takenIds });
    for (const item of items) {
      const { id } = Object(item) as { readonly id?: unknown };
      if (typeof id === "string") takenIds.add(id);
    }
    return items;
  });
}
