import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/json-value.ts";
import * as z from "../json/schema.ts";

/**
 * What a provider charges for prompts that are, or are not, in its prompt cache. Prices are multiples of its price for
 * uncached input tokens.
 */
export const promptCachePriceSchema = z.lazy(() =>
  z.strictObject({
    /** Id of the row, such as `anthropic`. */
    id: z.string().min(1),
    /** Ids of the request formats that the row applies to unless another row is named. */
    formats: z.array(z.string().min(1)).readonly().default([]),
    /** Prefixes of the model names that the row applies to. */
    models: z.array(z.string().min(1)).readonly().default([]),
    /** Price of a token that is read from the cache. */
    read: z.number().gte(0).lte(1),
    /** Read prices of the models that differ, by prefix of the model name. */
    readByModel: z.record(z.string(), z.number().gte(0).lte(1)).exactOptional(),
    /** Price of a token that is written to the cache; 1 when writing costs nothing extra. */
    write: z.number().gte(1),
    /** How long a prefix stays in the cache after its last use, in seconds. */
    ttlSeconds: z.int().positive(),
    /** Prompts shorter than this, in tokens, are never cached. */
    minimumPrefixTokens: z.int().nonnegative(),
    /** Minimums of the models that differ, by prefix of the model name. */
    minimumPrefixByModel: z.record(z.string(), z.int().nonnegative()).default({}),
    /** Ids of rows for the same provider's other cache lifetimes, if a request can choose one. */
    otherTimes: z.array(z.string().min(1)).readonly().exactOptional(),
    /** What the figures leave out, or how certain they are. */
    note: z.string().optional(),
  }),
);

export type PromptCachePrice = z.infer<typeof promptCachePriceSchema>;

const NO_EXTRAS = { formats: [], models: [], minimumPrefixByModel: {} };

/** Built-in rows are validated by a test and not each time the library is loaded. */
const row = (price: Partial<PromptCachePrice> & Omit<PromptCachePrice, keyof typeof NO_EXTRAS>): PromptCachePrice =>
  freezeDeep({ ...NO_EXTRAS, ...price });

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Differences between Anthropic's models, for either lifetime. Claude 5.5 has cheaper reads since October 2026. */
const ANTHROPIC_MODELS = {
  readByModel: { "claude-opus-5-5": 0.05, "claude-sonnet-5-5": 0.05 },
  minimumPrefixTokens: 1_024,
  minimumPrefixByModel: {
    "claude-opus-5": 512,
    "claude-fable-5": 512,
    "claude-mythos-5": 512,
    "claude-opus-4-7": 2_048,
    "claude-opus-4-5": 4_096,
    "claude-opus-4-6": 4_096,
    "claude-haiku-4-5": 4_096,
  },
} as const;

