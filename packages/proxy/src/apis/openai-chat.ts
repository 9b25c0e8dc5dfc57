import { liveFrame } from "@threadfold/importers";
import { fromOpenaiChat } from "@threadfold/integrations/openai";
import type { ProviderApi, StreamedAnswer, WireObject } from "./provider-api.ts";
import { hostFields, listOf, objectOf, openedList, systemEntries, textOf } from "./wire-value.ts";

/** OpenAI's Chat Completions API, and the many providers that are compatible with it. */
export const openaiChat: ProviderApi = {
  provider: "openai",
  path: "/chat/completions",
  format: "openai-chat",
  conversationOf({ messages }) {
    const list = listOf(messages);
    return list && openedList(list).conversation;
  },
  frameOf: ({ body }) => ({
    ...liveFrame("openai-chat", body),
    system: systemEntries(systemOf(body)),
    ...hostFields({ toolChoice: body["tool_choice"], responseFormat: body["response_format"] }),
  }),
  withConversation(body, { messages }) {
    const system = systemOf(body);
    return { ...body, messages: [...system, ...(listOf(messages) ?? []).slice(systemEntries(system).length)] };
  },
  streamedAnswer: () => new StreamedCompletion(),
  answerOf(whole) {
    const message = objectOf(objectOf(listOf(whole["choices"])?.[0])?.["message"]);
    if (message === undefined) return undefined;
    const { usage, stopReason } = fromOpenaiChat(whole as unknown as Parameters<typeof fromOpenaiChat>[0]);
    return {
      values: [message],
      report: { ...(usage !== undefined && { usage }), ...(stopReason !== undefined && { stopReason }) },
    };
  },
  tooLong: (required, budget, why) => openaiTooLong("messages", required, budget, why),
};

const systemOf = ({ messages }: WireObject): readonly unknown[] => openedList(listOf(messages) ?? []).system;

/** Returns a refusal in the form in which OpenAI refuses a request that is too long. */
export const openaiTooLong = (param: string, required: number, budget: number, why: string) => ({
  status: 400,
  body: {
    error: {
      message: `This model's maximum context length is ${budget} tokens. However, your messages resulted in ${required} tokens. ${why}`,
      type: "invalid_request_error",
      param,
      code: "context_length_exceeded",
    },
  },
});

/** Assembles a completion from its chunks. If there are several choices, only the first is read. */
class StreamedCompletion implements StreamedAnswer {
  #head: WireObject = {};
  readonly #message: Record<string, unknown> = { role: "assistant", content: null };
  readonly #calls: Record<string, unknown>[] = [];
  #reason: unknown = null;
  #usage: unknown;

  add({ choices, usage, ...head }: WireObject): void {
    this.#head = { ...head, ...this.#head };
    if (usage !== undefined && usage !== null) this.#usage = usage;
    const choice = (listOf(choices) ?? []).map(objectOf).find((one) => one?.["index"] === 0);
    if (choice === undefined) return;
    const { tool_calls: calls, role: _role, ...delta } = objectOf(choice["delta"]) ?? {};
    for (const [field, value] of Object.entries(delta)) grow(this.#message, field, value);
    for (const call of listOf(calls) ?? []) this.#extendCall(objectOf(call) ?? {});
    this.#reason = choice["finish_reason"] ?? this.#reason;
  }

  whole(): WireObject | undefined {
    if (this.#reason === null) return undefined;
    const message = { ...this.#message, ...(this.#calls.length > 0 && { tool_calls: this.#calls }) };
    const choices = [{ index: 0, message, finish_reason: this.#reason }];
    return { ...this.#head, choices, ...(this.#usage !== undefined && { usage: this.#usage }) };
  }

  #extendCall({ index, ...fields }: WireObject): void {
    const place = Number(index ?? 0);
    const call = this.#calls[place] ?? {};
    this.#calls[place] = call;
    for (const [field, value] of Object.entries(fields)) {
      const pieces = objectOf(value);
      if (pieces !== undefined) call[field] = grown(objectOf(call[field]) ?? {}, pieces);
      // Some servers repeat an id, or send it empty after the first piece.
      else if (value !== null && value !== "") call[field] = value;
    }
  }
}

/** Returns fields with the next piece of each. */
function grown(target: WireObject, pieces: WireObject): WireObject {
  const fields = { ...target };
  for (const [field, value] of Object.entries(pieces)) grow(fields, field, value);
  return fields;
}

/** Texts and lists grow piece by piece; other values are replaced, and null is ignored. */
function grow(target: Record<string, unknown>, field: string, value: unknown): void {
  if (value === null || value === undefined) return;
  if (typeof value === "string") target[field] = textOf(target[field]) + value;
  else target[field] = Array.isArray(value) ? [...(listOf(target[field]) ?? []), ...value] : value;
}
