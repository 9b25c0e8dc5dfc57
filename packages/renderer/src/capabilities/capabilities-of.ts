import { contextWindow, minimumCachedTokens, promptCachePriceOfModel } from "@threadfold/core";
import { derivation } from "../neutral/derivation.ts";
import { MODEL_CAPABILITIES } from "./capability-table.ts";
import type { CapabilityTable, ModelCapabilities } from "./model-capabilities.ts";

/** What is assumed of a model that no row says more of: the strictest. */
const STRICTEST = {
  reasoning: "prefix-bound",
  reasoningText: false,
  prefill: false,
  multimodalResults: true,
  cacheBreakpoints: false,
} as const;

const NO_ROWS: CapabilityTable = Object.freeze({});

/**
 * A model's name without the words that gateways put before it: `us.anthropic.claude-x`, `anthropic/claude-x` and
 * `models/gemini-x` are `claude-x` and `gemini-x`. Dots in the names of Claude models are hyphens.
 */
export function modelName(model: string): string {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const claude = name.indexOf("claude-");
  return claude < 0 ? name : name.slice(claude).replaceAll(".", "-");
}

/**
 * What a model can take; null when no row names it.
 *
 * @param more rows of one's own, by the beginning of the model's name. They win over the built-in ones of the same length.
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

/** True when two names mean one model: they are equal, or one is the other with a date behind it. */
export function isSameModel(a: string, b: string): boolean {
  const [one, other] = [modelName(a), modelName(b)];
  return one === other || isDated(one, other) || isDated(other, one);
}

const isDated = (longer: string, shorter: string): boolean =>
  longer.startsWith(`${shorter}-`) && /^(?:\d{4}-?\d{2}-?\d{2}|latest)$/.test(longer.slice(shorter.length + 1));
