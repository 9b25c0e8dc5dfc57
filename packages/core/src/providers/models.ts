import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/json-value.ts";
import * as z from "../json/schema.ts";

const tokens = z.int().positive();
const dollars = z.number().nonnegative();

/** What is known about a model, or about all models whose names share a prefix, and since when. */
export const modelRowSchema = z.lazy(() =>
  z.strictObject({
    /** The name, or its beginning up to a hyphen, without the prefixes that gateways add; see `modelName`. */
    name: z.string().min(1),
    /** The context window, in tokens. */
    windowTokens: tokens,
    /**
     * The most input tokens worth using: fewer than the window if more are priced higher, are known to be handled
     * worse, or if the answer shares the window.
     */
    effectiveTokens: tokens.optional(),
    /** The longest answer, in tokens. */
    maxOutputTokens: tokens.optional(),
    /** Price of a million uncached input tokens, in US dollars. */
    inputPrice: dollars.optional(),
    /** Price of a million output tokens, in US dollars. */
    outputPrice: dollars.optional(),
    /** For prompts of more than `aboveTokens` tokens: the factors on the price of all their input and output. */
    longPrompts: z
      .strictObject({ aboveTokens: tokens, inputFactor: z.number().gte(1), outputFactor: z.number().gte(1) })
      .optional(),
    /** The month in which the row was correct, such as `2026-11`. */
    asOf: z.string().regex(/^\d{4}-\d{2}$/),
    /** Where the figures are published. */
    source: z.string().min(1),
    /** What the figures leave out, or who chose them. */
    note: z.string().optional(),
  }),
);
export type ModelRow = z.infer<typeof modelRowSchema>;

const ANTHROPIC = { asOf: "2026-11", source: "platform.claude.com, page of the model" } as const;
const OPENAI = { asOf: "2026-11", source: "developers.openai.com, page of the model" } as const;
const LISTED = { asOf: "2026-11", source: "the table of the AI SDK layer's design" } as const;
const CAPABILITY_LIST = {
  asOf: "2025-12",
  source: "provider lists of model libraries; look it up before you depend on it",
} as const;

const MILLION = 1_000_000;
/** Models with a window of a million tokens. */
const LONG = {
  windowTokens: MILLION,
  effectiveTokens: 200_000,
  maxOutputTokens: 128_000,
  note: "The effective window is our choice, no vendor's figure: what this family was used up to before. Raise maxInputTokens where your own logs say so.",
} as const;
const CLAUDE_4 = { windowTokens: 200_000, ...ANTHROPIC } as const;
const GPT_5 = { windowTokens: 400_000, effectiveTokens: 272_000, maxOutputTokens: 128_000, ...OPENAI } as const;
const GPT_5_6 = {
  ...{ windowTokens: 1_050_000, effectiveTokens: 272_000, maxOutputTokens: 128_000, ...OPENAI },
  longPrompts: { aboveTokens: 272_000, inputFactor: 2, outputFactor: 1.5 },
} as const;
const GEMINI = {
  ...{ windowTokens: 1_048_576, effectiveTokens: 200_000, maxOutputTokens: 65_536, note: LONG.note },
  ...{ asOf: "2026-06", source: "ai.google.dev/gemini-api/docs/pricing, as others quote it" },
} as const;
const GEMINI_PRO = { ...GEMINI, longPrompts: { aboveTokens: 200_000, inputFactor: 2, outputFactor: 1.5 } } as const;

