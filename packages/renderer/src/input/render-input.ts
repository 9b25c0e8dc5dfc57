import type {
  AgentThread,
  ArtifactId,
  ChatRequest,
  CompactionPlan,
  PinId,
  SummaryRole,
  SummaryWording,
  SystemEntry,
  TokenBreakdown,
  TokenLedger,
  ToolDefinition,
} from "@threadfold/core";
import type { RenderWarning } from "../warnings/render-warning.ts";
import type { HostFields } from "./host-fields.ts";
import type { CapabilityTable } from "./model-capabilities.ts";
import type { RenderManifest } from "./render-manifest.ts";

/** Externalized content that is restored for one request and never appended to the thread. */
export interface RehydratedContent {
  readonly artifactId: ArtifactId;
  readonly content: string;
  /** Tokens of `content` as the interceptor budgeted it; rendering counts the whole message itself. */
  readonly tokens: number;
  /** True when `content` is only a part of the artifact. */
  readonly truncated: boolean;
}

/** The input from which a request is rendered. */
export interface RenderInput {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
  /**
   * Counted headers, so that an unchanged message is never counted again. `ledger.tokenizer` counts everything else.
   */
  readonly ledger: TokenLedger;
  /** The host's system text. It comes before the thread's own. */
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
  readonly rehydrated?: readonly RehydratedContent[];
  /** Role of the messages that stand for folded spans. `assistant` by default; never `system`. */
  readonly summaryRole?: SummaryRole;
  /** Text around the summaries; by default nothing but their frames. */
  readonly summaryWording?: SummaryWording;
  /**
   * Text of the user turn that is added when the log ends with an assistant turn. A neutral marker by default. When
   * set, it is also added after unanswered calls at the end of the log.
   */
  readonly continuation?: string;
  /**
   * Name of the model that the request is for. Whatever that model cannot take back, such as reasoning of another
   * provider or model, is left out with a warning. Without a name the format's own table applies, which suits the
   * strictest model.
   */
  readonly model?: string;
  /** Fields that the host adds to the request itself. */
  readonly host?: HostFields;
  /** Rows that add to the table of model capabilities. */
  readonly capabilities?: CapabilityTable;
}

/** A request ready to be lowered by the format it was rendered for, with its manifest, warnings and token counts. */
export interface Rendering {
  /** Neutral and already legal for the format: repairs happen here, so that they are counted. */
  readonly request: ChatRequest;
  readonly manifest: RenderManifest;
  /** What was lost or repaired on the way, one entry per kind and reason. */
  readonly warnings: readonly RenderWarning[];
  /** Tokens of the counted request. */
  readonly tokens: number;
  /** What uses the tokens; the shares add up to `tokens`. */
  readonly breakdown: TokenBreakdown;
  /** Live pins whose exact text appears nowhere in the request. */
  readonly missingPins: readonly PinId[];
}
