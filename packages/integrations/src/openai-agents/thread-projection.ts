import type { AgentInputItem, CallModelInputFilter, Model, ModelProvider } from "@openai/agents";
import type { ContextSession, RequestFrame } from "@threadfold/session";
import type { OnDiverged } from "../mirror/divergence.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";
import { agentFrame } from "./agent-frame.ts";
import { FoldingModel } from "./folding-model.ts";
import { liveItem } from "./live-item.ts";
import { type ShownInput, shownInput } from "./shown-input.ts";

/** What a projection is made with. */
export interface ThreadProjectionOptions {
  /** Open, on the thread of this conversation. Requests for OpenAI want the format `openai-responses` or `openai-chat`. */
  readonly session: ContextSession;
  /** Tools and instructions that requests are counted with; those of the agent by default. */
  readonly frame?: RequestFrame;
  /** Called when the input no longer begins with what the thread was made of; without it that is an error. */
  readonly onDiverged?: OnDiverged;
}

/**
 * One conversation of the Agents SDK as Threadfold shows it to the model. The run's own items, its history and its session
 * stay whole; only what is sent is folded.
 */
export class ThreadProjection {
  readonly #frame: RequestFrame | undefined;
  readonly #mirror: ThreadMirror;
  /** What the newest request was made of, for asking again. */
  #newest: { readonly items: readonly AgentInputItem[]; readonly frame: RequestFrame } | undefined;

  constructor({ session, frame, onDiverged }: ThreadProjectionOptions) {
    this.#frame = frame;
    this.#mirror = new ThreadMirror({ session, format: "openai-responses", ...(onDiverged && { onDiverged }) });
  }

  /** The session that goes on; another one after a divergence. */
  get session(): ContextSession {
    return this.#mirror.session;
  }

  /** For `Runner` or `run`: appends what is new to the thread and gives what the plan shows. */
  readonly callModelInputFilter: CallModelInputFilter = async ({ modelData, agent }) => {
    const { input, instructions } = modelData;
    this.#newest = { items: input, frame: this.#frame ?? agentFrame(agent, instructions) };
    await this.#mirror.sync(input.map(liveItem));
    return { ...(instructions !== undefined && { instructions }), ...(await this.again()) };
  };

  /** The newest request, prepared anew: after an overflow was reported it is folded. */
  readonly again = async (signal?: AbortSignal): Promise<ShownInput> => {
    const { items = [], frame = this.#frame } = this.#newest ?? {};
    const prepared = await this.session.prepare({ ...(frame && { frame }), ...(signal && { signal }) });
    return shownInput(prepared, this.session.thread, items, frame?.system ?? []);
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
