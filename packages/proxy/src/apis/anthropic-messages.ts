import { liveFrame } from "@threadfold/importers";
import { fromAnthropic } from "@threadfold/integrations/anthropic";
import type { ProviderApi, RequestHead, StreamedAnswer, WireObject } from "./provider-api.ts";
import { cacheMarksIn, hostFields, listOf, objectOf, parsedObject, textOf } from "./wire-value.ts";

/** Anthropic's Messages API. */
export const anthropicMessages: ProviderApi = {
  provider: "anthropic",
  path: "/v1/messages",
  format: "anthropic-messages",
  conversationOf(body) {
    const messages = listOf(body["messages"]);
    return messages && openingOf(messages).conversation;
  },
  frameOf: ({ body, headers }) => ({
    ...liveFrame("anthropic-messages", { ...body, system: [...blocksOf(body["system"]), ...remindersIn(body)] }),
    ...hostFields({
      thinking: body["thinking"],
      toolChoice: body["tool_choice"],
      responseFormat: objectOf(body["output_config"])?.["format"],
      betas: betasOf(headers),
      contextManagement: body["context_management"],
      systemInside: (listOf(body["messages"]) ?? []).some((message) => objectOf(message)?.["role"] === "system"),
    }),
  }),
  // Tools come back with the cache marks that the request may have in addition to those on its messages.
  withConversation({ cache_control: automatic, ...body }, { messages, system, tools }) {
    const entries = listOf(system) ?? [];
    const own = entries.length - remindersIn(body).length;
    const folded = {
      ...body,
      messages: withReminders(listOf(messages) ?? [], entries.slice(own)),
      ...(own > 0 && { system: entries.slice(0, own) }),
      ...(tools !== undefined && { tools }),
    };
    return automatic === undefined || !hasPlaceForMark(folded) ? folded : { ...folded, cache_control: automatic };
  },
  streamedAnswer: () => new StreamedMessage(),
  answerOf(whole) {
    if (whole["type"] !== "message" || listOf(whole["content"]) === undefined) return undefined;
    const { role, content } = whole;
    const { usage, stopReason } = fromAnthropic(whole as unknown as Parameters<typeof fromAnthropic>[0]);
    return {
      values: [{ role, content }],
      report: { ...(usage !== undefined && { usage }), ...(stopReason !== undefined && { stopReason }) },
    };
  },
  tooLong: (required, budget, why) => ({
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: `prompt is too long: ${required} tokens > ${budget} maximum. ${why}`,
      },
    },
  }),
};

/** The reminders that a conversation begins with, and the conversation without them. */
interface Opening {
  readonly reminders: readonly unknown[];
  readonly conversation: readonly unknown[];
}

/**
 * Splits off the reminders in front of the user's first words. They are not part of the conversation, because agents
 * such as Claude Code write them anew for each request, for instance with the date. Where nothing else is said, they
 * are.
 */
function openingOf(messages: readonly unknown[]): Opening {
  for (const [index, message] of messages.entries()) {
    const blocks = objectOf(message)?.["role"] === "user" ? contentOf(message) : [];
    const end = blocks.findIndex((block) => !isReminder(block));
    if (end >= 0) {
      const said = end === 0 ? message : { ...objectOf(message), content: blocks.slice(end) };
      const reminders = [...messages.slice(0, index).flatMap(contentOf), ...blocks.slice(0, end)];
      return { reminders, conversation: [said, ...messages.slice(index + 1)] };
    }
    if (blocks.length === 0) break;
  }
  return { reminders: [], conversation: messages };
}

const remindersIn = ({ messages }: WireObject): readonly unknown[] => openingOf(listOf(messages) ?? []).reminders;

/** Returns content as blocks, which it need not be written as. */
const blocksOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (listOf(content) ?? []);

const contentOf = (message: unknown): readonly unknown[] => blocksOf(objectOf(message)?.["content"]);

