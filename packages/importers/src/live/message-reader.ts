import {
  type JsonObject,
  type MessageInput,
  type SystemEntry,
  ThreadfoldError,
  type ToolDefinition,
} from "@threadfold/core";
import { addModelMessage, addUiMessage, isAiSdkMessage, isUi } from "../ai-sdk/ai-sdk-messages.ts";
import { aiSdkSystem } from "../ai-sdk/ai-sdk-parts.ts";
import { addAnthropicMessages, anthropicSystem, anthropicTools } from "../anthropic-messages/anthropic-messages.ts";
import { addGeminiContent, geminiSystem, geminiTools } from "../gemini/gemini-messages.ts";
import { addOpenaiMessages } from "../openai-chat/openai-messages.ts";
import { openaiTools, responsesTools } from "../openai-chat/openai-tools.ts";
import { ResponseTranscript } from "../openai-responses/response-transcript.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import { SessionDraft } from "../session/session-draft.ts";
import { type LiveFormat, type LiveValue, wireValue } from "./live-value.ts";

/** Options of {@link messageReader}. */
export interface MessageReaderOptions {
  /**
   * Prefix for the ids of messages that have none: `seed-3` is the message at position 3. With an equal seed, the same
   * list gets the same ids in every process.
   */
  readonly seed: string;
}

/** Context for the values that are read. */
export interface ReadOptions {
  /** Position of the first value in the host's list; by default, after the last value that was read. */
  readonly position?: number;
  /** When the values arrived, in milliseconds since the epoch; used for values without a time. */
  readonly now?: number;
  /** The model that answered, for formats whose items do not name it. */
  readonly model?: string;
}

/** Reads an ongoing conversation. It remembers the calls and ids of messages that it read before. */
export interface MessageReader {
  readonly format: LiveFormat;
  /**
   * Reads consecutive messages, or items. Results get their tool's name from calls that were read earlier. Nothing is
   * lost: fields that core's model does not have are kept as provider metadata or as opaque parts. Items from one model
   * call become one message, so pass all items of a response at once. The values are not modified.
   *
   * @throws ThreadfoldError `INVALID_MESSAGE` for a value that is not a message of the format, with its position.
   */
  read(values: readonly unknown[], options?: ReadOptions): readonly MessageInput[];
}

/** Creates a reader for the messages of one live conversation, in the form that a host's SDK uses. */
export function messageReader(format: LiveFormat, { seed }: MessageReaderOptions): MessageReader {
  const draft = new SessionDraft();
  let next = 0;
  return {
    format,
    read(values, { position = next, now, model } = {}) {
      if (now !== undefined) draft.startAt(now);
      const placed = values.map((value, index) => placedValue(value, position + index, seed));
      LIVE_READERS[format](placed, draft, model);
      const messages = takeFrom(draft, position);
      next = position + values.length;
      return messages;
    },
  };
}

/** Returns the positions in the host's list of the values that a message was made from. */
export function livePositions({ metadata }: Pick<MessageInput, "metadata">): readonly number[] {
  const positions = metadata?.["positions"];
  return Array.isArray(positions) ? positions.filter((position) => typeof position === "number") : [];
}

function placedValue(raw: unknown, position: number, seed: string): LiveValue {
  const value = wireValue(raw);
  const id = nonEmptyText(objectOf(value)?.id) ?? `${seed}-${position}`;
  return { value, id, at: { line: 0, path: `/${position}` } };
}

/** Takes the messages out of the draft, which exists as long as the conversation. */
function takeFrom(draft: SessionDraft, position: number): readonly MessageInput[] {
  const messages = draft.messages.splice(0).map(withPositions);
  const [malformed] = draft.malformed.splice(0);
  draft.warnings.length = 0;
  draft.compactions.length = 0;
  if (malformed === undefined) return messages;
  const place = malformed.path?.slice(1) ?? `${position}`;
  throw new ThreadfoldError("INVALID_MESSAGE", `Message ${place} of the conversation: ${malformed.problem}.`, {
    details: { position: Number(place) },
    hint: "Pass the messages as the host's SDK has them, and name their format.",
  });
}

