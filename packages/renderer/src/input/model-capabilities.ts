import { contextWindow, minimumCachedTokens, modelName, promptCachePriceOfModel } from "@threadfold/core";
import { derivation } from "./derivation.ts";

/** What is assumed of a model that no row says more of: the strictest. */
const STRICTEST = {
  reasoning: "prefix-bound",
  reasoningText: false,
  prefill: false,
  multimodalResults: true,
  cacheBreakpoints: false,
  compaction: false,
  toolSearch: true,
} as const;

const NO_ROWS: CapabilityTable = Object.freeze({});

/**
 * What a model can take; null when no row names it.
 *
 * @param more custom rows, by the beginning of the model's name. They win over the built-in ones of the same length.
 */
export const capabilitiesOf = (model: string, more: CapabilityTable = NO_ROWS): ModelCapabilities | null =>
  found(more, modelName(model));

/** The same object for the same model, so that what is derived from it is derived once. */
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
 * True when two names mean one model: as its provider and as clouds name it, with a date behind it or without. Two dates are
 * two models.
 */
export function isSameModel(a: string, b: string): boolean {
  const [one, other] = [datedModel(a), datedModel(b)];
  return one.name === other.name && (one.date === other.date || one.date === "" || other.date === "");
}

/** What clouds put behind a name (`-v1:0`, `@20250929`), and what stands for a date. */
const DATED = /^(.*?)(?:[-@](\d{4}-?\d{2}-?\d{2}|latest))?(?:-v\d+(?::\d+)?)?$/;

function datedModel(model: string): { readonly name: string; readonly date: string } {
  const [, name = "", date = ""] = DATED.exec(modelName(model)) ?? [];
  // Claude 4 is called 4.0 as well.
  return { name: name.replace(/^(claude-.*-4)-0$/, "$1"), date: date === "latest" ? "" : date.replaceAll("-", "") };
}

/** What a model can take, as far as rendering depends on it. A row of the table; what is left out comes from broader rows. */
export interface ModelCapabilities {
  /** Name of the provider whose reasoning and opaque items the model takes back. */
  readonly provider: string;
  /**
   * What reasoning that goes back is bound to. `none` and `last-turn`: to nothing but itself, so that it stays valid when
   * the messages before it change; `last-turn` says that the provider reads only what belongs to the newest turn.
   * `prefix-bound`: to everything before it; what stands behind an edit that was made later is left out.
   */
  readonly reasoning: "none" | "last-turn" | "prefix-bound";
  /** Whether reasoning that nobody signed goes back as text: servers of open models ask for it inside a tool loop. */
  readonly reasoningText: boolean;
  /** Whether a request may end on an assistant turn that the model goes on with. */
  readonly prefill: boolean;
  /** Whether tool results may hold pictures and documents, where the format has a place for them. */
  readonly multimodalResults: boolean;
  /** Whether a request may mark where cached prefixes end. A model that may not refuses the marks. */
  readonly cacheBreakpoints: boolean;
  /** Whether its provider compacts for it, and it takes back what that gave. */
  readonly compaction: boolean;
  /** Whether it takes tools that wait for a search, and the searches. One that may not refuses the request. */
  readonly toolSearch: boolean;
  /** In tokens. */
  readonly contextWindow: number;
  /** Shorter prefixes are never cached, in tokens. */
  readonly minimumCachedTokens: number;
}

/** Rows by the beginning of a model's name; longer beginnings refine shorter ones. */
export type CapabilityTable = Readonly<Record<string, Partial<ModelCapabilities>>>;

/** Claude models whose signatures hold for the block alone; the server drops the thinking of older turns itself. */
const LOOP_BOUND = { reasoning: "last-turn", compaction: false } as const;
/** Claude models whose signatures hold for the block alone, and that read the thinking of every turn. */
const UNBOUND = { reasoning: "none" } as const;
/** Claude models that may still be asked to go on with a text of their own. */
const PREFILLED = { prefill: true } as const;
const TEXT_REASONING = { reasoning: "none", reasoningText: true } as const;

/** Rows for one model and its dated names, where a further number behind the name is a newer model. */
const only = (name: string, row: Partial<ModelCapabilities>): CapabilityTable => ({
  [name]: row,
  [`${name}-`]: { reasoning: "prefix-bound" },
  [`${name}-20`]: row,
  [`${name}-v`]: row,
});

/**
 * What models can take. A model without a row of its own is
 * taken for the newest of its family, whose rules are the strictest. Claude binds thinking to the prefix from Fable 5.1 and
 * Opus 5.5 on (Anthropic's pages on preserved thinking, November 2026). Which open models want their reasoning back is not
 * confirmed by a vendor's page: add a row to say otherwise. Claude compacts from Opus 4.6 and Sonnet 4.6 on (Anthropic's pages on
 * compaction, November 2026). OpenAI's models search for tools from GPT-5.4 on (OpenAI's page on tool search, November 2026).
 */
export const MODEL_CAPABILITIES: CapabilityTable = Object.freeze({
  "claude-": { provider: "anthropic", cacheBreakpoints: true, compaction: true },
  "claude-3": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4": UNBOUND,
  "claude-opus-4-0": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-2": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-1": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-5": { ...PREFILLED, compaction: false },
  "claude-sonnet-4": UNBOUND,
  "claude-sonnet-4-0": { ...LOOP_BOUND, ...PREFILLED },
  "claude-sonnet-4-2": { ...LOOP_BOUND, ...PREFILLED },
  "claude-sonnet-4-5": { ...LOOP_BOUND, ...PREFILLED },
  "claude-haiku-4-5": { ...LOOP_BOUND, ...PREFILLED },
  ...only("claude-opus-5", UNBOUND),
  ...only("claude-sonnet-5", UNBOUND),
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
