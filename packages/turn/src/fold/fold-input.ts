import type {
  AgentThread,
  ArtifactStore,
  Clock,
  CompactionPlan,
  ContextCompactionConfig,
  DeterminismProbe,
  GroupedLedger,
  PlanVerifier,
  SpanReference,
  Summarizer,
  TokenLedger,
  ToolDefinition,
} from "@threadfold/core";
import type { CompactionProposal, CompactionStrategy } from "@threadfold/strategies";
import type { StorageProblem } from "../fulfil/body-archive.ts";
import type { Redact } from "../state/turn-state.ts";

/** What a fold works on. */
export interface FoldInput {
  readonly thread: AgentThread;
  /** Must have counted every message of the thread. */
  readonly ledger: TokenLedger;
  readonly grouped: GroupedLedger;
  /** The current plan, which the fold builds on. */
  readonly plan: CompactionPlan;
  readonly config: ContextCompactionConfig;
  /** Tokens that the request takes before its first message. */
  readonly overheadTokens: number;
  /** True to accept any plan that fits, however little it frees. */
  readonly hard: boolean;
  /** True to skip the ladder and fold to the deterministic floor at once. */
  readonly floorOnly?: boolean;
  /** True to end with an error, and so without a plan, when the summarizer fails. */
  readonly keepsOnFailure?: boolean;
  /** How long to wait for a strategy that makes its own records, in milliseconds; 180 000 by default. */
  readonly summaryTimeLimitMs?: number;
  /** True in a turn that brought content back: nothing is externalized or dropped, not even by clearing instead. */
  readonly sparesRehydrated?: boolean;
  /** The tools of the request; the plan keeps those that a tool search found. */
  readonly tools?: readonly ToolDefinition[];
  readonly tenantId?: string | null;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}

/** The ports that a fold uses. */
export interface FoldPorts {
  readonly ladder: readonly CompactionStrategy[];
  readonly summarizer: Summarizer;
  readonly artifacts: Pick<ArtifactStore, "store">;
  readonly verifier: PlanVerifier;
  readonly clock: Clock;
  /** Checks whether the sources of replayable results are unchanged. Without a probe, nothing replayable is cleared. */
  readonly determinismProbe?: DeterminismProbe;
  /** Redacts secrets in what code writes into summaries: declared fields and descriptions of artifacts. */
  readonly redact?: Redact;
  /** Called with every proposal that was chosen. */
  readonly onProposal?: (proposal: CompactionProposal, span: SpanReference) => void;
  /** Called with every body that the artifact store did not accept. */
  readonly onStorageProblem?: (problem: StorageProblem) => void;
}
