import {
  AgentThread,
  applySummaryChanges,
  asMessageId,
  asThreadId,
  asToolCallId,
  finishSteps,
  type JsonValue,
  lastTurnAfter,
  type Message,
  type MessageInput,
  type MessageOrigin,
  type Part,
  renderSummary,
  type StructuredSummary,
  type SummarizeRequest,
  type SummarizeResult,
  spanOf,
  type ToolOutcomeStatus,
} from "@threadfold/core";
import { summarizeSpan } from "../extractive/summarize-span.ts";

/** Builds a conversation step by step, for tests that read like the conversation. */
export class Conversation {
  readonly #inputs: MessageInput[] = [];
  #calls = 0;

  user(text: string, origin?: MessageOrigin): this {
    return this.#push("user", [{ type: "text", text }], origin);
  }

  /** Adds a user message of several texts. */
  userParts(...texts: readonly string[]): this {
    return this.#push(
      "user",
      texts.map((text) => ({ type: "text", text })),
    );
  }

  system(text: string): this {
    return this.#push("system", [{ type: "text", text }]);
  }

  agent(text: string): this {
    return this.#push("assistant", [{ type: "text", text }]);
  }

  /** Adds a call and its result as two messages. */
  tool(toolName: string, input: JsonValue, output: string | JsonValue, outcome: ToolOutcomeStatus = "success"): this {
    const callId = asToolCallId(`call-${++this.#calls}`);
    this.#push("assistant", [{ type: "tool-call", callId, toolName, input }]);
    const content =
      typeof output === "string"
        ? ({ type: "text", text: output } as const)
        : ({ type: "json", value: output } as const);
    return this.#push("tool", [{ type: "tool-result", result: { toolName, callId, outcome, content } }]);
  }

  bash(command: string, output: string, exitCode = 0): this {
    return this.tool("bash", { command }, `${output}\nexit code: ${exitCode}`, exitCode === 0 ? "success" : "failure");
  }

  get thread(): AgentThread {
    return AgentThread.empty(asThreadId("conversation")).append(this.#inputs);
  }

  get messages(): readonly Message[] {
    return [...this.thread.messages];
  }

  #push(role: MessageInput["role"], parts: readonly Part[], origin?: MessageOrigin): this {
    const id = asMessageId(`m${this.#inputs.length + 1}`);
    this.#inputs.push({
      id,
      role,
      parts,
      createdAt: "2025-01-01T00:00:00.000Z",
      ...(origin !== undefined && { origin }),
    });
    return this;
  }
}

export const countTokens = (text: string): number => Math.ceil(text.length / 4);

/** Returns a request to summarize messages, with enough room for small conversations. */
export function requestFor(messages: readonly Message[], more: Partial<SummarizeRequest> = {}): SummarizeRequest {
  return { span: spanOf(messages), messages, previous: null, pins: [], maxTokens: 2_000, countTokens, ...more };
}

/** Returns what a summary without a model changes, all at once. */
export const summarizedNow = (request: SummarizeRequest): SummarizeResult => finishSteps(summarizeSpan(request));

/** Returns the extractive summary of a conversation, and its text. */
export function summaryOf(
  conversation: Conversation | readonly Message[],
  more: Partial<SummarizeRequest> = {},
): { readonly summary: StructuredSummary; readonly text: string } {
  const messages = conversation instanceof Conversation ? conversation.messages : conversation;
  const request = requestFor(messages, more);
  const { changes } = summarizedNow(request);
  const { summary } = applySummaryChanges(request.previous, request.span, changes);
  return { summary, text: renderSummary(summary) };
}

/** Folds a conversation repeatedly and returns the summary at each border, given as a number of messages. */
export function foldAt(
  conversation: Conversation,
  borders: readonly number[],
  more: Partial<SummarizeRequest> = {},
): readonly StructuredSummary[] {
  const { thread } = conversation;
  const summaries: StructuredSummary[] = [];
  let start = 0;
  for (const border of borders) {
    const messages = thread.messagesBetween(start, border);
    const last = messages.at(-1);
    if (last === undefined) continue;
    const lastTurn = lastTurnAfter(thread, last.id);
    const previous = summaries.at(-1) ?? null;
    summaries.push(summaryOf(messages, { previous, ...(lastTurn !== undefined && { lastTurn }), ...more }).summary);
    start = border;
  }
  return summaries;
}
