import type { CompactionOutcome, CompactionPlan } from "@threadfold/core";
import type { RehydrationResult } from "@threadfold/rehydration";
import type { FoldMemory } from "../fold/fold-memory.ts";
import type { SessionRecorder } from "../journal/session-journal.ts";
import type { SessionThread } from "../thread/session-thread.ts";
import type { CacheMarks } from "./cache-marks.ts";
import type { PreparedRequest } from "./prepared-request.ts";
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

/** Renders requests and records each one by its digest before it is handed out. */
export class RequestRecorder {
  readonly #ports: RequestRecorderPorts;

  constructor(ports: RequestRecorderPorts) {
    this.#ports = ports;
  }

  /** Renders the thread as it is now under a plan. `rehydrated` is shown in this request alone. @throws what the journal throws. */
  async prepare(
    plan: CompactionPlan,
    outcome: CompactionOutcome | null,
    rehydrated: readonly RehydrationResult[],
  ): Promise<PreparedRequest> {
    const { thread, request, memory, journal, tokenizer, marks } = this.#ports;
    const { state } = thread;
    const { frame, model, summaryRole, summaryWording, format } = request;
    const { rendering, payload, verification, digest } = request.rendererWith(state, rehydrated).render(plan);
    const { text, digest: sum, bytes } = digest;
    const prepared: PreparedRequest = {
      format: format.id,
      request: rendering.request,
      payload: marks.mark(payload, rendering.request, format, model),
      payloadText: text,
      digest: sum,
      bytes,
      tokens: rendering.tokens,
      breakdown: rendering.breakdown,
      plan,
      manifest: rendering.manifest,
      warnings: rendering.warnings,
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
}
