import { isDeepStrictEqual } from "node:util";
import {
  type Agent,
  type AgentInputItem,
  type CallModelInputFilter,
  type FunctionTool,
  type Model,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type ModelRetryAdvice,
  type ModelRetryAdviceRequest,
  type StreamEvent,
  tool,
} from "@openai/agents";
import type { JsonObject } from "@threadfold/core";
import type { ContextSession, FrameFields, RequestFrame, UsageReport } from "@threadfold/session";
import { modelName, type OnRequest, prepareFor } from "../mirror/ask-model.ts";
import { currentSession, type DoorOptions, givenDoorOptions } from "../mirror/divergence.ts";
import { recallTools } from "../mirror/recall-tools.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";
import { liveItem, type ShownInput, shownInput } from "./agent-items.ts";

/** Options of {@link ThreadProjection}. */
export interface ThreadProjectionOptions extends DoorOptions {
  /** The open session of this conversation. Requests to OpenAI need the format `openai-responses` or `openai-chat`. */
  readonly session: ContextSession;
  /**
   * Tools and instructions that requests are counted with, such as those of MCP servers. They take precedence over the
   * agent's own, which in turn take precedence over `system` and `tools` of the session's own frame, field by field.
   * Tools are sent as the agent provides them; instructions are sent as they result from this precedence.
   */
  readonly frame?: FrameFields;
}

/**
 * One conversation of the Agents SDK as Threadfold shows it to the model. The run's own items, its history and its
 * session stay complete; only what is sent is folded. When the run's history diverges, as after an edited message, the
 * projection continues in the thread of that branch.
 */
export class ThreadProjection {
  readonly #frame: FrameFields | undefined;
  readonly #onRequest: OnRequest | undefined;
  readonly #mirror: ThreadMirror;
  /** The newest model calls, newest first: runs may overlap. */
  readonly #turns: ModelTurn[] = [];

  constructor({ session, frame, ...options }: ThreadProjectionOptions) {
    const { onRequest, ...divergence } = givenDoorOptions(options);
    this.#frame = frame;
    this.#onRequest = onRequest;
    this.#mirror = new ThreadMirror({ ...divergence, session, format: "openai-responses" });
  }

  /** The session that continues; a different one after the history diverged. */
  get session(): ContextSession {
    return this.#mirror.session;
  }

  /** The filter for `Runner` or `run`: appends new messages to the thread and returns what the plan shows. */
  readonly callModelInputFilter: CallModelInputFilter = async ({ modelData, agent }) => {
    const { input, instructions } = modelData;
    const frame = { ...agentFrame(agent, instructions), ...this.#frame };
    const { session, offset } = await this.#mirror.sync(input.map(liveItem));
    const call = { ...{ session, items: input, offset, frame, instructions }, model: modelName(agent.model) };
    const shown = await this.#shown(call);
    this.#turns.unshift({ ...call, sent: shown.input });
    this.#turns.splice(OVERLAPPING_RUNS);
    return { ...(instructions !== undefined && { instructions }), ...shown };
  };

  async #shown(call: ModelCall, signal?: AbortSignal): Promise<ShownInput> {
    const { session, items, offset, frame, instructions, model } = call;
    const prepared = await prepareFor(session, {
      ...{ frame, model },
      ...(signal && { signal }),
      ...(this.#onRequest && { onRequest: this.#onRequest }),
    });
    return shownInput(prepared, session.thread, { items, offset, instructions });
  }

  /**
   * The model call that a request belongs to: the one that sent the same, or at least ends alike, because the SDK passes
   * on a copy, which it may have completed.
   */
  #turnOf({ input }: ModelRequest): Turn {
    const last = input.at(-1);
    const alike = this.#turns.filter(({ sent }) => isDeepStrictEqual(sent.at(-1), last));
    const same = alike.length < 2 ? undefined : alike.find(({ sent }) => isDeepStrictEqual(sent, input));
    const call = same ?? alike[0] ?? this.#turns[0];
    return {
      session: call?.session ?? this.session,
      again: async (signal) => (call === undefined ? {} : this.#shown(call, signal)),
    };
  }

  /**
   * Wraps a model so that it reports the provider's usage to the session, and asks again, once each, after an overflow
   * that a fold helps against and when the output limit cut off a call.
   */
  model(model: Model): Model {
    return new FoldingModel(model, (request) => this.#turnOf(request));
  }

  /** Returns a provider of such models, for `Runner`. */
  modelProvider(provider: ModelProvider): ModelProvider {
    return { getModel: async (name) => this.model(await provider.getModel(name)) };
  }
}

/**
 * Returns a filter for `Runner` or `run` that folds what the model is sent. To have overflows handled and usage
 * recorded as well, create a {@link ThreadProjection} and give the runner its models.
 */
export const createCallModelInputFilter = (options: ThreadProjectionOptions): CallModelInputFilter =>
  new ThreadProjection(options).callModelInputFilter;

/** How many runs of one conversation may overlap. */
const OVERLAPPING_RUNS = 16;

/** What the runner passed in before one model call. */
interface ModelCall {
  readonly session: ContextSession;
  readonly items: readonly AgentInputItem[];
  readonly offset: number;
  readonly frame: FrameFields;
  readonly instructions: string | undefined;
  /** The agent's own model, if it names one. */
  readonly model: string | undefined;
}

interface ModelTurn extends ModelCall {
  /** What the model is sent. */
  readonly sent: readonly AgentInputItem[];
}

/** What a folding model needs for one request. */
interface Turn {
  /** The session that made the request. */
  readonly session: ContextSession;
  /** Prepares the request again; after a reported overflow it is folded. */
  readonly again: (signal?: AbortSignal) => Promise<Partial<ShownInput>>;
}

/** The usage of one answer, as both methods of a model report it. */
interface AnswerUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly inputTokensDetails?: Readonly<Record<string, number>> | readonly Readonly<Record<string, number>>[];
}

/**
 * A model that reports its answers and failures to the session. A request that was refused as too long is folded and
 * sent once more, and so is one whose answer the output limit cut off, for which the SDK's models throw; any other
 * error is left to the runner.
 */
class FoldingModel implements Model {
  readonly #model: Model;
  readonly #turnOf: (request: ModelRequest) => Turn;