/** Price rows as the providers publish them. Extend them with the second argument of {@link promptCachePrice}. */
export const PROMPT_CACHE_PRICES: readonly PromptCachePrice[] = Object.freeze([
  row({
    id: "anthropic",
    formats: ["anthropic-messages"],
    models: ["claude-"],
    read: 0.1,
    write: 1.25,
    ttlSeconds: 5 * MINUTE,
    ...ANTHROPIC_MODELS,
    otherTimes: ["anthropic-1h"],
    note: "The cache of five minutes, refreshed on use.",
  }),
  row({
    id: "anthropic-1h",
    read: 0.1,
    write: 2,
    ttlSeconds: HOUR,
    ...ANTHROPIC_MODELS,
    otherTimes: ["anthropic"],
    note: "The cache of one hour.",
  }),
  row({
    id: "openai",
    formats: ["openai-chat", "openai-responses"],
    models: ["gpt-5"],
    read: 0.1,
    write: 1,
    ttlSeconds: 5 * MINUTE,
    minimumPrefixTokens: 1_024,
    note: "Before GPT-5.6; idle for 5 to 10 minutes, at most an hour. The read price is not confirmed.",
  }),
  row({
    id: "openai-4o",
    models: ["gpt-4o"],
    read: 0.5,
    write: 1,
    ttlSeconds: 5 * MINUTE,
    minimumPrefixTokens: 1_024,
  }),
  row({
    id: "openai-4.1",
    models: ["gpt-4.1", "o1", "o3", "o4"],
    read: 0.25,
    write: 1,
    ttlSeconds: 5 * MINUTE,
    minimumPrefixTokens: 1_024,
  }),
  row({
    id: "openai-5.6",
    models: ["gpt-5.6"],
    read: 0.1,
    write: 1.25,
    ttlSeconds: 30 * MINUTE,
    minimumPrefixTokens: 1_024,
    note: "At most four writes per request; no limit on how far back a prefix is looked for.",
  }),
  row({
    id: "gemini",
    formats: ["gemini", "gemini-interactions"],
    models: ["gemini-"],
    read: 0.1,
    write: 1,
    ttlSeconds: HOUR,
    minimumPrefixTokens: 4_096,
    minimumPrefixByModel: { "gemini-2.5-flash": 1_024, "gemini-3-flash": 1_024, "gemini-2.0-flash": 1_024 },
    note: "Explicit caches also cost storage by the hour; implicit ones may live up to 24 hours.",
  }),
  row({
    id: "gemini-2.0-explicit",
    models: ["gemini-2.0"],
    read: 0.25,
    write: 1,
    ttlSeconds: HOUR,
    minimumPrefixTokens: 4_096,
    minimumPrefixByModel: { "gemini-2.0-flash": 1_024 },
  }),
  row({
    id: "deepseek",
    models: ["deepseek-"],
    read: 0.02,
    write: 1,
    ttlSeconds: HOUR,
    minimumPrefixTokens: 64,
    note: "By the newest list price; it was about 0.26 before. The cache is on disk, for hours; neither time nor unit is confirmed.",
  }),
  row({
    id: "mistral",
    models: ["mistral-", "codestral-", "devstral-", "magistral-"],
    read: 0.1,
    write: 1,
    ttlSeconds: 5 * MINUTE,
    minimumPrefixTokens: 0,
    note: "Neither the price of writing nor how long a prefix stays is published; both are assumed.",
  }),
]);

/**
 * Returns the price row with an id. Custom rows come first and replace built-in rows of the same id.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`, with a hint listing the known ids, when there is no such row.
 */
export function promptCachePrice(id: string, more: readonly PromptCachePrice[] = []): PromptCachePrice {
  const rows = [...more, ...PROMPT_CACHE_PRICES];
  const found = rows.find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  throw new ThreadfoldError("INVALID_CONFIG", `There is no prompt-cache price row ${id}.`, {
    hint: `Known rows: ${[...new Set(rows.map((candidate) => candidate.id))].join(", ")}.`,
    details: { id },
  });
}

/** Returns the price row of a request format, by its id; undefined when no provider's prices are known for it. */
export function promptCachePriceOfFormat(
  format: string,
  more: readonly PromptCachePrice[] = [],
): PromptCachePrice | undefined {
  return [...more, ...PROMPT_CACHE_PRICES].find((candidate) => candidate.formats.includes(format));
}

/** Returns the price row of a model: the one with the longest matching name prefix; undefined when there is none. */
export function promptCachePriceOfModel(
  model: string,
  more: readonly PromptCachePrice[] = [],
): PromptCachePrice | undefined {
  const rows = [...more, ...PROMPT_CACHE_PRICES];
  const named = rows.flatMap((candidate) => candidate.models.map((name) => ({ name, candidate })));
  const fitting = named.filter(({ name }) => model.startsWith(name));
  return fitting.sort((a, b) => b.name.length - a.name.length)[0]?.candidate;
}

/** Returns the length, in tokens, of the shortest prompt that a model caches under these prices. */
export const minimumCachedTokens = (price: PromptCachePrice, model = ""): number =>
  ofModel(price.minimumPrefixByModel, model) ?? price.minimumPrefixTokens;

/** Returns a row with the minimum and the read price of one model. */
export const promptCachePriceFor = (
  { readByModel = {}, ...price }: PromptCachePrice,
  model: string,
): PromptCachePrice => ({
  ...price,
  read: ofModel(readByModel, model) ?? price.read,
  minimumPrefixTokens: minimumCachedTokens(price, model),
  minimumPrefixByModel: {},
});

/** Returns the figure of the longest matching name prefix; undefined when there is none. */
function ofModel(figures: Readonly<Record<string, number>>, model: string): number | undefined {
  const names = Object.keys(figures).filter((name) => model.startsWith(name));
  const longest = names.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : figures[longest];
}
