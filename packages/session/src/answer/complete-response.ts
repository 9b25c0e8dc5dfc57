import type { Message, MessageInput, Part } from "@threadfold/core";
import { discardTruncatedCalls } from "@threadfold/renderer";
import type { StopReason } from "./stop-reason.ts";
import type { UsageReport } from "./usage-state.ts";

/** A call of a tool as it stands in an assistant message. */
export type ToolCall = Extract<Part, { readonly type: "tool-call" }>;

/** What the model answered to the newest request. */
export interface ModelResponse {
  /** The assistant message, with whatever a host already has behind it, such as the results of calls that its SDK ran. */
  readonly messages: readonly MessageInput[];
  /** What the provider reported of the request. */
  readonly usage?: Omit<UsageReport, "stopReason">;
  /** `end` when it is left out. `stopReasonOf` reads a provider's own word. */
  readonly stopReason?: StopReason;
}

/** What became of a response. */
export interface CompletedResponse {
  /** The messages as they stand in the thread now, those included that were there already. */
  readonly appended: readonly Message[];
  /** Calls that the output limit cut off. They are not in the thread and must not be run. */
  readonly discarded: readonly ToolCall[];
  /**
   * True after an answer that was cut off at the output limit, when the next `prepare` will fold for it: prepare and ask
   * again. False when a fold cannot help or has been tried: an agent stops here (seed 000).
   */
  readonly retry: boolean;
}

/** The messages of a response without the call that the output limit cut off, and without what stands behind it as its result. */
export function withoutTruncatedCalls({ messages, stopReason }: ModelResponse): {
  readonly messages: readonly MessageInput[];
  readonly discarded: readonly ToolCall[];
} {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const answer = messages[last];
  if (stopReason !== "max-output" || answer === undefined) return { messages, discarded: [] };
  const { message, discarded } = discardTruncatedCalls(answer, stopReason);
  if (discarded.length === 0) return { messages, discarded };
  const gone = new Set(discarded.map(({ callId }) => callId));
  const behind = messages.slice(last + 1).filter((next) => !answersAny(next, gone));
  return { messages: [...messages.slice(0, last), ...(message === null ? [] : [message]), ...behind], discarded };
}

const answersAny = ({ parts }: MessageInput, calls: ReadonlySet<ToolCall["callId"]>): boolean =>
  parts.some((part) => part.type === "tool-result" && calls.has(part.result.callId));
