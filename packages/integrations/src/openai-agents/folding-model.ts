import type {
  Model,
  ModelRequest,
  ModelResponse,
  ModelRetryAdvice,
  ModelRetryAdviceRequest,
  StreamEvent,
} from "@openai/agents";
import type { ContextSession, UsageReport } from "@threadfold/session";
import type { ShownInput } from "./shown-input.ts";

/** What a folding model needs of the conversation that it answers in. */
export interface Conversation {
  readonly session: ContextSession;
  /** The newest request, prepared anew. */
  readonly again: (signal?: AbortSignal) => Promise<ShownInput>;
}

/** The usage of one answer, as both doors of a model give it. */
interface AnswerUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly inputTokensDetails?: Readonly<Record<string, number>> | readonly Readonly<Record<string, number>>[];
}

/**
 * A model whose answers and failures the session hears of. A request that was refused as too long is folded and sent once
 * more, and so is one whose answer the output limit cut off, for which the SDK's models throw; any other error is the
 * runner's.
 */
export class FoldingModel implements Model {
  readonly #model: Model;
  readonly #conversation: Conversation;

  constructor(model: Model, conversation: Conversation) {
    this.#model = model;
    this.#conversation = conversation;
  }

  get supportsPromptModelSelection(): boolean {
    return this.#model.supportsPromptModelSelection ?? false;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const after = this.#failures(request);
    for (let next = request; ; ) {
      try {
        const response = await this.#model.getResponse(next);
        await this.#heard(response.usage);
        return response;
      } catch (error) {
        next = await after(error);
      }
    }
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const after = this.#failures(request);
    for (let next = request; ; ) {
      let told = false;
      try {
        for await (const event of this.#model.getStreamedResponse(next)) {
          // Until an event tells something of the answer, nobody notices that it is asked for again.
          told ||= event.type !== "response_started" && event.type !== "model";
          if (event.type === "response_done") await this.#heard(event.response.usage as AnswerUsage);
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

  /**
   * Gives the request to send after a failure: once after an answer that was cut off, and after an overflow as long as the
   * session has a fold for it, which it has once.
   *
   * @throws the error when asking again cannot help, or when something of the answer was told already.
   */
  #failures(request: ModelRequest): (error: unknown, told?: boolean) => Promise<ModelRequest> {
    const { session, again } = this.#conversation;
    let wasCutOff = false;
    return async (error, told = false) => {
      request.signal?.throwIfAborted();
      const retry = isCutOff(error) ? !wasCutOff : (await session.failed(error)).retry;
      if (isCutOff(error)) await session.complete({ messages: [], stopReason: "max-output" });
      wasCutOff ||= isCutOff(error);
      if (told || !retry) throw error;
      const { input, instructions } = await again(request.signal);
      return { ...request, input, ...(instructions !== undefined && { systemInstructions: instructions }) };
    };
  }

  async #heard(usage: AnswerUsage): Promise<void> {
    if (usage.inputTokens > 0) await this.#conversation.session.reportUsage(usageReport(usage));
  }
}

function usageReport({ inputTokens, outputTokens, inputTokensDetails }: AnswerUsage): UsageReport {
  const [details = {}] = [inputTokensDetails ?? {}].flat() as readonly Readonly<Record<string, number>>[];
  const cached = details["cached_tokens"];
  return { inputTokens, outputTokens, ...(cached !== undefined && { cacheReadTokens: cached }) };
}

/** The SDK gives up an answer that the output limit cut off, and says so in the words of the API. */
const isCutOff = (error: unknown): boolean => error instanceof Error && error.message.includes('"response.incomplete"');
