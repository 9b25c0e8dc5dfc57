import {
  type CompactionPlan,
  type ContextCompactionConfig,
  compactionConfig,
  type SummaryRole,
  type SummaryWording,
  type TokenBudget,
} from "@threadfold/core";
import type { RehydrationResult } from "@threadfold/rehydration";
import type { ProviderFormat } from "@threadfold/renderer";
import type { ThreadState } from "../thread/thread-state.ts";
import { requestBudget } from "./request-budget.ts";
import { EMPTY_FRAME, isSameFrame, type RequestFrame } from "./request-frame.ts";
import { type RenderScene, RequestRenderer } from "./request-renderer.ts";

/** The model that requests go to, as far as making them depends on it. */
export interface ModelTarget {
  /** Its name; see `SessionOptions.model`. */
  readonly model?: string;
  /** Tokens that a request to it may have; the cap as it was when left out. */
  readonly maxInputTokens?: number;
}

/** What a request scene begins with. */
export interface RequestSceneParts {
  readonly config: ContextCompactionConfig;
  readonly format: ProviderFormat;
  readonly model?: string;
  readonly frame?: RequestFrame;
  readonly summaryRole?: SummaryRole;
}

/** What requests are made of beside thread and plan: format, model, cap, and the host's frame. Keeps the newest renderer. */
export class RequestScene {
  readonly format: ProviderFormat;
  readonly summaryRole: SummaryRole;
  readonly summaryWording: SummaryWording | undefined;
  #config: ContextCompactionConfig;
  #model: string | undefined;
  #frame: RequestFrame;
  #newest: { readonly scene: RenderScene; readonly renderer: RequestRenderer } | undefined;

  constructor({ config, format, model, frame = EMPTY_FRAME, summaryRole = config.summaryRole }: RequestSceneParts) {
    this.#config = config;
    this.format = format;
    this.#model = model;
    this.#frame = frame;
    this.summaryRole = summaryRole;
    this.summaryWording = config.summaryWording;
  }

  get config(): ContextCompactionConfig {
    return this.#config;
  }

  get model(): string | undefined {
    return this.#model;
  }

  get frame(): RequestFrame {
    return this.#frame;
  }

  /** Takes the frame of the next requests. One that says the same changes nothing, so what was rendered with it still holds. */
  take(frame: RequestFrame | undefined): void {
    if (frame !== undefined && !isSameFrame(frame, this.#frame)) this.#frame = frame;
  }

  /** Makes the next requests for another model. @throws ThreadfoldError `INVALID_CONFIG` for a cap that is none. */
  retarget({ model, maxInputTokens }: ModelTarget): void {
    if (maxInputTokens !== undefined) this.#config = compactionConfig({ ...this.#config, maxInputTokens });
    if (model !== undefined) this.#model = model;
  }

  /** Renders plans over the thread as it is now. */
  renderer(state: ThreadState): RequestRenderer {
    const scene = this.#renderScene(state);
    const { scene: last, renderer: before } = this.#newest ?? {};
    if (before !== undefined && last?.frame === scene.frame && last.state === state && last.model === scene.model)
      return before;
    // What was rendered for another model holds reasoning that this one may not take.
    const renderer = new RequestRenderer(scene, last?.model === scene.model ? before : undefined);
    this.#newest = { scene, renderer };
    return renderer;
  }

  /** Renders with content that was brought back for one request. */
  rendererWith(state: ThreadState, rehydrated: readonly RehydrationResult[]): RequestRenderer {
    if (rehydrated.length === 0) return this.renderer(state);
    const content = rehydrated.map(({ tokenCount, ...result }) => ({ ...result, tokens: tokenCount }));
    return new RequestRenderer({ ...this.#renderScene(state), rehydrated: content }, this.renderer(state));
  }

  budget(state: ThreadState): TokenBudget {
    return requestBudget(this.#config, this.#frame, state.ledger);
  }

  /** Tokens that the request under a plan leaves below the cap. */
  freeTokens(state: ThreadState, plan: CompactionPlan): number {
    const { maxInputTokens, outputReserveTokens } = this.#config;
    return maxInputTokens - outputReserveTokens - this.renderer(state).measure(plan);
  }

  #renderScene(state: ThreadState): RenderScene {
    const { format, summaryRole, summaryWording } = this;
    const scene = {
      state,
      frame: this.#frame,
      format,
      summaryRole,
      ...(summaryWording !== undefined && { summaryWording }),
    };
    return this.#model === undefined ? scene : { ...scene, model: this.#model };
  }
}
