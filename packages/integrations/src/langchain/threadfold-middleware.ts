import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { asMessageId, asToolCallId, type MessageInput, ThreadfoldError, type ToolCallId } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import { discardTruncatedCalls } from "@threadfold/renderer";
import {
  type ContextSession,
  type FrameFields,
  type PreparedRequest,
  type RequestFrame,
  type StopReason,
  stopReasonOf,
  type UsageReport,
} from "@threadfold/session";
import type { CompactionPreset } from "@threadfold/strategies";
import {
  type AgentMiddleware,
  AIMessage,
  type BaseMessage,
  createMiddleware,
  type DynamicStructuredTool,
  type ModelRequest,
  tool,
} from "langchain";
import { type AskOptions, askModel, checkDoor, modelName } from "../mirror/ask-model.ts";
import { currentSession, type DoorOptions, givenDoorOptions } from "../mirror/divergence.ts";
import { type RecallTool, recallTools } from "../mirror/recall-tools.ts";
import { type OpenSession, openOneSession, ThreadMirrors } from "../mirror/thread-mirror.ts";
import { liveMessage, shownMessages, shownSystem } from "./messages.ts";
import { type SummarizationPolicy, summarizationPolicy } from "./summarization-policy.ts";

/** One conversation, in a session that is already open and uses its own policy. */
export interface SingleSession extends DoorOptions {
  readonly session: ContextSession;
}

/** A session for each LangGraph thread, identified by the run's `thread_id`. */
export interface SessionPerThread extends DoorOptions, SummarizationPolicy {
  /**
   * Opens the session of a thread. `preset` is the policy that `trigger` and `keep` describe, or undefined when neither
   * is given, so that it can be passed on directly.
   */
  readonly open: (
    threadId: ContextSession["threadId"],
    preset: CompactionPreset | undefined,
  ) => Promise<ContextSession>;
  /** How many sessions are kept open, 100 by default; a dropped session is reopened when it is needed. */
  readonly maxOpenSessions?: number;
}

export type ThreadfoldMiddlewareOptions = SingleSession | SessionPerThread;

/** How `wrapModelCall` calls the model. */
type Handler = (request: ModelRequest) => AIMessage | Promise<AIMessage>;

/**
 * A middleware for LangChain's `createAgent` that folds what the model is sent and leaves the state unchanged: no
 * message is removed or rewritten, and the checkpointer keeps the whole conversation. When the state diverges, as after
 * time travel, the run continues in the thread of that branch. The run's system message and tools take precedence over
 * `system` and `tools` of the session's own frame, field by field; tools are sent as the run provides them. A request
 * that the provider refuses as too long is folded and sent once more; when the output limit cut off an answer within a
 * call, the model is asked once more and the call is never run. Place it after middleware that redacts, because the
 * thread keeps whatever this middleware sees.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a policy that is not valid.
 */
export function threadfoldMiddleware(options: ThreadfoldMiddlewareOptions) {
  checkDoor(options);
  const { onRequest, ...divergence } = givenDoorOptions(options);
  const maxOpenSessions = "session" in options ? 1 : (options.maxOpenSessions ?? 100);
  const mirrors = new ThreadMirrors({ ...divergence, format: "ai-sdk", maxOpenSessions });
  const open = openingOf(options);
  const mirrorOf = (threadId: string | undefined) => mirrors.of(threadIdOf(options, threadId), open);
  const sent = new WeakMap<BaseMessage, number>();
  const middleware = createMiddleware({
    name: "ThreadfoldMiddleware",
    wrapModelCall: async (request, handler) => {
      const { messages, runtime } = request;
      const mirror = await mirrorOf(runtime.configurable?.thread_id);
      const { session, offset } = await mirror.sync(messages.map(liveMessage));
      const last = messages.at(-1);
      if (last !== undefined) sent.set(last, messages.length);
      const turn = { session, offset, request: request as ModelRequest, handler: handler as Handler };
      return answerOf({ ...turn, ...(onRequest !== undefined && { onRequest }) });
    },
    afterAgent: async ({ messages }, runtime) => {
      // The state contains what was sent unless other middleware sends something different from the state.
      const isMirrored = messages.some((message, index) => sent.get(message) === index + 1);
      if (!isMirrored) return;
      const mirror = await mirrorOf(runtime.configurable?.thread_id);
      await mirror.sync(messages.map(liveMessage));
    },
  });
  sessionsOf.set(middleware, async (threadId) => (await mirrorOf(threadId)).session);
  return middleware;
}

