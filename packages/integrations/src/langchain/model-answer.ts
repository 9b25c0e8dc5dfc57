import { asMessageId, asToolCallId, type MessageInput, type ToolCallId } from "@threadfold/core";
import { discardTruncatedCalls } from "@threadfold/renderer";
import { type StopReason, stopReasonOf, type UsageReport } from "@threadfold/session";
import { AIMessage } from "langchain";

type Metadata = Readonly<Record<string, unknown>>;

/** Why an answer ended, in whichever provider's word it came. */
export function answerStop({ response_metadata, additional_kwargs }: AIMessage): StopReason {
  const told: Metadata = { ...additional_kwargs, ...response_metadata };
  const incomplete = told["incomplete_details"] as Metadata | null | undefined;
  const word = told["stop_reason"] ?? told["finish_reason"] ?? told["stopReason"] ?? incomplete?.["reason"];
  return stopReasonOf(typeof word === "string" ? word : undefined);
}

/** What the provider reported of the request; undefined when it said nothing. */
export function answerUsage(message: AIMessage): UsageReport | undefined {
  const { usage_metadata: usage } = message;
  if (usage === undefined) return undefined;
  const { cache_read, cache_creation } = usage.input_token_details ?? {};
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    ...(cache_read !== undefined && { cacheReadTokens: cache_read }),
    ...(cache_creation !== undefined && { cacheWriteTokens: cache_creation }),
    stopReason: answerStop(message),
  };
}

/** The calls of an answer that the output limit cut off: they must not be run. */
export function cutOffCalls(message: AIMessage): ReadonlySet<ToolCallId> {
  const invalid = new Set(message.invalid_tool_calls ?? []);
  const parts = [...(message.tool_calls ?? []), ...invalid].map(({ id = "", name = "", args = {} }) => ({
    type: "tool-call" as const,
    callId: asToolCallId(id),
    toolName: name,
    input: {},
    ...(typeof args === "string" && { invalidInput: args }),
  }));
  const asked: MessageInput = { id: asMessageId("answer"), role: "assistant", parts, createdAt: "" };
  return new Set(discardTruncatedCalls(asked, answerStop(message)).discarded.map(({ callId }) => callId));
}

/** The answer without some of its calls, wherever LangChain keeps them. */
export function withoutCalls(message: AIMessage, gone: ReadonlySet<string>): AIMessage {
  if (gone.size === 0) return message;
  const stays = (call: unknown): boolean => !gone.has(`${(call as { readonly id?: unknown } | null)?.id}`);
  const { tool_calls: raw, ...kwargs } = message.additional_kwargs;
  return new AIMessage({
    ...message,
    content: typeof message.content === "string" ? message.content : message.content.filter(stays),
    tool_calls: message.tool_calls?.filter(stays) ?? [],
    invalid_tool_calls: message.invalid_tool_calls?.filter(stays) ?? [],
    additional_kwargs: { ...kwargs, ...(raw?.some(stays) === true && { tool_calls: raw.filter(stays) }) },
  });
}
