import type {
  ProcessAPIErrorArgs,
  ProcessAPIErrorResult,
  ProcessLLMRequestArgs,
  ProcessLLMResponseArgs,
  Processor,
} from "@mastra/core/processors";
import { liveFrame } from "@threadfold/importers";
import type { ContextSession, RequestFrame } from "@threadfold/session";
import { partsOfPrompt } from "../ai-sdk/language-model-prompt.ts";
import { reportAnswer } from "../ai-sdk/report-answer.ts";
import type { OnDiverged } from "../mirror/divergence.ts";
import { payloadOf } from "../mirror/payload-of.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";
import { type MastraPrompt, mastraPrompt, withoutNotes } from "./mastra-prompt.ts";

/** What a processor is made with. */
export interface ThreadfoldProcessorOptions {
  /** Open, on the thread of this conversation. Its format has to be `ai-sdk`. */
  readonly session: ContextSession;
  /** The agent's tools as the model is told of them, for counting: a processor is not shown them. */
  readonly tools?: RequestFrame["tools"];
  /** Called when the conversation no longer begins with what the thread was made of; without it that is an error. */
  readonly onDiverged?: OnDiverged;
}

/**
 * A processor of Mastra that folds what the model is sent: put it last among `inputProcessors`, and among `errorProcessors`
 * to have requests that are refused as too long folded and sent once more. Mastra's messages and memory stay as they are.
 * Usage and finish reason of each answer go to the session.
 *
 * Hand Mastra its own messages back (`response.dbMessages`, or its memory), for other forms lose where a step ended, and
 * let each run begin with a message of the user: an answer to an answer is joined to it, which changes the past.
 */
export class ThreadfoldProcessor implements Processor<"threadfold"> {
  readonly id = "threadfold";
  readonly #tools: RequestFrame["tools"];
  readonly #mirror: ThreadMirror;

  constructor({ session, tools = [], onDiverged }: ThreadfoldProcessorOptions) {
    this.#tools = tools;
    this.#mirror = new ThreadMirror({ session, format: "ai-sdk", ...(onDiverged !== undefined && { onDiverged }) });
  }

  /** The session that goes on; another one after a divergence. */
  get session(): ContextSession {
    return this.#mirror.session;
  }

  async processLLMRequest({ prompt }: ProcessLLMRequestArgs): Promise<{ prompt: MastraPrompt }> {
    const { instructions, messages } = partsOfPrompt(prompt as unknown as Parameters<typeof partsOfPrompt>[0]);
    const { session } = await this.#mirror.sync(messages.map(withoutNotes));
    const frame = { ...liveFrame("ai-sdk", { instructions }), tools: this.#tools };
    return { prompt: mastraPrompt(payloadOf(await session.prepare({ frame }), "ai-sdk")) };
  }

  async processLLMResponse({ chunks, fromCache }: ProcessLLMResponseArgs): Promise<void> {
    if (fromCache) return;
    const finish = chunks.findLast(({ type }) => type === "finish" || type === "step-finish");
    const { output: { usage } = {}, stepResult } = (finish?.payload ?? {}) as FinishPayload;
    if (usage === undefined) return;
    const { inputTokens, outputTokens, cachedInputTokens: cacheReadTokens } = usage;
    const told = { inputTokens, outputTokens, inputTokenDetails: { cacheReadTokens } };
    await reportAnswer(this.session, { usage: told, finishReason: stepResult?.reason ?? "stop" });
  }

  /** Mastra calls this for refusals that it does not retry itself. The next request is folded for an overflow, once. */
  async processAPIError({ error }: ProcessAPIErrorArgs): Promise<ProcessAPIErrorResult | undefined> {
    const { retry } = await this.session.failed(error);
    return retry ? { retry } : undefined;
  }
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
