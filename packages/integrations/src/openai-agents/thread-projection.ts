import type { AgentInputItem, CallModelInputFilter, Model, ModelProvider } from "@openai/agents";
import type { ContextSession, FrameFields } from "@threadfold/session";
import { type OnRequest, prepareFor } from "../mirror/ask-model.ts";
import { type DoorOptions, givenDoorOptions } from "../mirror/door-options.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";
import { agentFrame } from "./agent-frame.ts";
import { FoldingModel } from "./folding-model.ts";
import { liveItem } from "./live-item.ts";
import { type ShownInput, shownInput } from "./shown-input.ts";

/** What a projection is made with. */
export interface ThreadProjectionOptions extends DoorOptions {
  /** Open, on the thread of this conversation. Requests for OpenAI want the format `openai-responses` or `openai-chat`. */
  readonly session: ContextSession;
  /**
   * Tools and instructions that requests are counted with, such as those of MCP servers. They go before those of the
   * agent, and these before `system` and `tools` of the session's own frame, each for itself. Tools are sent as the agent
   * has them; the instructions that hold are sent.
   */
  readonly frame?: FrameFields;
}

/**
 * One conversation of the Agents SDK as Threadfold shows it to the model. The run's own items, its history and its session
 * stay whole; only what is sent is folded. When the run's history takes another way, as after an edited message, the
 * projection goes on in the thread of that way.
 */
export class ThreadProjection {
  readonly #frame: FrameFields | undefined;
  readonly #onRequest: OnRequest | undefined;
  readonly #mirror: ThreadMirror;
  /** What the newest request was made of, for asking again. */
  #newest:
    | {
        readonly items: readonly AgentInputItem[];
        readonly offset: number;
        readonly frame: FrameFields;
        readonly instructions: string | undefined;
      }
    | undefined;

  constructor({ session, frame, ...options }: ThreadProjectionOptions) {
    const { onRequest, ...divergence } = givenDoorOptions(options);
    this.#frame = frame;
    this.#onRequest = onRequest;
    this.#mirror = new ThreadMirror({ ...divergence, session, format: "openai-responses" });
  }

  /** The session that goes on; another one after the history took another way. */
  get session(): ContextSession {
    return this.#mirror.session;
  }

  /** For `Runner` or `run`: appends what is new to the thread and gives what the plan shows. */
  readonly callModelInputFilter: CallModelInputFilter = async ({ modelData, agent }) => {
    const { input, instructions } = modelData;
    const frame = { ...agentFrame(agent, instructions), ...this.#frame };
    const { offset } = await this.#mirror.sync(input.map(liveItem));
    this.#newest = { items: input, offset, frame, instructions };
    return { ...(instructions !== undefined && { instructions }), ...(await this.again()) };
  };

  /** The newest request, prepared anew: after an overflow was reported it is folded. */
  readonly again = async (signal?: AbortSignal): Promise<ShownInput> => {
    const { items = [], offset = 0, frame = this.#frame, instructions } = this.#newest ?? {};
    const prepared = await prepareFor(this.session, {
      ...(frame && { frame }),
      ...(signal && { signal }),
      ...(this.#onRequest && { onRequest: this.#onRequest }),
    });
    return shownInput(prepared, this.session.thread, { items, offset, instructions });
  };

  /**
   * A model that tells the session what the provider reported, asks once more after an overflow that a fold helps against,
   * and asks once more when the output limit cut off a call.
   */
  model(model: Model): Model {
    return new FoldingModel(model, this);
  }

  /** A provider of such models, for `Runner`. */
  modelProvider(provider: ModelProvider): ModelProvider {
    return { getModel: async (name) => this.model(await provider.getModel(name)) };
  }
}

/**
 * A filter for `Runner` or `run` that folds what the model is sent. To have overflows answered and usage taken in as well,
 * make a {@link ThreadProjection} and give the runner its models.
 */
export const createCallModelInputFilter = (options: ThreadProjectionOptions): CallModelInputFilter =>
  new ThreadProjection(options).callModelInputFilter;
