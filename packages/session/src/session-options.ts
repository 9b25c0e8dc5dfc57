import type {
  Clock,
  CompactionEventListener,
  ContextCompactionConfig,
  DeterminismProbe,
  ProviderAwareTokenizer,
  SecurityContext,
  Summarizer,
  SummaryRole,
  ThreadfoldStore,
  ThreadId,
} from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import type { CompactionPreset } from "@threadfold/strategies";
import type { Calibration } from "@threadfold/tokenizers";
import type { RequestFrame } from "./request-frame.ts";

/** What a session is opened with. Only `threadId` has no default. */
export interface SessionOptions {
  readonly threadId: ThreadId;
  /** Where thread, plans, artifacts and journal are kept. Memory by default: gone when the process ends. */
  readonly store?: ThreadfoldStore;
  /** The policy. `threadfold` by default. */
  readonly preset?: CompactionPreset;
  /** Figures that override the preset's. */
  readonly config?: Partial<ContextCompactionConfig>;
  /** Counts tokens. chars/4 by default. */
  readonly tokenizer?: ProviderAwareTokenizer;
  /** What earlier sessions learned of a model's counter, and the model; `ContextSession.calibration` gives it back, bettered. */
  readonly calibration?: { readonly model: string; readonly learned?: Calibration };
  /** Summarizes folded spans. Extractive, without a model, by default. */
  readonly summarizer?: Summarizer;
  /** The provider's request format. Anthropic Messages by default. */
  readonly format?: ProviderFormat;
  /** System text and tools of the host; `prepare` may override them call by call. */
  readonly frame?: RequestFrame;
  readonly summaryRole?: SummaryRole;
  /**
   * Name of the model that requests go to. What it cannot take back, such as another model's signed reasoning, is left
   * out with a warning. Without it the format's own table holds, which suits the strictest model.
   */
  readonly model?: string;
  /** Says whether the source of a replayable result is still as it was. Without one none is cleared for being replayable. */
  readonly determinismProbe?: DeterminismProbe;
  readonly clock?: Clock;
  /**
   * False for a session that nobody will replay or audit, such as one whose store ends with the process: nothing goes
   * into the journal, and the digests that only the journal needs are not made. True by default.
   */
  readonly journal?: boolean;
  readonly tenantId?: string | null;
  /** On whose behalf externalized content is read back. */
  readonly securityContext?: SecurityContext;
  /** Hears what compaction does. What it throws is ignored. */
  readonly onEvent?: CompactionEventListener;
}
