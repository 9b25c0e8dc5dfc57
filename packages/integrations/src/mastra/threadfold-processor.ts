import type {
  ProcessAPIErrorArgs,
  ProcessAPIErrorResult,
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessLLMResponseArgs,
  Processor,
} from "@mastra/core/processors";
import { createTool, type Tool } from "@mastra/core/tools";
import { type JsonObject, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import type { ContextSession, FrameFields, RequestFrame } from "@threadfold/session";
import { reportAnswer } from "../ai-sdk/ai-sdk-session.ts";
import { languageModelPrompt, partsOfPrompt } from "../ai-sdk/compaction-middleware.ts";
import { checkDoor, modelName, type OnRequest, payloadOf, prepareFor } from "../mirror/ask-model.ts";
import { currentSession, type DoorOptions, givenDoorOptions } from "../mirror/divergence.ts";
import { type RecallTool, recallTools, type ThreadfoldToolName } from "../mirror/recall-tools.ts";
import { openOneSession, type ThreadMirror, ThreadMirrors } from "../mirror/thread-mirror.ts";

/** Options common to both forms of the processor. */
interface SharedOptions extends DoorOptions {
  /** Tools to count for requests whose step does not list its tools; the tools of each step take precedence. */
  readonly tools?: RequestFrame["tools"];
}

/** One conversation, in a session that is already open. */
export interface SingleSession extends SharedOptions {
  /** Its format must be `ai-sdk`. */
  readonly session: ContextSession;
}

/** A session for each thread of Mastra's memory. */
export interface SessionPerThread extends SharedOptions {
  /**
   * Opens the session of a thread, whose format must be `ai-sdk`. `resourceId` is the owner of the thread, when the run
   * names one. Forks of a thread are opened by their own ids.
   */
  readonly open: (threadId: ThreadId, resourceId: string | undefined) => Promise<ContextSession>;
  /** How many sessions are kept open, 100 by default; a dropped session is reopened when it is needed. */
  readonly maxOpenSessions?: number;
}

export type ThreadfoldProcessorOptions = SingleSession | SessionPerThread;

/** The part of a Mastra call that names its thread. */
export type RunContext = Pick<ProcessLLMRequestArgs, "requestContext">;

/**
 * A Mastra processor that folds what the model is sent. Put it last among `inputProcessors`, and also among
 * `errorProcessors` to have requests that are refused as too long folded and sent once more. Mastra's messages and
 * memory stay unchanged. Usage and finish reason of each answer go to the session. Instructions and tools of the agent
 * take precedence over `system` and `tools` of the session's own frame, field by field; tools are sent as the agent
 * provides them.
 *
 * Mastra may pass the whole conversation or, with memory, only its newest messages; earlier messages then stay in the
 * thread. Without memory, pass `result.messages` back together with the next message: `response.dbMessages` has only
 * the answers, and a list of answers alone counts as a different conversation. Start each run with a user message,
 * because Mastra joins consecutive answers into one, which changes the past.
 */
export class ThreadfoldProcessor implements Processor<"threadfold"> {
  readonly id = "threadfold";
  readonly #options: ThreadfoldProcessorOptions;
  readonly #mirrors: ThreadMirrors;
  readonly #onRequest: OnRequest | undefined;
  /** The tools of each run's newest step. Mastra keeps one state object per run. */
  readonly #stepTools = new WeakMap<object, RequestFrame["tools"]>();
  /** The session that made each run's newest prompt, by the same object: runs may overlap. */
  readonly #prompted = new WeakMap<object, ContextSession>();

  constructor(options: ThreadfoldProcessorOptions) {
    checkDoor(options, "ai-sdk");
    const { onRequest, ...divergence } = givenDoorOptions(options);
    this.#options = options;
    this.#onRequest = onRequest;
    const maxOpenSessions = "session" in options ? 1 : (options.maxOpenSessions ?? 100);
    this.#mirrors = new ThreadMirrors({ ...divergence, format: "ai-sdk", maxOpenSessions });
  }

  /**
   * Returns the session of a run: that of the thread it names or the one that the processor was given, or its successor
   * after the conversation diverged.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when sessions are opened by thread and the run names none; what `open`
   *   throws.
   */
  async sessionOf(run: RunContext = {}): Promise<ContextSession> {
    return (await this.#mirrorOf(run)).session;
  }

  processInputStep({ state, tools }: Pick<ProcessInputStepArgs, "state" | "tools">): undefined {
    if (tools !== undefined) this.#stepTools.set(state, Object.entries(tools).map(toolDefinition));
  }

  async processLLMRequest(request: ProcessLLMRequestArgs): Promise<{ prompt: MastraPrompt }> {
    const { prompt, state, model, abortSignal: signal } = request;
    const { instructions, messages } = partsOfPrompt(prompt as unknown as Parameters<typeof partsOfPrompt>[0]);
    const { session } = await (await this.#mirrorOf(request)).sync(messages.map(withoutNotes));
    this.#prompted.set(state, session);
    const tools = this.#stepTools.get(state) ?? this.#options.tools ?? [];
    const frame: FrameFields = {
      ...(instructions.length > 0 && { system: liveFrame("ai-sdk", { instructions }).system }),
      ...(tools.length > 0 && { tools }),
    };
    const prepared = await prepareFor(session, {
      ...{ frame, model: modelName((model as { readonly modelId?: unknown } | undefined)?.modelId) },
      ...(signal !== undefined && { signal }),
      ...(this.#onRequest !== undefined && { onRequest: this.#onRequest }),
    });
    return { prompt: mastraPrompt(payloadOf(prepared, "ai-sdk")) };
  }

  async processLLMResponse(response: ProcessLLMResponseArgs): Promise<void> {
    const { chunks, fromCache, state } = response;
    if (fromCache) return;
    const finish = chunks.findLast(({ type }) => type === "finish" || type === "step-finish");
    const { output: { usage } = {}, stepResult } = (finish?.payload ?? {}) as FinishPayload;
    if (usage === undefined) return;
    const { inputTokens, outputTokens, cachedInputTokens: cacheReadTokens } = usage;
    const told = { inputTokens, outputTokens, inputTokenDetails: { cacheReadTokens } };
    const session = this.#prompted.get(state) ?? (await this.sessionOf(response));
    await reportAnswer(session, { usage: told, finishReason: stepResult?.reason ?? "stop" });
  }

  /**
   * Mastra calls this for refusals that it does not retry itself. After an overflow the next request is folded, once.
   */
  async processAPIError(failure: ProcessAPIErrorArgs): Promise<ProcessAPIErrorResult | undefined> {
    const session = this.#prompted.get(failure.state) ?? (await this.sessionOf(failure));
    const { retry } = await session.failed(failure.error);
    return retry ? { retry } : undefined;
  }

  #mirrorOf({ requestContext }: RunContext): Promise<ThreadMirror> {
    const options = this.#options;
    if ("session" in options) return this.#mirrors.of(options.session.threadId, openOneSession(options.session));
    const { thread, resourceId } = (requestContext?.get("MastraMemory") ?? {}) as MemoryContext;
    const threadId = thread?.id ?? requestContext?.get("mastra__threadId");
    if (typeof threadId !== "string" || threadId === "")
      throw new ThreadfoldError("INVALID_CONFIG", "memory.thread: the run names no thread.", {
        hint: 'Give the agent a memory and call it with { memory: { thread: "…", resource: "…" } }, or give the processor one session.',
      });
    return this.#mirrors.of(threadId, (id) => options.open(id, resourceId));
  }
}

/** The run information that Mastra's memory stores, under the key that its own processors read. */
interface MemoryContext {
  readonly thread?: { readonly id?: string };
  readonly resourceId?: string;
}

/** A tool of a step, as Mastra made it for the model. */
function toolDefinition([name, tool]: [string, unknown]): RequestFrame["tools"][number] {
  const { description, parameters } = (tool ?? {}) as {
    readonly description?: unknown;
    readonly parameters?: { readonly jsonSchema?: JsonObject };
  };
  return {
    name,
    ...(typeof description === "string" && { description }),
    inputSchema: parameters?.jsonSchema ?? { type: "object" },
  };
}

/** The end of an answer among Mastra's chunks. */
interface FinishPayload {
  readonly output?: {
    readonly usage?: {
      readonly inputTokens?: number;
      readonly outputTokens?: number;
      readonly cachedInputTokens?: number;
    };
  };
  readonly stepResult?: { readonly reason?: string };
}

/** A prompt as Mastra passes it to its processors, whatever the version of the underlying model. */
type MastraPrompt = ProcessLLMRequestArgs["prompt"];

/** The version of the AI SDK's specification that these prompts follow. */
const SPECIFICATION = "v2";

type Fields = Readonly<Record<string, unknown>>;

/**
 * A message of such a prompt without what Mastra adds for itself under its own name, such as the time of a part: it
 * differs each time that the message is passed, and no provider reads it.
 */
function withoutNotes(message: unknown): unknown {
  const { content, ...fields } = message as Fields;
  return { ...withoutOwn(fields), content: Array.isArray(content) ? content.map(withoutOwn) : content };
}

function withoutOwn({ providerOptions, ...fields }: Fields): Fields {
  const { mastra: _own, ...others } = (providerOptions ?? {}) as Fields;
  return Object.keys(others).length === 0 ? fields : { ...fields, providerOptions: others };
}

/** Converts messages for the AI SDK to a prompt for Mastra, in which media in results have one form. */
export function mastraPrompt(payload: JsonObject): MastraPrompt {
  const prompt = languageModelPrompt(payload, SPECIFICATION) as unknown as readonly JsonObject[];
  return prompt.map((message) => {
    if (message["role"] !== "tool") return message;
    return { ...message, content: (message["content"] as readonly JsonObject[]).map(resultPart) };
  }) as unknown as MastraPrompt;
}

function resultPart(part: JsonObject): JsonObject {
  const output = part["output"] as JsonObject | undefined;
  if (output?.["type"] !== "content") return part;
  return { ...part, output: { ...output, value: (output["value"] as readonly JsonObject[]).map(mediaPart) } };
}

/** That version allows bytes in a result but no URLs, so a URL becomes text. */
function mediaPart(part: JsonObject): JsonObject {
  const { type, data, url, mediaType } = part;
  if (type === "text") return part;
  return url === undefined ? { type: "media", data, mediaType } : { type: "text", text: `[${url}]` };
}

/** A Mastra tool that takes the input its schema describes and returns text. */
export type ThreadfoldTool = Tool<JsonObject, string>;

/**
 * Returns `read_artifact` and `search_thread` as Mastra tools, with which the model can read what is folded. Spread
 * them into an agent's `tools`. When nothing is found, the model is told so in text; a call fails only when the store
 * does.
 *
 * @param source the processor, whose tools read the thread of the run that calls them, or one session.
 */
export function threadfoldTools(
  source: ThreadfoldProcessor | ContextSession,
): Record<ThreadfoldToolName, ThreadfoldTool> {
  const sessionOf = (run: RunContext) => ("threadId" in source ? currentSession(source) : source.sessionOf(run));
  const [readArtifact, searchThread] = recallTools(sessionOf);
  return { read_artifact: toolOf(readArtifact), search_thread: toolOf(searchThread) };
}

const toolOf = ({ name, description, inputSchema, run }: RecallTool<RunContext>): ThreadfoldTool =>
  createTool({
    id: name,
    description,
    inputSchema: { ...inputSchema },
    execute: (input, { requestContext }) => run(input, { requestContext }),
  }) as unknown as ThreadfoldTool;
