import { type ProviderAwareTokenizer, type Summarizer, type SummaryRole, ThreadfoldError } from "@threadfold/core";
import { formatById, type ProviderFormat } from "@threadfold/renderer";
import { type CompactionPreset, presetByName } from "@threadfold/strategies";
import { loadTokenizer } from "@threadfold/tokenizers";
import type { GoldenPayloads, GoldenPolicy } from "../golden-options.ts";
import { DEFAULT_MASKS, type Mask } from "../mask/mask-rule.ts";

/** A policy with its defaults filled in and its names looked up. */
export interface ResolvedPolicy {
  readonly preset: CompactionPreset;
  readonly config: NonNullable<GoldenPolicy["config"]>;
  /** At least one. */
  readonly formats: readonly [ProviderFormat, ...ProviderFormat[]];
  readonly tokenizer: ProviderAwareTokenizer;
  readonly now: number;
  readonly mask: readonly Mask[];
  readonly payloads: GoldenPayloads;
  readonly summarizer?: Summarizer;
  readonly summaryRole?: SummaryRole;
}

/** All golden times are this one unless the options name another. */
const PINNED_TIME = Date.UTC(2026, 0, 1);
const PAYLOADS: readonly GoldenPayloads[] = ["full", "digests", "none"];

/**
 * Looks up what a policy names.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a preset, counter, time, mask list or way of keeping payloads that does
 * not exist, and for formats that are named twice or both ways; `USAGE` for a format that does not exist.
 */
export async function resolvePolicy(policy: GoldenPolicy): Promise<ResolvedPolicy> {
  const { preset = "threadfold", config = {}, tokenizer = "heuristic", now = PINNED_TIME } = policy;
  const { mask = DEFAULT_MASKS, payloads = "full", summarizer, summaryRole } = policy;
  if (!Number.isFinite(new Date(now).getTime())) throw invalid("now", now, "a time in milliseconds");
  if (!Array.isArray(mask)) throw invalid("mask", mask, "a list of masks; [] masks nothing");
  if (!PAYLOADS.includes(payloads)) throw invalid("payloads", payloads, `one of ${PAYLOADS.join(", ")}`);
  return {
    preset: typeof preset === "string" ? presetByName(preset) : preset,
    config,
    formats: formatsOf(policy),
    tokenizer: typeof tokenizer === "string" ? await loadTokenizer(tokenizer) : tokenizer,
    now,
    mask,
    payloads,
    ...(summarizer !== undefined && { summarizer }),
    ...(summaryRole !== undefined && { summaryRole }),
  };
}

function formatsOf({ format, formats }: GoldenPolicy): ResolvedPolicy["formats"] {
  if (format !== undefined && formats !== undefined) throw invalid("format", "format and formats", "one of the two");
  const found = (formats ?? [format ?? "anthropic-messages"]).map((one) =>
    typeof one === "string" ? formatById(one) : one,
  );
  const [first, ...others] = found;
  const isRepeated = new Set(found.map(({ id }) => id)).size < found.length;
  if (first === undefined || isRepeated) throw invalid("formats", found.map(({ id }) => id).join(", "), "each once");
  return [first, ...others];
}

const invalid = (option: string, found: unknown, expected: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_CONFIG", `The option ${option} is ${String(found)}; expected is ${expected}.`, {
    hint: "See GoldenPromptOptions.",
    details: { option },
  });
