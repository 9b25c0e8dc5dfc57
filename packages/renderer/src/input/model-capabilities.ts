import { contextWindow, minimumCachedTokens, modelName, promptCachePriceOfModel } from "@threadfold/core";
import { derivation } from "./derivation.ts";

/** Assumed of any model whose rows say nothing else: the strictest. */
const STRICTEST = {
  reasoning: "prefix-bound",
  reasoningText: false,
  prefill: false,
  multimodalResults: true,
  cacheBreakpoints: false,
  compaction: false,
  toolSearch: true,
  systemInside: false,
} as const;

const NO_ROWS: CapabilityTable = Object.freeze({});

/**
 * Returns what a model accepts, or null when no row names it.
 *
 * @param more custom rows, keyed by the beginning of the model's name. They win over built-in rows of the same length.
 */
export const capabilitiesOf = (model: string, more: CapabilityTable = NO_ROWS): ModelCapabilities | null =>
  found(more, modelName(model));

/** Returns the same object for the same model, so that values derived from it are derived only once. */
const found = derivation((more: CapabilityTable, name: string): ModelCapabilities | null => {
  const rows = [...rowsFor(MODEL_CAPABILITIES, name), ...rowsFor(more, name)].sort((a, b) => a.length - b.length);
  if (rows.length === 0) return null;
  const price = promptCachePriceOfModel(name);
  const row: Partial<ModelCapabilities> = Object.assign({}, ...rows.map(({ row }) => row));
  return Object.freeze({
    provider: "unknown",
    ...STRICTEST,
    contextWindow: contextWindow(name),
    minimumCachedTokens: price === undefined ? 0 : minimumCachedTokens(price, name),
    ...row,
  });
});

const rowsFor = (table: CapabilityTable, name: string) =>
  Object.entries(table)
    .filter(([beginning]) => name.startsWith(beginning.toLowerCase()))
    .map(([{ length }, row]) => ({ length, row }));

/**
 * Checks whether two names mean the same model: the provider's own name or a cloud's, with or without a date. Two
 * different dates are two models.
 */
export function isSameModel(a: string, b: string): boolean {
  const [one, other] = [datedModel(a), datedModel(b)];
  return one.name === other.name && (one.date === other.date || one.date === "" || other.date === "");
}

/** Matches the suffixes that clouds append to a name (`-v1:0`, `@20250929`) and the dates in it. */
const DATED = /^(.*?)(?:[-@](\d{4}-?\d{2}-?\d{2}|latest))?(?:-v\d+(?::\d+)?)?$/;

function datedModel(model: string): { readonly name: string; readonly date: string } {
  const [, name = "", date = ""] = DATED.exec(modelName(model)) ?? [];
  // Claude 4 is called 4.0 as well.
  return { name: name.replace(/^(claude-.*-4)-0$/, "$1"), date: date === "latest" ? "" : date.replaceAll("-", "") };
}

/** What a model accepts, as far as rendering depends on it. In a table row, fields left out come from broader rows. */
export interface ModelCapabilities {
  /** The provider whose reasoning and opaque items the model accepts back. */
  readonly provider: string;
  /**
   * What replayed reasoning is bound to. `none` and `last-turn`: only to itself, so it stays valid when earlier
   * messages change; with `last-turn`, the provider reads only reasoning that belongs to the newest turn.
   * `prefix-bound`: to everything before it; reasoning after an edit that was made later is left out.
   */
  readonly reasoning: "none" | "last-turn" | "prefix-bound";
  /** Whether unsigned reasoning is sent back as text: servers of open models ask for it inside a tool loop. */
  readonly reasoningText: boolean;
  /** Whether a request may end with an assistant turn for the model to continue. */
  readonly prefill: boolean;
  /** Whether tool results may contain images and documents, if the format has a place for them. */
  readonly multimodalResults: boolean;
  /** Whether a request may mark where cached prefixes end. A model that does not support this rejects the marks. */
  readonly cacheBreakpoints: boolean;
  /** Whether its provider compacts for it and the model accepts the resulting item back. */
  readonly compaction: boolean;
  /** Whether it accepts deferred tools and tool search items. A model that does not rejects the request. */
  readonly toolSearch: boolean;
  /**
   * Whether it takes system messages inside a conversation, between what is said to it and its answer, from a provider
   * only some of whose models do.
   */
  readonly systemInside: boolean;
  /** Size of the context window, in tokens. */
  readonly contextWindow: number;
  /** Minimum length of a prefix that can be cached, in tokens. */
  readonly minimumCachedTokens: number;
}

