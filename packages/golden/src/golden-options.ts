import type {
  AgentThread,
  ContextCompactionConfig,
  MessageInput,
  ProviderAwareTokenizer,
  Summarizer,
  SummaryRole,
  SystemEntry,
  ThreadId,
  ToolDefinition,
} from "@threadfold/core";
import type { FormatId, ProviderFormat } from "@threadfold/renderer";
import type { RequestFrame } from "@threadfold/session";
import type { CompactionPreset } from "@threadfold/strategies";
import type { Mask } from "./mask/mask-rule.ts";

/** A conversation with its frame, as the importers give it; `importSessionFile(path)` fits as it is, promise and all. */
export interface RecordedSession {
  readonly threadId: ThreadId;
  readonly messages: readonly MessageInput[];
  readonly system?: readonly SystemEntry[];
  readonly tools?: readonly ToolDefinition[];
}

/** The conversation of a golden prompt: one of the three. */
export type GoldenSource =
  | { readonly thread: AgentThread; readonly session?: never; readonly messages?: never }
  | {
      readonly session: RecordedSession | PromiseLike<RecordedSession>;
      readonly thread?: never;
      readonly messages?: never;
    }
  | { readonly messages: readonly MessageInput[]; readonly thread?: never; readonly session?: never };

/**
 * How payloads are kept: `full` keeps each format's payload as a file, `digests` keeps a digest and the length of each,
 * `none` keeps nothing of them.
 */
export type GoldenPayloads = "full" | "digests" | "none";

/** What the conversation is folded with. Everything has a default. */
export interface GoldenPolicy {
  /** The policy, or the name of one of Threadfold's. `threadfold` by default. */
  readonly preset?: CompactionPreset | string;
  /** Figures that override the preset's. */
  readonly config?: Partial<ContextCompactionConfig>;
  /** Request formats. Plan and page are those of the first one. Anthropic Messages by default. */
  readonly formats?: readonly (ProviderFormat | FormatId)[];
  /** Shorthand for `formats` with one entry. */
  readonly format?: ProviderFormat | FormatId;
  /** Counts tokens, or the name of a counter that `loadTokenizer` knows. chars/4 by default. */
  readonly tokenizer?: ProviderAwareTokenizer | string;
  /** System text and tools of the host; those of a recorded session by default. */
  readonly frame?: RequestFrame;
  /** Extractive, without a model, by default. One that calls a model gives a golden prompt that is never the same. */
  readonly summarizer?: Summarizer;
  readonly summaryRole?: SummaryRole;
  /** The time that it is for the session, in milliseconds. The beginning of 2026 by default. */
  readonly now?: number;
  /** What is masked before the conversation is folded. Times and generated ids by default; `[]` masks nothing. */
  readonly mask?: readonly Mask[];
  /** `full` by default. */
  readonly payloads?: GoldenPayloads;
}

/** A conversation and the policy that makes a prompt of it. */
export type GoldenPromptOptions = GoldenSource & GoldenPolicy;
