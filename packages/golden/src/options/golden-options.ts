import {
  type AgentThread,
  type ContextCompactionConfig,
  checkOptions,
  type MessageInput,
  type OptionKind,
  type ProviderAwareTokenizer,
  refuseArgument,
  type Summarizer,
  type SummaryRole,
  type SystemEntry,
  type ThreadId,
  type ToolDefinition,
} from "@threadfold/core";
import { type FormatId, formatById, type ProviderFormat } from "@threadfold/renderer";
import type { RequestFrame } from "@threadfold/session";
import { type CompactionPreset, presetByName } from "@threadfold/strategies";
import { loadTokenizer } from "@threadfold/tokenizers";
import { DEFAULT_MASKS, type Mask } from "../mask/mask-rule.ts";

/** A conversation with its frame, as the importers return it (also as the promise from `importSessionFile(path)`). */
export interface RecordedSession {
  readonly threadId: ThreadId;
  readonly messages: readonly MessageInput[];
  readonly system?: readonly SystemEntry[];
  readonly tools?: readonly ToolDefinition[];
}

/** The conversation of a golden prompt, given in exactly one of three ways. */
export type GoldenSource =
  | { readonly thread: AgentThread; readonly session?: never; readonly messages?: never }
  | {
      readonly session: RecordedSession | PromiseLike<RecordedSession>;
      readonly thread?: never;
      readonly messages?: never;
    }
  | { readonly messages: readonly MessageInput[]; readonly thread?: never; readonly session?: never };

/**
 * How payloads are kept: `full` keeps each format's payload as a file, `digests` its digest and length, `none` nothing.
 */
export type GoldenPayloads = "full" | "digests" | "none";

/** How the conversation is folded. Every option has a default. */
export interface GoldenPolicy {
  /** A preset, or the name of one of Threadfold's. `threadfold` by default. */
  readonly preset?: CompactionPreset | string;
  /** Figures that override the preset's. */
  readonly config?: Partial<ContextCompactionConfig>;
  /** Request formats. Plan and page come from the first one. Anthropic Messages by default. */
  readonly formats?: readonly (ProviderFormat | FormatId)[];
  /** Shorthand for `formats` with one entry. */
  readonly format?: ProviderFormat | FormatId;
  /** A token counter, or the name of one that `loadTokenizer` supports. chars/4 by default. */
  readonly tokenizer?: ProviderAwareTokenizer | string;
  /**
   * Name of the model that requests go to, as a session is told it: what the model does not accept is left out, and
   * without `maxInputTokens` its window is the cap. Without a name, the format's own table applies.
   */
  readonly model?: string;
  /** System text and tools of the host. Defaults to those of the recorded session. */
  readonly frame?: RequestFrame;
  /** Extractive, without a model, by default. One that calls a model makes the golden prompt different every time. */
  readonly summarizer?: Summarizer;
  readonly summaryRole?: SummaryRole;
  /** The current time as the session sees it, in milliseconds. The beginning of 2026 by default. */
  readonly now?: number;
  /** What is masked before the conversation is folded. Times and generated ids by default; `[]` masks nothing. */
  readonly mask?: readonly Mask[];
  /** `full` by default. */
  readonly payloads?: GoldenPayloads;
}

/** A conversation and the policy that turns it into a prompt. */
export type GoldenPromptOptions = GoldenSource & GoldenPolicy;

const PAYLOADS: readonly GoldenPayloads[] = ["full", "digests", "none"];

const OPTIONS: Readonly<Record<keyof GoldenPromptOptions, OptionKind>> = {
  thread: "any",
  session: "any",
  messages: "list",
  preset: "any",
  config: "object",
  formats: "list",
  format: "any",
  tokenizer: "any",
  model: "name",
  frame: "object",
  summarizer: "object",
  summaryRole: "text",
  now: "any",
  mask: "list",
  payloads: PAYLOADS,
};

/**
 * Checks that every option exists, because a misspelled one would keep the prompt of the defaults, and that its value
 * is of its kind.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` naming the first one for which that is not so.
 */
export const requireKnownOptions = (options: GoldenPromptOptions): void => checkOptions("options", options, OPTIONS);

/** A policy with its defaults filled in and its names looked up. */
export interface ResolvedPolicy {
  readonly preset: CompactionPreset;
  readonly config: NonNullable<GoldenPolicy["config"]>;
  /** At least one; plan and page come from the first. */
  readonly formats: readonly [ProviderFormat, ...ProviderFormat[]];
  readonly tokenizer: ProviderAwareTokenizer;
  readonly now: number;
  readonly mask: readonly Mask[];
  readonly payloads: GoldenPayloads;
  readonly model?: string;
  readonly summarizer?: Summarizer;
  readonly summaryRole?: SummaryRole;
}

/** The current time of every golden prompt unless the options set another. */
const PINNED_TIME = Date.UTC(2026, 0, 1);

/**
 * Fills in a policy's defaults and looks up everything that it refers to by name.
 *
 * @param policy its names and the kinds of its values are already checked.
 * @throws ThreadfoldError `INVALID_CONFIG` when there is no such preset, counter, format or time, a format is named
 * twice, or both `format` and `formats` are set.
 */
export async function resolvePolicy(policy: GoldenPolicy): Promise<ResolvedPolicy> {
  const { preset = "threadfold", config = {}, tokenizer = "heuristic", now = PINNED_TIME } = policy;
  const { mask = DEFAULT_MASKS, payloads = "full", model, summarizer, summaryRole } = policy;
  if (!Number.isFinite(new Date(now).getTime())) refuseArgument("now", "it has to be a time in milliseconds.");
  return {
    preset: typeof preset === "string" ? presetByName(preset) : preset,
    config,
    formats: formatsOf(policy),
    tokenizer: typeof tokenizer === "string" ? await loadTokenizer(tokenizer) : tokenizer,
    now,
    mask,
    payloads,
    ...(model !== undefined && { model }),
    ...(summarizer !== undefined && { summarizer }),
    ...(summaryRole !== undefined && { summaryRole }),
  };
}

function formatsOf({ format, formats }: GoldenPolicy): ResolvedPolicy["formats"] {
  if (format !== undefined && formats !== undefined)
    refuseArgument("format", "formats is given as well.", "Pass one of the two.");
  const found = (formats ?? [format ?? "anthropic-messages"]).map((one) =>
    typeof one === "string" ? formatById(one) : one,
  );
  const [first, ...others] = found;
  const isRepeated = new Set(found.map(({ id }) => id)).size < found.length;
  if (first === undefined || isRepeated)
    refuseArgument("formats", "it has to name at least one format, and each once.");
  return [first, ...others];
}