/** Rows keyed by the beginning of a model's name; longer keys refine shorter ones. */
export type CapabilityTable = Readonly<Record<string, Partial<ModelCapabilities>>>;

/** Claude models whose signatures cover only the block itself; the server drops the thinking of older turns. */
const LOOP_BOUND = { reasoning: "last-turn", compaction: false } as const;
/** Claude models whose signatures cover only the block itself, and that read the thinking of every turn. */
const UNBOUND = { reasoning: "none" } as const;
/** Claude models that take system text only before the conversation. */
const SYSTEM_FIRST = { systemInside: false } as const;
/** Claude models that still accept an assistant prefill. */
const PREFILLED = { prefill: true } as const;
const TEXT_REASONING = { reasoning: "none", reasoningText: true } as const;

/** Rows for one model and its dated names; the name followed by any other number is a newer model. */
const only = (name: string, row: Partial<ModelCapabilities>): CapabilityTable => ({
  [name]: row,
  [`${name}-`]: { reasoning: "prefix-bound", systemInside: true },
  [`${name}-20`]: row,
  [`${name}-v`]: row,
});

/**
 * What models accept. A model without a row of its own is treated as the newest of its family, whose rules are the
 * strictest. Claude binds thinking to the prefix from Fable 5.1 and Opus 5.5 on (Anthropic's pages on preserved
 * thinking, November 2026). Which open models want their reasoning back is not confirmed by any vendor page: add a row
 * to override. Claude compacts from Opus 4.6 and Sonnet 4.6 on (Anthropic's pages on compaction, November 2026).
 * OpenAI's models support tool search from GPT-5.4 on (OpenAI's page on tool search, November 2026). Claude takes system
 * messages inside a conversation from Opus 4.8 on, except for Sonnet 5 (Anthropic's page on them, November 2026).
 */
export const MODEL_CAPABILITIES: CapabilityTable = Object.freeze({
  "claude-": { provider: "anthropic", cacheBreakpoints: true, compaction: true, systemInside: true },
  "claude-3": { ...LOOP_BOUND, ...PREFILLED, ...SYSTEM_FIRST },
  "claude-opus-4": { ...UNBOUND, ...SYSTEM_FIRST },
  "claude-opus-4-0": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-2": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-1": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-5": { ...PREFILLED, compaction: false },
  "claude-opus-4-8": { systemInside: true },
  "claude-sonnet-4": { ...UNBOUND, ...SYSTEM_FIRST },
  "claude-sonnet-4-0": { ...LOOP_BOUND, ...PREFILLED },
  "claude-sonnet-4-2": { ...LOOP_BOUND, ...PREFILLED },
  "claude-sonnet-4-5": { ...LOOP_BOUND, ...PREFILLED },
  "claude-haiku-4-5": { ...LOOP_BOUND, ...PREFILLED, ...SYSTEM_FIRST },
  ...only("claude-opus-5", UNBOUND),
  ...only("claude-sonnet-5", { ...UNBOUND, ...SYSTEM_FIRST }),
  ...only("claude-fable-5", UNBOUND),
  ...only("claude-mythos-5", UNBOUND),
  "gpt-": { provider: "openai", reasoning: "none" },
  "gpt-3": { toolSearch: false },
  "gpt-4": { toolSearch: false },
  "gpt-5": { compaction: true, toolSearch: false },
  "gpt-5.4": { toolSearch: true },
  "gpt-5.5": { toolSearch: true },
  "gpt-5.6": { cacheBreakpoints: true, toolSearch: true },
  "gpt-6": { compaction: true },
  o1: { provider: "openai", reasoning: "none", toolSearch: false },
  o3: { provider: "openai", reasoning: "none", toolSearch: false },
  o4: { provider: "openai", reasoning: "none", toolSearch: false },
  "gemini-": { provider: "google", reasoning: "none", multimodalResults: false },
  "gemini-3": { multimodalResults: true },
  "deepseek-": { provider: "deepseek", prefill: true, reasoning: "none" },
  "deepseek-v3.2": TEXT_REASONING,
  "deepseek-v4": TEXT_REASONING,
  "kimi-k2": { provider: "moonshotai", ...TEXT_REASONING },
  "glm-": { provider: "zai", ...TEXT_REASONING },
  "minimax-m": { provider: "minimax", ...TEXT_REASONING },
});