/** There is no source text for a pointer to point into; only the message's position in the host's list is known. */
function withPositions({ metadata = {}, ...message }: MessageInput): MessageInput {
  const { source, ...notes } = metadata;
  const { path, paths } = (source ?? {}) as { readonly path?: string; readonly paths?: readonly string[] };
  const positions = (paths ?? (path === undefined ? [] : [path])).map((pointer) => Number(pointer.slice(1)));
  return { ...message, metadata: { ...notes, positions } satisfies JsonObject };
}

/** Adds the messages made from consecutive values to a draft. */
type ReadValues = (values: readonly LiveValue[], draft: SessionDraft, model: string | undefined) => void;

/** The reader of each format, built from the functions that its importer uses for single messages. */
const LIVE_READERS: Readonly<Record<LiveFormat, ReadValues>> = {
  "ai-sdk": readAiSdk,
  "anthropic-messages": (values, draft) =>
    addAnthropicMessages({ ...placedList(values), idOf: (_message, index) => values[index]?.id ?? "" }, draft),
  "openai-chat": (values, draft) =>
    addOpenaiMessages({ ...placedList(values), seed: "", idOf: (_message, index) => values[index]?.id ?? "" }, draft),
  "openai-responses": readResponses,
  gemini: (values, draft) => {
    for (const { value, id, at } of values) addGeminiContent(value, { id, at }, draft);
  },
};

const placedList = (values: readonly LiveValue[]) => ({
  messages: values.map(({ value }) => value),
  pointerTo: (index: number) => values[index]?.at ?? { line: 0 },
});

function readAiSdk(values: readonly LiveValue[], draft: SessionDraft): void {
  for (const { value, id, at } of values) {
    const message = objectOf(value);
    const entry = { draft, place: { id, time: message?.createdAt, source: at } };
    if (message === undefined || !isAiSdkMessage(message))
      draft.reportMalformed(at, "it is not a message with a known role");
    else if (isUi(message)) addUiMessage(message, entry);
    else addModelMessage(message, entry);
  }
}

function readResponses(values: readonly LiveValue[], draft: SessionDraft, model: string | undefined): void {
  const transcript = new ResponseTranscript(draft);
  transcript.model = model;
  for (const { value, id, at } of values) {
    const item = objectOf(value);
    if (item === undefined) draft.reportMalformed(at, "it is not an item");
    else transcript.read(item, { at, id });
  }
  transcript.finish();
}

/** What a host sends besides the conversation, in core's model. */
export interface LiveFrame {
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
}

/**
 * Reads what accompanies the conversation in the body of a host's request: `system` or `instructions`, and `tools`.
 * Entries that are not tools of the format are left out.
 */
export function liveFrame(format: LiveFormat, body: object): LiveFrame {
  return FRAME_READERS[format](objectOf(wireValue(body)) ?? {});
}

const FRAME_READERS: Readonly<Record<LiveFormat, (body: ForeignObject) => LiveFrame>> = {
  "ai-sdk": ({ instructions, system, tools }) => ({
    system: aiSdkSystem(instructions ?? system),
    tools: (listOf(tools) ?? []).flatMap(functionTool),
  }),
  "anthropic-messages": ({ system, tools }) => ({
    system: anthropicSystem(system),
    tools: anthropicTools(tools, new SessionDraft()),
  }),
  "openai-chat": ({ tools }) => ({ system: [], tools: openaiTools(tools, new SessionDraft()) }),
  "openai-responses": ({ instructions, tools }) => ({
    system: [nonEmptyText(instructions)?.toWellFormed()].filter((text) => text !== undefined),
    tools: responsesTools(tools, new SessionDraft()),
  }),
  // Google's SDK has both inside its `config`.
  gemini: ({ config, systemInstruction = objectOf(config)?.systemInstruction, tools = objectOf(config)?.tools }) => ({
    system: geminiSystem(systemInstruction),
    tools: geminiTools(tools, new SessionDraft()),
  }),
};

/**
 * Reads a tool in the form that the AI SDK sends to a model. Tools that run at the provider have no schema that could
 * be counted.
 */
function functionTool(value: unknown): readonly ToolDefinition[] {
  const tool = objectOf(value);
  const name = nonEmptyText(tool?.name);
  if (tool === undefined || name === undefined || tool.type !== "function") return [];
  const description = textOf(tool.description);
  const inputSchema = (objectOf(tool.inputSchema) ?? { type: "object" }) as ToolDefinition["inputSchema"];
  return [{ name, ...(description !== undefined && { description }), inputSchema }];
}