/** How the tools of a middleware find the session of a run. */
const sessionsOf = new WeakMap<object, (threadId: string | undefined) => Promise<ContextSession>>();

/**
 * Returns the session that a middleware uses for a run.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a middleware that `threadfoldMiddleware` did not make, or for a run that
 *   names no thread when sessions are opened by thread.
 */
async function middlewareSession(
  middleware: Pick<AgentMiddleware, "name">,
  threadId: string | undefined,
): Promise<ContextSession> {
  const sessionOf = sessionsOf.get(middleware);
  if (sessionOf !== undefined) return sessionOf(threadId);
  throw new ThreadfoldError("INVALID_CONFIG", `The middleware ${middleware.name} is not one of threadfoldMiddleware.`, {
    hint: "Make the tools from the middleware that threadfoldMiddleware returned, or from a session.",
  });
}

function openingOf(options: ThreadfoldMiddlewareOptions): OpenSession {
  if ("session" in options) return openOneSession(options.session);
  const { trigger, keep, open } = options;
  const policy = { ...(trigger !== undefined && { trigger }), ...(keep !== undefined && { keep }) };
  const preset = Object.keys(policy).length === 0 ? undefined : summarizationPolicy(policy);
  return (threadId) => open(threadId, preset);
}

function threadIdOf(options: ThreadfoldMiddlewareOptions, threadId: string | undefined): string {
  if ("session" in options) return options.session.threadId;
  if (threadId !== undefined) return threadId;
  throw new ThreadfoldError("INVALID_CONFIG", "thread_id: the run names no thread.", {
    hint: 'Invoke the agent with { configurable: { thread_id: "…" } }, or give the middleware one session.',
  });
}

/** One model call within a run. */
interface ModelTurn extends Pick<AskOptions, "onRequest"> {
  readonly session: ContextSession;
  /** Position in the conversation of the request's first message. */
  readonly offset: number;
  readonly request: ModelRequest;
  readonly handler: Handler;
}

async function answerOf(turn: ModelTurn): Promise<AIMessage> {
  const answer = await ask(turn);
  if (cutOffCalls(answer).size === 0) return answer;
  const again = await ask(turn);
  return withoutCalls(again, cutOffCalls(again));
}

async function ask({ session, offset, request, handler, ...options }: ModelTurn): Promise<AIMessage> {
  const { signal } = request.runtime;
  const send = async (prepared: PreparedRequest): Promise<AIMessage> =>
    handler({
      ...request,
      messages: shownMessages(prepared, session.thread, request.messages, offset),
      systemMessage: shownSystem(prepared, request.systemMessage),
    });
  // Every chat model of LangChain has its name in this field, although its types do not declare it.
  const { model } = request.model as { readonly model?: unknown };
  const asked = {
    ...options,
    model: modelName(model),
    frame: requestFrame(request),
    ...(signal !== undefined && { signal }),
  };
  const answer = await askModel(session, asked, send);
  const usage = answerUsage(answer);
  if (usage !== undefined) await session.reportUsage(usage);
  return answer;
}

type Tools = ModelRequest["tools"];

const toolsOf = new WeakMap<Tools[number], RequestFrame["tools"]>();

/**
 * What LangChain sends besides the conversation. When the agent has no system message, the session's own is used. Tools
 * that run at the provider have no schema that could be counted.
 */
