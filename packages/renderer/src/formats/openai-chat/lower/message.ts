import type { ChatMessage, JsonObject } from "@threadfold/core";
import { lowerAssistant } from "./assistant-message.ts";
import { lowerResult } from "./tool-message.ts";
import { lowerSpeech } from "./user-message.ts";

/** One message is one message. */
export function lowerMessage(message: ChatMessage): JsonObject {
  switch (message.role) {
    case "assistant":
      return lowerAssistant(message);
    case "tool":
      return lowerResult(message);
    case "user":
    case "system":
      return lowerSpeech(message);
  }
}
