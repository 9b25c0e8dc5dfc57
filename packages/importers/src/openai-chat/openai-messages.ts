import {
  finishSteps,
  type JsonObject,
  type MessageOrigin,
  type Part,
  type ProviderMetadata,
  type Role,
  type Steps,
  type Usage,
} from "@threadfold/core";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { toolResultContent } from "../session/shared-readers.ts";
import {
  audioPart,
  besideAnswer,
  openaiContentParts,
  openaiPart,
  reasoningParts,
  refusalPart,
} from "./openai-parts.ts";
import { openaiCalls } from "./openai-tools.ts";

/**
 * Messages in the form of the Chat Completions API, and access to what the tool that wrote them recorded about them.
 */
interface OpenaiMessages {
  readonly messages: readonly unknown[];
  pointerTo(index: number): SourcePointer;
  /** Prefix of message ids. */
  readonly seed: string;
  /** Returns the id of a message, if it is not made from seed and index. */
  idOf?(message: ForeignObject, index: number): string;
  /** The provider of thoughts next to the content; `openai` by default. */
  readonly provider?: string;
  /** Returns the signed thoughts of an answer, which are read instead of those next to the content. */
  thoughtsOf?(message: ForeignObject): readonly Part[];
  /** Returns the origin of a user message that nobody typed. */
  originOf?(message: ForeignObject, index: number): MessageOrigin | undefined;
  /** Checks whether a result that is not marked says that its call failed. */
  saysFailed?(message: ForeignObject): boolean;
}

/** One message with what is needed to import it. */
interface Entry {
  readonly message: ForeignObject;
  readonly id: string;
  readonly source: SourcePointer;
  readonly time: unknown;
  readonly provider: string;
  readonly thoughts: readonly Part[];
  readonly origin: MessageOrigin | undefined;
  readonly saysFailed: boolean;
  readonly draft: SessionDraft;
}

/** Adds each message to the draft. Anything else is reported as malformed. */
export function addOpenaiMessages(conversation: OpenaiMessages, draft: SessionDraft): void {
  finishSteps(addOpenaiMessagesInSteps(conversation, draft));
}

/** Like {@link addOpenaiMessages}, in steps. */
export function* addOpenaiMessagesInSteps(conversation: OpenaiMessages, draft: SessionDraft): Steps<void> {
  const { messages, pointerTo, seed, provider = "openai" } = conversation;
  for (const [index, value] of messages.entries()) {
    yield;
    const source = pointerTo(index);
    const message = objectOf(value);
    const role = textOf(message?.role);
    const read = READERS.get(role);
    if (message === undefined || role === undefined) draft.reportMalformed(source, "it is not an object with a role");
    else if (read === undefined)
      draft.reportMalformed(source, `the role ${role.slice(0, 40).toWellFormed()} is unknown`);
    else {
      const time = message.x_timestamp ?? message.timestamp ?? message.created;
      const origin = role === "user" ? conversation.originOf?.(message, index) : undefined;
      const id = conversation.idOf?.(message, index) ?? `${seed}-${index}`;
      const saysFailed = conversation.saysFailed?.(message) === true;
      const thoughts = conversation.thoughtsOf?.(message) ?? [];
      read({ message, id, source, time, provider, thoughts, origin, saysFailed, draft });
    }
  }
}

const READERS: ReadonlyMap<unknown, (entry: Entry) => void> = new Map([
  ["system", addText("system")],
  ["developer", addText("system")],
  ["user", addText("user")],
  ["assistant", addAssistant],
  ["tool", addResult],
  ["function", addResult],
]);

function addText(role: Role): (entry: Entry) => void {
  return ({ message, id, source, time, origin, draft }) => {
    const parts = openaiContentParts(message.content);
    draft.add({ id, role, parts, ...(origin && { origin }), time, source, ...messageMetadata(message) });
  };
}

function addAssistant({ message, id, source, time, provider, thoughts, draft }: Entry): void {
  const refusal = refusalPart(message.refusal);
  // Some trajectories keep the raw completion next to the message.
  const completion = objectOf(objectOf(message.extra)?.response);
  const usage = openaiUsage(message.usage ?? message.x_usage ?? completion?.usage);
  const model = nonEmptyText(message.model) ?? nonEmptyText(completion?.model);
  draft.add({
    id,
    role: "assistant",
    parts: [
      ...(thoughts.length > 0 ? thoughts : reasoningParts(message, provider)),
      ...openaiContentParts(message.content),
      ...(listOf(message.images) ?? []).map(openaiPart),
      ...(refusal === undefined ? [] : [refusal]),
      ...audioPart(message.audio),
      ...openaiCalls(message, draft, source),
    ],
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    time,
    source,
    ...messageMetadata(message, besideAnswer(message)),
    notes: withoutUndefined<JsonObject>({
      stopReason: textOf(message.finish_reason) ?? textOf(message.x_finish_reason),
    }),
  });
}

function addResult({ message, id, source, time, saysFailed, draft }: Entry): void {
  const answered = draft.calls.answer(
    // SWE-agent writes the id of the call as a list with one entry.
    message.tool_call_id ?? listOf(message.tool_call_ids)?.[0],
    textOf(message.name),
    `result-${source.line}${source.path ?? ""}`,
  );
  const failed = message.is_error === true || message.isError === true || saysFailed;
  draft.add({
    id,
    role: "tool",
    parts: [
      {
        type: "tool-result",
        result: {
          ...answered,
          outcome: failed ? "failure" : "success",
          content: toolResultContent(message.content, openaiPart),
        },
      },
    ],
    time,
    source,
  });
}

/** What an OpenAI message says about its speaker besides the role: a name, or that the role is developer; and more. */
function messageMetadata(
  message: ForeignObject,
  more: JsonObject = {},
): { readonly providerMetadata?: ProviderMetadata } {
  const name = nonEmptyText(message.name)?.toWellFormed();
  const role = message.role === "developer" ? "developer" : undefined;
  const openai = { ...withoutUndefined<JsonObject>({ role, name }), ...more };
  return Object.keys(openai).length === 0 ? {} : { providerMetadata: { openai } };
}

/**
 * Converts usage as OpenAI reports it, with the field names of the Chat API (`prompt_tokens`) or of Responses
 * (`input_tokens`). Both include tokens read from the cache and, in reports of proxies for Anthropic, tokens written to
 * it. A report of only zeros is ignored.
 */
export function openaiUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const input = countOf(usage.prompt_tokens) ?? countOf(usage.input_tokens);
  const output = countOf(usage.completion_tokens) ?? countOf(usage.output_tokens);
  const [inputTokens, outputTokens] = [input ?? 0, output ?? 0];
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const promptDetails = objectOf(usage.prompt_tokens_details) ?? objectOf(usage.input_tokens_details);
  const outputDetails = objectOf(usage.completion_tokens_details) ?? objectOf(usage.output_tokens_details);
  const cacheReadTokens = countOf(promptDetails?.cached_tokens) ?? countOf(usage.cache_read_input_tokens);
  const cacheWriteTokens = usage.prompt_tokens === undefined ? undefined : countOf(usage.cache_creation_input_tokens);
  const reasoningTokens = countOf(outputDetails?.reasoning_tokens) ?? countOf(usage.reasoning_tokens);
  return withoutUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens });
}