const requestFrame = ({ systemMessage, tools }: Pick<ModelRequest, "systemMessage" | "tools">): FrameFields => ({
  ...(systemMessage.text !== "" && { system: [systemMessage.text] }),
  ...(tools.length > 0 && { tools: tools.flatMap(definitionOf) }),
});

/** Converts a tool's schema only once: a run passes the same tools before every call. */
function definitionOf(tool: Tools[number]): RequestFrame["tools"] {
  const before = toolsOf.get(tool);
  if (before !== undefined) return before;
  const tools = "schema" in tool ? [convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0])] : [tool];
  const definition = liveFrame("openai-chat", { tools }).tools;
  toolsOf.set(tool, definition);
  return definition;
}

type Metadata = Readonly<Record<string, unknown>>;

/** Why an answer ended, read from whichever field the provider uses. */
function answerStop({ response_metadata, additional_kwargs }: AIMessage): StopReason {
  const told: Metadata = { ...additional_kwargs, ...response_metadata };
  const incomplete = told["incomplete_details"] as Metadata | null | undefined;
  const word = told["stop_reason"] ?? told["finish_reason"] ?? told["stopReason"] ?? incomplete?.["reason"];
  return stopReasonOf(typeof word === "string" ? word : undefined);
}

/** The usage that the provider reported; undefined when it reported none. */
function answerUsage(message: AIMessage): UsageReport | undefined {
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
function cutOffCalls(message: AIMessage): ReadonlySet<ToolCallId> {
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

/** The answer without some of its calls, in every field where LangChain stores them. */
function withoutCalls(message: AIMessage, gone: ReadonlySet<string>): AIMessage {
  if (gone.size === 0) return message;
  const stays = (call: unknown): boolean => !gone.has(`${(call as { readonly id?: unknown } | null)?.id}`);
  const { tool_calls: raw, ...kwargs } = message.additional_kwargs;
  const { output } = message.response_metadata;
  // The fields that the message was made from, which a checkpoint would keep.
  const { lc_kwargs: _made, ...fields } = message;
  return new AIMessage({
    ...fields,
    content: typeof message.content === "string" ? message.content : message.content.filter(stays),
    tool_calls: message.tool_calls?.filter(stays) ?? [],
    invalid_tool_calls: message.invalid_tool_calls?.filter(stays) ?? [],
    additional_kwargs: { ...kwargs, ...(raw?.some(stays) === true && { tool_calls: raw.filter(stays) }) },
    response_metadata: {
      ...message.response_metadata,
      ...(Array.isArray(output) && { output: itemsWithout(output, gone) }),
    },
  });
}

/** The items of an answer of OpenAI's Responses, which LangChain sends back as they are. Reasoning needs a follower. */
function itemsWithout(output: readonly Metadata[], gone: ReadonlySet<string>): readonly Metadata[] {
  const items = output.filter((item) => !gone.has(`${item["call_id"]}`));
  return items.slice(0, items.findLastIndex((item) => item["type"] !== "reasoning") + 1);
}

/**
 * Returns `read_artifact` and `search_thread` as LangChain tools, with which the model can read what is folded. Spread
 * them into the agent's `tools`. When nothing is found, the model is told so in text; a call fails only when the store
 * does.
 *
 * @param source the middleware that `threadfoldMiddleware` returned, whose tools read the thread of the run that calls
 *   them, or one session.
 */
export function threadfoldTools(source: ContextSession | Pick<AgentMiddleware, "name">): DynamicStructuredTool[] {
  const isSession = "threadId" in source;
  return recallTools(({ threadId }: RunPlace) =>
    isSession ? currentSession(source) : middlewareSession(source, threadId),
  ).map(toolOf);
}

/** The run that a call comes from. */
interface RunPlace {
  readonly threadId: string | undefined;
}

const toolOf = ({ name, description, inputSchema, run }: RecallTool<RunPlace>): DynamicStructuredTool =>
  tool((input, { configurable }) => run(input, { threadId: configurable?.["thread_id"] }), {
    name,
    description,
    schema: inputSchema,
  }) as DynamicStructuredTool;
