import type { ThreadId } from "@threadfold/core";
import type { ModelResponse } from "./answer/complete-response.ts";
import type { CompactOptions } from "./fold/compact-options.ts";
import { has, refuseArgument, refuseUnknownOptions } from "./refuse-argument.ts";
import type { OverBudget, PrepareOptions } from "./request/prepare-options.ts";
import type { FrameFields } from "./request/request-frame.ts";
import type { ModelTarget } from "./request/request-scene.ts";

// What callers in JavaScript hand in is looked at where it comes in: further inside it would break far from its cause.

/** @throws ThreadfoldError `INVALID_CONFIG` for a frame that is no object, or whose fields are not of their kind. */
export function checkFrame(frame: FrameFields | undefined): void {
  if (frame === undefined) return;
  const isList = (field: unknown) => field === undefined || Array.isArray(field);
  if (!isPlainObject(frame) || !isList(frame.system) || !isList(frame.tools))
    refuseArgument("frame", "system and tools have to be lists.", "Without tools, hand in { system: [text] }.");
  if (frame.host !== undefined && !isPlainObject(frame.host))
    refuseArgument(
      "frame.host",
      "it has to be an object.",
      "Hand in what the body of the request holds beside the payload: { thinking, toolChoice }.",
    );
}

const isPlainObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const COMPACT_OPTIONS = [
  "frame",
  "force",
  "instructions",
  "signal",
] as const satisfies readonly (keyof CompactOptions)[];

/** @throws ThreadfoldError `INVALID_CONFIG` for options that `compact` does not have, or a frame without its lists. */
export function checkCompactOptions(options: CompactOptions): void {
  refuseUnknownOptions(options, COMPACT_OPTIONS);
  checkFrame(options.frame);
}

const PREPARE_OPTIONS = ["frame", "signal", "onOverBudget"] as const satisfies readonly (keyof PrepareOptions)[];
const OVER_BUDGET: readonly OverBudget[] = ["barest", "throw", "send"];

/** @throws ThreadfoldError `INVALID_CONFIG` for options that `prepare` does not have, or values that are none. */
export function checkPrepareOptions(options: PrepareOptions): void {
  refuseUnknownOptions(options, PREPARE_OPTIONS);
  checkFrame(options.frame);
  checkOverBudget(options.onOverBudget);
}

/** @throws ThreadfoldError `INVALID_CONFIG` for a word that is none of the known ones. */
export function checkOverBudget(choice: OverBudget | undefined): void {
  if (choice === undefined || OVER_BUDGET.includes(choice)) return;
  refuseArgument("onOverBudget", `it has to be one of ${OVER_BUDGET.join(", ")}.`);
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
