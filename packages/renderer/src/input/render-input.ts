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

/** Externalized content that comes back for one request and is never appended to the thread. */
export interface RehydratedContent {
  readonly artifactId: ArtifactId;
  readonly content: string;
  /** Tokens of `content` as the interceptor budgeted it; rendering counts the whole message itself. */
  readonly tokens: number;
  /** True when `content` is not all of the artifact. */
  readonly truncated: boolean;
}

/** What a request is rendered from. */
export interface RenderInput {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
  /** Counted headers: a message that goes out unchanged is never counted again. `ledger.tokenizer` counts the rest. */
  readonly ledger: TokenLedger;
  /** The host's system text. It comes before the thread's own. */
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
  readonly rehydrated?: readonly RehydratedContent[];
  /** Role of the messages that stand for folded spans. `assistant` by default; never `system`. */
  readonly summaryRole?: SummaryRole;
  /** What is said around the summaries; nothing but their frames by default. */
  readonly summaryWording?: SummaryWording;
  /**
   * Text of the user turn that is added when the log ends on an assistant turn. A neutral marker by default. When it is
   * given, it is also added behind calls at the end of the log that nobody answered.
   */
  readonly continuation?: string;
  /**
   * Name of the model that the request is for. What it cannot take back, such as reasoning of another provider or model,
   * is left out with a warning. Without it the format's own table holds, which suits the strictest model.
   */
  readonly model?: string;
  /** What the host puts into the request besides what is rendered here. */
  readonly host?: HostFields;
  /** Rows that add to the table of model capabilities. */
  readonly capabilities?: CapabilityTable;
}

/** A request, ready to be lowered by the format that it was rendered for, and everything that is to be said about it. */
export interface Rendering {
  /** Neutral and already legal for the format: repairs are made here, so that they are counted. */
  readonly request: ChatRequest;
  readonly manifest: RenderManifest;
  /** What was lost or repaired on the way, one entry per kind and reason. */
  readonly warnings: readonly RenderWarning[];
  /** Tokens of the counted request. */
  readonly tokens: number;
  /** What takes the room; the shares add up to `tokens`. */
  readonly breakdown: TokenBreakdown;
  /** Live pins whose exact text stands nowhere in the request. */
  readonly missingPins: readonly PinId[];
}
