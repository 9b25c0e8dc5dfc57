import {
  finishSteps,
  type JsonObject,
  type MessageOrigin,
  type Part,
  type Steps,
  type SystemEntry,
  type ToolDefinition,
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
import { afterSummary, type SessionDraft } from "../session/session-draft.ts";
import { providerExtras, readTools } from "../session/shared-readers.ts";
import { anthropicAssistantParts, anthropicPart, anthropicUserTurn, blocksOf } from "./anthropic-parts.ts";

/**
 * Messages in the form of the Anthropic Messages API, and access to what the tool that wrote them recorded about them.
 */
interface AnthropicMessages {
  readonly messages: readonly unknown[];
  pointerTo(index: number): SourcePointer;
  /** Returns the id of a message. */
  idOf(message: ForeignObject, index: number): string;
  /**
   * Returns the usage and model that the tool recorded for an assistant message, if it does not use the API's own
   * fields.
   */
  reportOf?(message: ForeignObject): { readonly usage?: Usage | undefined; readonly model?: string | undefined };
  /** Returns the origin of a message that neither a user typed nor the model wrote as its answer. */
  originOf?(message: ForeignObject, parts: readonly Part[]): MessageOrigin | undefined;
  /** Returns the kind of a record that is no message; undefined for any other. */
  skippedKind?(record: ForeignObject): string | undefined;
}

/** One message with what is needed to import it. */
interface Entry {
  readonly message: ForeignObject;
  readonly id: string;
  readonly source: SourcePointer;
  readonly time: unknown;
  readonly draft: SessionDraft;
  readonly report: ReturnType<NonNullable<AnthropicMessages["reportOf"]>> | undefined;
  readonly originOf: AnthropicMessages["originOf"];
}

/** Adds each message to the draft. Anything else is reported as malformed. */
export function addAnthropicMessages(conversation: AnthropicMessages, draft: SessionDraft): void {
  finishSteps(addAnthropicMessagesInSteps(conversation, draft));
}

/** Like {@link addAnthropicMessages}, in steps. */
export function* addAnthropicMessagesInSteps(conversation: AnthropicMessages, draft: SessionDraft): Steps<void> {
  for (const [index, value] of conversation.messages.entries()) {
    yield;
    const source = conversation.pointerTo(index);
    const message = objectOf(value);
    const role = textOf(message?.role);
    const read = READERS.get(role);
    const skipped = message === undefined ? undefined : conversation.skippedKind?.(message);
    if (skipped !== undefined) draft.skip(skipped, source);
    else if (message === undefined || role === undefined)
      draft.reportMalformed(source, "it is not an object with a role");
    else if (read === undefined)
      draft.reportMalformed(source, `the role ${role.slice(0, 40).toWellFormed()} is unknown`);
    else
      read({
        message,
        id: conversation.idOf(message, index),
        source,
        time: message.x_timestamp ?? message.timestamp ?? message.ts,
        draft,
        report: conversation.reportOf?.(message),
        originOf: conversation.originOf,
      });
  }
}

const READERS: ReadonlyMap<unknown, (entry: Entry) => void> = new Map([
  ["user", importUser],
  ["assistant", importAssistant],
  ["system", importSystem],
]);

function importUser({ message, id, source, time, draft, originOf }: Entry): void {
  const { results, rest, hasText } = anthropicUserTurn(message.content, draft, source);
  for (const [index, result] of results.entries()) {
    draft.add({ id: index === 0 ? id : `${id}.${index}`, role: "tool", parts: [result], time, source });
  }
  if (results.length > 0 && rest.length === 0) return;
  // Media next to results, without text, were added by the harness: nobody typed anything.
  const origin = originOf?.(message, rest) ?? (results.length > 0 && !hasText ? "harness" : undefined);
  const ownId = results.length === 0 ? id : `${id}.rest`;
  // The API has one turn for both; they go out as one again.
  const handedOver = origin === undefined ? afterSummary(rest) : null;
  if (handedOver !== null) draft.add({ id: `${ownId}.summary`, role: "user", parts: handedOver.summary, time, source });
  const messageId = draft.add({
    id: ownId,
    role: "user",
    parts: handedOver?.typed ?? rest,
    ...(origin !== undefined && { origin }),
    time,
    source,
  });
  if (origin === "compaction") draft.compactions.push({ messageId });
}

function importAssistant({ message, id, source, time, draft, report, originOf }: Entry): void {
  const parts = anthropicAssistantParts(message.content, draft, source);
  const usage = report?.usage ?? anthropicUsage(message.usage ?? message.x_usage);
  const model = report?.model ?? nonEmptyText(message.model);
  const origin = originOf?.(message, parts);
  const messageId = draft.add({
    id,
    role: "assistant",
    parts,
    ...(origin !== undefined && { origin }),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    time,
    source,
    notes: withoutUndefined<JsonObject>({
      stopReason: textOf(message.stop_reason) ?? textOf(message.x_stop_reason),
      responseId: textOf(message.id),
    }),
  });
  const isCompaction = parts.some((part) => part.type === "opaque" && objectOf(part.value)?.type === "compaction");
  if (isCompaction) draft.compactions.push({ messageId, trigger: "server", ...sizeBefore(usage) });
  else if (origin === "compaction") draft.compactions.push({ messageId });
}

/** The size of the prompt that a server-side compaction read. */
const sizeBefore = ({ compaction }: Partial<Usage> = {}): { readonly tokensBefore?: number } =>
  compaction === undefined ? {} : { tokensBefore: compaction.inputTokens };

function importSystem({ message, id, source, time, draft }: Entry): void {
  const { clear_at, output_config } = message;
  const parts = blocksOf(message.content).map(anthropicPart);
  const extras = providerExtras("anthropic", { clear_at, output_config }, NO_FIELDS);
  draft.add({ id, role: "system", parts, ...extras, time, source });
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/**
 * Converts usage as the Anthropic API reports it. There, `input_tokens` excludes tokens read from or written to the
 * cache; in {@link Usage} they are included. A report of only zeros, as for an aborted call, is ignored.
 */
export function anthropicUsage(value: unknown): Usage | undefined {
  const usage = callUsage(value);
  const compaction = compactionUsage(listOf(objectOf(value)?.iterations) ?? []);
  return compaction === undefined ? usage : { ...(usage ?? { inputTokens: 0, outputTokens: 0 }), compaction };
}

/** The usage of compactions that ran before the answer, which the overall figures exclude. */
function compactionUsage(iterations: readonly unknown[]): CallUsage | undefined {
  const passes = iterations.filter((entry) => objectOf(entry)?.type === "compaction");
  return passes.flatMap((entry) => callUsage(entry) ?? []).reduce<CallUsage | undefined>(together, undefined);
}

type CallUsage = Omit<Usage, "compaction">;

const together = (first: CallUsage | undefined, second: CallUsage): CallUsage =>
  first === undefined
    ? second
    : withoutUndefined({
        inputTokens: first.inputTokens + second.inputTokens,
        outputTokens: first.outputTokens + second.outputTokens,
        cacheReadTokens: sumOf(first.cacheReadTokens, second.cacheReadTokens),
        cacheWriteTokens: sumOf(first.cacheWriteTokens, second.cacheWriteTokens),
      });

const sumOf = (first: number | undefined, second: number | undefined): number | undefined =>
  first === undefined && second === undefined ? undefined : (first ?? 0) + (second ?? 0);

function callUsage(value: unknown): CallUsage | undefined {
  const usage = objectOf(value);
  const input = countOf(usage?.input_tokens);
  const output = countOf(usage?.output_tokens);
  if (usage === undefined || (input === undefined && output === undefined)) return undefined;
  const cacheReadTokens = countOf(usage.cache_read_input_tokens);
  const cacheWriteTokens = countOf(usage.cache_creation_input_tokens);
  const inputTokens = (input ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const outputTokens = output ?? 0;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const reasoningTokens = countOf(usage.reasoning_tokens);
  return withoutUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens });
}

const TEXT_FIELDS = new Set(["type", "text"]);

/** Reads the system text of an Anthropic request: a string or a list of text blocks, with their cache marks. */
export function anthropicSystem(system: unknown): readonly SystemEntry[] {
  return blocksOf(system).flatMap((block): readonly SystemEntry[] => {
    const fields = objectOf(block);
    const text = textOf(fields?.text)?.toWellFormed();
    if (fields === undefined || text === undefined || text === "") return [];
    const { providerMetadata } = providerExtras("anthropic", fields, TEXT_FIELDS);
    return [providerMetadata === undefined ? text : { text, providerMetadata }];
  });
}

const TOOL_FIELDS = new Set(["name", "description", "input_schema"]);

/**
 * Reads the `tools` of an Anthropic request. Tools that run at the provider have no schema; their fields are kept for
 * it.
 */
export function anthropicTools(tools: unknown, draft: SessionDraft): readonly ToolDefinition[] {
  return readTools(tools, draft, (tool): ToolDefinition | undefined => {
    const name = nonEmptyText(tool.name);
    if (name === undefined) return undefined;
    const description = textOf(tool.description);
    return {
      name,
      ...(description !== undefined && { description }),
      inputSchema: (objectOf(tool.input_schema) ?? { type: "object" }) as JsonObject,
      ...providerExtras("anthropic", tool, TOOL_FIELDS),
    };
  });
}
