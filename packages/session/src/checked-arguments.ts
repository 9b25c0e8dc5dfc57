import type { ThreadId } from "@threadfold/core";
import type { ModelResponse } from "./answer/complete-response.ts";
import { has, refuseArgument } from "./refuse-argument.ts";
import type { RequestFrame } from "./request/request-frame.ts";
import type { ModelTarget } from "./request/request-scene.ts";

// What callers in JavaScript hand in is looked at where it comes in: further inside it would break far from its cause.

/** @throws ThreadfoldError `INVALID_CONFIG` for a frame without its lists. */
export function checkFrame(frame: RequestFrame | undefined): void {
  if (frame !== undefined && !(has(frame, "system") && Array.isArray(frame.system) && Array.isArray(frame.tools)))
    refuseArgument(
      "frame",
      "system and tools have to be lists.",
      "Without tools, hand in { system: [text], tools: [] }.",
    );
}

/** @throws ThreadfoldError `INVALID_CONFIG` for what is no response in the session's own words. */
export function checkResponse(response: ModelResponse): void {
  if (has(response, "messages") && Array.isArray(response.messages)) return;
  const hint = "Hand in { messages: [message], usage }. An answer of the Anthropic SDK is read with fromAnthropic.";
  refuseArgument("response", "messages has to be a list.", hint);
}

/** @throws ThreadfoldError `INVALID_CONFIG` for a target that is no object. */
export function checkTarget(target: ModelTarget): void {
  if (typeof target !== "object" || target === null)
    refuseArgument("target", "it has to be an object.", "Hand in { model, maxInputTokens }, or {} for the same model.");
}

/** @throws ThreadfoldError `INVALID_CONFIG` for the id of a new thread that is none. */
export function checkNewThread(threadId: ThreadId | undefined): void {
  if (typeof threadId !== "string" || threadId === "")
    refuseArgument("threadId", "it has to be a text.", "Name the new thread by an id that no thread has yet.");
}