/** The built-in table of models; the row with the longest matching name wins. A session takes more rows as `models`. */
export const MODELS: readonly ModelRow[] = freezeDeep([
  { name: "claude-", windowTokens: 200_000, ...LISTED, note: "For Claude models without a row of their own." },
  { name: "claude-3-7", windowTokens: 200_000, maxOutputTokens: 64_000, ...CAPABILITY_LIST },
  { name: "claude-opus-4", maxOutputTokens: 32_000, inputPrice: 15, outputPrice: 75, ...CLAUDE_4, ...CAPABILITY_LIST },
  { name: "claude-opus-4-5", maxOutputTokens: 64_000, inputPrice: 5, outputPrice: 25, ...CLAUDE_4 },
  { name: "claude-opus-4-6", ...LONG, inputPrice: 5, outputPrice: 25, ...ANTHROPIC },
  { name: "claude-opus-4-7", ...LONG, inputPrice: 5, outputPrice: 25, ...ANTHROPIC },
  { name: "claude-opus-4-8", ...LONG, inputPrice: 5, outputPrice: 25, ...ANTHROPIC },
  { name: "claude-sonnet-4", maxOutputTokens: 64_000, inputPrice: 3, outputPrice: 15, ...CLAUDE_4, ...CAPABILITY_LIST },
  { name: "claude-sonnet-4-6", ...LONG, inputPrice: 3, outputPrice: 15, ...ANTHROPIC },
  { name: "claude-haiku-4", maxOutputTokens: 64_000, inputPrice: 1, outputPrice: 5, ...CLAUDE_4 },
  { name: "claude-opus-5", ...LONG, inputPrice: 5, outputPrice: 25, ...ANTHROPIC },
  { name: "claude-opus-5-5", ...LONG, inputPrice: 4, outputPrice: 20, ...ANTHROPIC },
  { name: "claude-sonnet-5", ...LONG, inputPrice: 2, outputPrice: 10, ...ANTHROPIC },
  {
    ...{ name: "claude-haiku-5-5", ...LONG, effectiveTokens: 100_000, inputPrice: 0.1, outputPrice: 0.5, ...ANTHROPIC },
    longPrompts: { aboveTokens: 100_000, inputFactor: 5, outputFactor: 5 },
    note: "The effective window ends where prompts become dearer.",
  },
  { name: "claude-fable-5", ...LONG, ...ANTHROPIC },
  { name: "claude-fable-5-1", ...LONG, inputPrice: 10, outputPrice: 50, ...ANTHROPIC },
  { name: "gpt-4", windowTokens: 8_192, ...LISTED },
  { name: "gpt-4-turbo", windowTokens: 128_000, ...LISTED },
  {
    ...{ name: "gpt-4o", windowTokens: 128_000, maxOutputTokens: 16_384, ...CAPABILITY_LIST },
    ...{ inputPrice: 2.5, outputPrice: 10 },
  },
  {
    ...{ name: "gpt-4o-mini", windowTokens: 128_000, maxOutputTokens: 16_384, ...CAPABILITY_LIST },
    ...{ inputPrice: 0.15, outputPrice: 0.6 },
  },
  {
    ...{ name: "gpt-4.1", windowTokens: 1_047_576, maxOutputTokens: 32_768, ...CAPABILITY_LIST },
    ...{ inputPrice: 2, outputPrice: 8 },
  },
  {
    ...{ name: "gpt-4.1-mini", windowTokens: 1_047_576, maxOutputTokens: 32_768, ...CAPABILITY_LIST },
    ...{ inputPrice: 0.4, outputPrice: 1.6 },
  },
  { name: "gpt-5", inputPrice: 1.25, outputPrice: 10, ...GPT_5 },
  { name: "gpt-5-mini", inputPrice: 0.25, outputPrice: 2, ...GPT_5 },
  { name: "gpt-5-nano", inputPrice: 0.05, outputPrice: 0.4, ...GPT_5 },
  { name: "gpt-5.6", ...GPT_5_6, note: "Prices differ from tier to tier." },
  {
    ...{ name: "gpt-5.6-sol", inputPrice: 4, outputPrice: 20, ...GPT_5_6 },
    note: "An offer until 21 November 2026 at least.",
  },
  { name: "gpt-5.6-terra", inputPrice: 2, outputPrice: 12, ...GPT_5_6 },
  { name: "gpt-5.6-luna", inputPrice: 0.2, outputPrice: 1.2, ...GPT_5_6 },
  { name: "gemini-", windowTokens: 1_048_576, effectiveTokens: 200_000, ...CAPABILITY_LIST, note: LONG.note },
  { name: "gemini-2.5-pro", inputPrice: 1.25, outputPrice: 10, ...GEMINI_PRO },
  { name: "gemini-2.5-flash", inputPrice: 0.3, outputPrice: 2.5, ...GEMINI },
  { name: "gemini-2.5-flash-lite", inputPrice: 0.1, outputPrice: 0.4, ...GEMINI },
  { name: "gemini-3-flash", inputPrice: 0.5, outputPrice: 3, ...GEMINI },
  { name: "gemini-3.1-pro", inputPrice: 2, outputPrice: 12, ...GEMINI_PRO },
  { name: "gemini-3.5-flash", inputPrice: 1.5, outputPrice: 9, ...GEMINI },
]);

/**
 * Returns a model's name in lower case without the prefixes that gateways add: `claude-x` for `us.anthropic.claude-x`
 * and `anthropic/claude-x`, `gemini-x` for `models/gemini-x`. Dots in the names of Claude models become hyphens.
 */
export function modelName(model: string): string {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const claude = name.indexOf("claude-");
  return claude < 0 ? name : name.slice(claude).replaceAll(".", "-");
}

/**
 * Checks whether a row covers a model: its name is equal or continues after a separator, unlike `gpt-4o` for `gpt-4`.
 */
const isOf = (model: string, row: string): boolean =>
  model.startsWith(row) && (/[-/:]$/.test(row) || /^(?:$|[-:@])/.test(model.slice(row.length)));

/**
 * Returns a model's row: the one with the longest name that the model's name begins with; undefined if there is none.
 *
 * @param more custom rows, which win over built-in ones of the same name.
 */
export function modelRow(model: string, more: readonly ModelRow[] = []): ModelRow | undefined {
  const names = [modelName(model), model.toLowerCase()];
  const fits = ({ name }: ModelRow) => names.some((known) => isOf(known, name.toLowerCase()));
  return [...more, ...MODELS].filter(fits).sort((a, b) => b.name.length - a.name.length)[0];
}

/** Checks custom rows. @throws ThreadfoldError `INVALID_CONFIG` naming the row and the field that is invalid. */
export function checkModelRows(rows: readonly ModelRow[]): void {
  const parsed = z.array(modelRowSchema).safeParse(rows);
  if (parsed.success) return;
  const issue = parsed.error.issues[0];
  const name = ["models", ...(issue?.path ?? [])].join(".");
  throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${issue?.message}.`, { details: { name } });
}

/** The largest share of a window that is reserved for the answer when prompt and answer share it. */
const ANSWER_SHARE = 1 / 8;

/** Returns a model's suggested cap, in input tokens: its effective window, or its window less room for an answer. */
export function suggestedCap({ windowTokens, effectiveTokens, maxOutputTokens = windowTokens }: ModelRow): number {
  return effectiveTokens ?? windowTokens - Math.min(maxOutputTokens, Math.floor(windowTokens * ANSWER_SHARE));
}

/** The context window, in tokens, assumed for a model that has no row. */
export const DEFAULT_CONTEXT_WINDOW = 128_000;

/** Returns a model's context window in tokens; {@link DEFAULT_CONTEXT_WINDOW} when it has no row. */
export const contextWindow = (model: string, more: readonly ModelRow[] = []): number =>
  modelRow(model, more)?.windowTokens ?? DEFAULT_CONTEXT_WINDOW;