/** Checks for a text with nothing in it but what an agent tells the model in the user's name. */
function isReminder(block: unknown): boolean {
  const { type, text } = objectOf(block) ?? {};
  const pieces = type === "text" ? textOf(text).split("</system-reminder>") : [];
  const rest = pieces.pop();
  return pieces.length > 0 && rest?.trim() === "" && pieces.every((piece) => /^\s*<system-reminder>/.test(piece));
}

const isResult = (block: unknown): boolean => objectOf(block)?.["type"] === "tool_result";

/** Puts reminders in front of what the user says first; results stay before everything else. */
function withReminders(messages: readonly unknown[], reminders: readonly unknown[]): readonly unknown[] {
  if (reminders.length === 0) return messages;
  const at = messages.findIndex((message) => objectOf(message)?.["role"] === "user");
  return messages.map((message, index) => {
    if (index !== at) return message;
    const results = contentOf(message).filter(isResult);
    const said = contentOf(message).filter((block) => !isResult(block));
    return { ...objectOf(message), content: [...results, ...reminders, ...said] };
  });
}

const MOST_MARKS = 4;

/**
 * Checks whether the API may mark the end of a request itself, as a client asks with a top-level `cache_control`: that
 * mark counts as one of four, and is not needed when the last block has one.
 */
function hasPlaceForMark(body: WireObject): boolean {
  const last = listOf(objectOf(listOf(body["messages"])?.at(-1))?.["content"])?.at(-1);
  const marks = [body["system"], body["tools"], body["messages"]].flatMap(cacheMarksIn);
  return marks.length < MOST_MARKS && cacheMarksIn(last).length === 0;
}

const betasOf = (headers: RequestHead["headers"]): readonly string[] =>
  [headers["anthropic-beta"] ?? []].flat().flatMap((names) => names.split(",").map((name) => name.trim()));

/** Assembles a message from its stream, block by block. */
class StreamedMessage implements StreamedAnswer {
  #message: WireObject | undefined;
  readonly #blocks: Record<string, unknown>[] = [];
  /** The input of each call, which arrives in pieces of JSON. */
  readonly #inputs = new Map<number, string>();
  #isWhole = false;

  add(event: WireObject): void {
    const index = Number(event["index"]);
    switch (event["type"]) {
      case "message_start":
        this.#message = objectOf(event["message"]);
        break;
      case "content_block_start":
        this.#blocks[index] = { ...objectOf(event["content_block"]) };
        break;
      case "content_block_delta":
        this.#extend(index, objectOf(event["delta"]) ?? {});
        break;
      case "message_delta":
        this.#end(event);
        break;
      case "message_stop":
        this.#isWhole = true;
        break;
    }
  }

  whole(): WireObject | undefined {
    if (!this.#isWhole || this.#message === undefined) return undefined;
    const content = this.#blocks.map((block, index) => {
      const input = this.#inputs.get(index);
      return input === undefined ? block : { ...block, input: parsedObject(input) ?? {} };
    });
    return { ...this.#message, content };
  }

  #extend(index: number, delta: WireObject): void {
    const block = this.#blocks[index];
    if (block === undefined) return;
    if (delta["type"] === "input_json_delta")
      this.#inputs.set(index, (this.#inputs.get(index) ?? "") + textOf(delta["partial_json"]));
    else if (delta["type"] === "citations_delta")
      block["citations"] = [...(listOf(block["citations"]) ?? []), delta["citation"]];
    else for (const [field, value] of Object.entries(delta)) if (field !== "type") append(block, field, value);
  }

  #end({ delta, usage }: WireObject): void {
    const before = this.#message ?? {};
    this.#message = { ...before, ...objectOf(delta), usage: { ...objectOf(before["usage"]), ...objectOf(usage) } };
  }
}

/** Text fields grow piece by piece; signatures and values that are not text arrive whole. */
function append(block: Record<string, unknown>, field: string, value: unknown): void {
  const grows = typeof value === "string" && field !== "signature";
  block[field] = grows ? textOf(block[field]) + value : value;
}
