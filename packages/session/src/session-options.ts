import type {
  Clock,
  CompactionEventListener,
  ContextCompactionConfig,
  ProviderAwareTokenizer,
  SecurityContext,
  Summarizer,
  SummaryRole,
  ThreadfoldStore,
  ThreadId,
} from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import type { CompactionPreset } from "@threadfold/strategies";
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
  /** Summarizes folded spans. Extractive, without a model, by default. */
  readonly summarizer?: Summarizer;
  /** The provider's request format. Anthropic Messages by default. */
  readonly format?: ProviderFormat;
  /** System text and tools of the host; `prepare` may override them call by call. */
  readonly frame?: RequestFrame;
  readonly summaryRole?: SummaryRole;
  readonly clock?: Clock;
  readonly tenantId?: string | null;
  /** On whose behalf externalized content is read back. */
  readonly securityContext?: SecurityContext;
  /** Hears what compaction does. What it throws is ignored. */
  readonly onEvent?: CompactionEventListener;
}