  constructor(model: Model, turnOf: (request: ModelRequest) => Turn) {
    this.#model = model;
    this.#turnOf = turnOf;
  }

  get supportsPromptModelSelection(): boolean {
    return this.#model.supportsPromptModelSelection ?? false;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const turn = this.#turnOf(request);
    const after = failures(request, turn);
    for (let next = request; ; ) {
      try {
        const response = await this.#model.getResponse(next);
        await heard(turn, response.usage);
        return response;
      } catch (error) {
        next = await after(error);
      }
    }
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const turn = this.#turnOf(request);
    const after = failures(request, turn);
    for (let next = request; ; ) {
      let told = false;
      try {
        for await (const event of this.#model.getStreamedResponse(next)) {
          // Until an event carries part of the answer, the caller cannot tell that the request is sent again.
          told ||= event.type !== "response_started" && event.type !== "model";
          if (event.type === "response_done") await heard(turn, event.response.usage as AnswerUsage);
          yield event;
        }
        return;
      } catch (error) {
        next = await after(error, told);
      }
    }
  }

  getRetryAdvice(args: ModelRetryAdviceRequest): Promise<ModelRetryAdvice | undefined> {
    return Promise.resolve(this.#model.getRetryAdvice?.(args));
  }
}

/**
 * Returns the request to send after a failure: once after an answer that was cut off, and after an overflow when the
 * session can fold for it, which it does once.
 *
 * @throws the error when asking again cannot help, or when part of the answer was already passed on.
 */
function failures(
  request: ModelRequest,
  { session, again }: Turn,
): (error: unknown, told?: boolean) => Promise<ModelRequest> {
  let wasCutOff = false;
  return async (error, told = false) => {
    request.signal?.throwIfAborted();
    const retry = isCutOff(error) ? !wasCutOff : (await session.failed(error)).retry;
    if (isCutOff(error)) await session.complete({ messages: [], stopReason: "max-output" });
    wasCutOff ||= isCutOff(error);
    if (told || !retry) throw error;
    const { instructions, ...shown } = await again(request.signal);
    return { ...request, ...shown, ...(instructions !== undefined && { systemInstructions: instructions }) };
  };
}

async function heard({ session }: Turn, usage: AnswerUsage): Promise<void> {
  if (usage.inputTokens > 0) await session.reportUsage(usageReport(usage));
}

function usageReport({ inputTokens, outputTokens, inputTokensDetails }: AnswerUsage): UsageReport {
  const [details = {}] = [inputTokensDetails ?? {}].flat() as readonly Readonly<Record<string, number>>[];
  const cached = details["cached_tokens"];
  return { inputTokens, outputTokens, ...(cached !== undefined && { cacheReadTokens: cached }) };
}

/** Detects an answer that the output limit cut off: the SDK then throws, with the API's term in the message. */
const isCutOff = (error: unknown): boolean => error instanceof Error && error.message.includes('"response.incomplete"');

type Tool = Agent["tools"][number];

/**
 * What the SDK sends besides the conversation, as far as the agent itself defines it: an agent without instructions
 * uses the session's own, and tools of MCP servers are not known here.
 */
const agentFrame = (agent: Pick<Agent, "tools">, instructions: string | undefined): FrameFields => ({
  ...(instructions !== undefined && instructions !== "" && { system: [instructions] }),
  ...(agent.tools.length > 0 && { tools: agent.tools.flatMap(definitionOf) }),
});

function definitionOf(tool: Tool): RequestFrame["tools"] {
  if (tool.type !== "function") return [];
  const { name, description, parameters } = tool;
  const inputSchema = parameters as unknown as RequestFrame["tools"][number]["inputSchema"];
  return [{ name, ...(description !== "" && { description }), inputSchema }];
}

type JsonSchema = {
  readonly type: "object";
  readonly properties: Record<string, JsonObject>;
  readonly required: string[];
  readonly additionalProperties: true;
};

/**
 * Returns `read_artifact` and `search_thread` as tools of the Agents SDK, with which the model can read what is folded.
 * Spread them into an agent's `tools`. When nothing is found, the model is told so in text; a call fails only when the
 * store does.
 *
 * @param source the projection of the conversation, or its session.
 */
export function threadfoldTools(
  source: ThreadProjection | ContextSession,
): FunctionTool<unknown, JsonSchema, string>[] {
  const sessionOf = () => ("threadId" in source ? currentSession(source) : source.session);
  return recallTools(sessionOf).map(({ name, description, inputSchema, run }) =>
    tool({ name, description, parameters: inputSchema as JsonSchema, strict: false, execute: (input) => run(input) }),
  );
}
