import { actionOf, type CompactionOutcome, type CompactionPlan, roomTokens } from "@threadfold/core";
import type { RehydrationResult } from "@threadfold/rehydration";
import type { RenderWarning } from "@threadfold/renderer";
import type { FoldMemory } from "../fold/fold-memory.ts";
import type { SessionRecorder } from "../journal/session-journal.ts";
import type { SessionThread } from "../thread/session-thread.ts";
import type { ThreadState } from "../thread/thread-state.ts";
import type { CacheMarks } from "./cache-marks.ts";
import type { PreparedRequest } from "./prepared-request.ts";
import type { RenderedPlan } from "./request-renderer.ts";
import type { RequestScene } from "./request-scene.ts";

/** What requests are rendered from and recorded with. */
export interface RequestRecorderPorts {
  readonly thread: SessionThread;
  readonly request: RequestScene;
  readonly memory: FoldMemory;
  readonly journal: SessionRecorder;
  readonly marks: CacheMarks;
  /** Id of the counter. */
  readonly tokenizer: string;
}

/** A request that nobody has got yet. */
export interface RenderedRequest {
  readonly state: ThreadState;
  readonly plan: CompactionPlan;
  readonly rendered: RenderedPlan;
  /** What is shown in this request alone. */
  readonly rehydrated: readonly RehydrationResult[];
  /** True when it takes more than its room. */
  readonly overBudget: boolean;
}

/** Tells of rules that neither a pin nor their own message says any more. */
function unpinnedWarning({ state, unpinned }: SessionThread, plan: CompactionPlan): readonly RenderWarning[] {
  const messageIds = unpinned.flatMap(({ source }) => source?.messageId ?? []);
  const folded = [...new Set(messageIds)].filter((id) => {
    const message = state.thread.messageInMemory(id);
    return message === undefined || actionOf(plan, id, message.ordinal).record !== null;
  });
  return folded.length === 0 ? [] : [{ kind: "rule-not-pinned", messageIds: folded }];
}

/** Renders requests and records each one by its digest before it is handed out. */
export class RequestRecorder {
  readonly #ports: RequestRecorderPorts;

  constructor(ports: RequestRecorderPorts) {
    this.#ports = ports;
  }

  /** Renders the thread as it is now under a plan. */
  render(plan: CompactionPlan, rehydrated: readonly RehydrationResult[]): RenderedRequest {
    const { thread, request } = this.#ports;
    const { state } = thread;
    const rendered = request.rendererWith(state, rehydrated).render(plan);
    const overBudget = rendered.rendering.tokens > roomTokens(request.config);
    return { state, plan, rendered, rehydrated, overBudget };
  }

  /** Hands a request out. @throws what the journal throws. */
  async record(made: RenderedRequest, outcome: CompactionOutcome | null): Promise<PreparedRequest> {
    const { thread, request, memory, journal, tokenizer, marks } = this.#ports;
    const { state, plan, rehydrated, overBudget } = made;
    const { rendering, payload, verification, digest } = made.rendered;
    const { frame, model, summaryRole, summaryWording, format } = request;
    const { text, digest: sum, bytes } = digest;
    const prepared: PreparedRequest = {
      format: format.id,
      request: rendering.request,
      payload: marks.mark(payload, rendering.request, format, model),
      payloadText: text,
      digest: sum,
      bytes,
      tokens: rendering.tokens,
      overBudget,
      breakdown: rendering.breakdown,
      plan,
      manifest: rendering.manifest,
      warnings: [...rendering.warnings, ...unpinnedWarning(thread, plan)],
      violations: verification.violations,
      missingPins: rendering.missingPins,
      outcome,
      rehydrated: rehydrated.map((result) => result.artifactId),
    };
    memory.requestSent({ planVersion: plan.version, tokens: prepared.tokens });
    await journal.requestRendered(prepared, {
      frame,
      tokenizer,
      summaryRole,
      ...(summaryWording !== undefined && { summaryWording }),
      ...(model !== undefined && { model }),
      threadVersion: state.thread.version,
      rehydrated,
    });
    return prepared;
  }

  /** Writes down that a request is not handed out. */
  async refuse({ state, plan, rendered }: RenderedRequest, outcome: CompactionOutcome): Promise<void> {
    const { maxInputTokens, outputReserveTokens } = this.#ports.request.config;
    await this.#ports.journal.requestRefused({
      outcome: outcome.type,
      threadVersion: state.thread.version,
      planVersion: plan.version,
      tokens: rendered.rendering.tokens,
      maxInputTokens,
      outputReserveTokens,
    });
  }
}
