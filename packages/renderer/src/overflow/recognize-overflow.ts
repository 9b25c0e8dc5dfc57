import { isPlainObject, type PlainObject } from "../legality/legality-rule.ts";

/** A phrase that a provider uses in overflow errors. Token counts are captured if the phrase contains them. */
export interface OverflowPhrase {
  readonly provider: string;
  /** Groups `used` and `limit` are token counts, if the phrase has them. */
  readonly pattern: RegExp;
}

/**
 * Messages by which providers report that a prompt does not fit, as their SDKs' error classes carry them. Data: a host
 * adds phrases of its own servers.
 */
export const OVERFLOW_PHRASES: readonly OverflowPhrase[] = Object.freeze([
  { provider: "anthropic", pattern: /prompt is too long(?:: (?<used>\d+) tokens > (?<limit>\d+) maximum)?/i },
  {
    provider: "anthropic",
    pattern: /input length and `?max_tokens`? exceed context limit(?:: (?<used>\d+) \+ \d+ > (?<limit>\d+))?/i,
  },
  { provider: "bedrock", pattern: /input is too long for requested model/i },
  {
    provider: "openai",
    pattern:
      /maximum context length is (?<limit>\d+) tokens(?:[^\d]*(?:resulted in|requested|has) (?:about )?(?<used>\d+))?/i,
  },
  { provider: "openai", pattern: /input exceeds the context window/i },
  { provider: "openai", pattern: /context[ _]length[ _]exceeded/i },
  { provider: "openai", pattern: /reduce the length of the messages/i },
  {
    provider: "gemini",
    pattern:
      /input token count \(?(?<used>\d+)?\)? ?exceeds the maximum number of tokens allowed(?: \(?(?<limit>\d+)\)?)?/i,
  },
  { provider: "mistral", pattern: /prompt contains (?<used>\d+) tokens.*maximum context length of (?<limit>\d+)/i },
  {
    provider: "mistral",
    pattern: /prompt contains (?<used>\d+) tokens.*too large for model with (?<limit>\d+) maximum context length/i,
  },
  { provider: "xai", pattern: /maximum prompt length is (?<limit>\d+) but the request contains (?<used>\d+)/i },
  { provider: "llama.cpp", pattern: /exceeds the available context size/i },
  {
    provider: "ollama",
    pattern: /exceed(?:s|ed)? (?:the )?(?:model'?s? )?(?:max(?:imum)? )?context (?:length|size|window)/i,
  },
  {
    provider: "vllm",
    pattern: /prompt (?:\(length (?<used>\d+)\) )?is longer than the maximum model length(?: of (?<limit>\d+))?/i,
  },
  {
    provider: "together",
    pattern: /input \((?<used>\d+) tokens\) is longer than the model'?s context length \((?<limit>\d+) tokens\)/i,
  },
  { provider: "github", pattern: /prompt token count of (?<used>\d+) exceeds the limit of (?<limit>\d+)/i },
  { provider: "moonshot", pattern: /exceeded model token limit(?:: (?<limit>\d+) \(requested: (?<used>\d+)\))?/i },
  { provider: "minimax", pattern: /context window exceeds limit/i },
  { provider: "cohere", pattern: /too many tokens: (?:size limit exceeded|total number of tokens)/i },
  { provider: "lm-studio", pattern: /initial prompt is greater than the context length/i },
]);

/** Codes in the fields of overflow errors, with the provider that uses each. */
export const OVERFLOW_CODES: Readonly<Record<string, string>> = Object.freeze({
  context_length_exceeded: "openai",
  model_context_window_exceeded: "anthropic",
  request_too_large: "anthropic",
  exceed_context_size_error: "llama.cpp",
});

/** What an error says about a prompt that did not fit. */
export type OverflowReport =
  | {
      readonly overflow: true;
      /** The provider that uses this wording. Servers that speak another provider's protocol use its wording too. */
      readonly provider: string;
      /** What was recognized: the matched text, or the code. */
      readonly evidence: string;
      /** Number of tokens in the prompt, if the provider says so. */
      readonly usedTokens?: number;
      /** Maximum number of tokens, if the provider says so. */
      readonly limitTokens?: number;
    }
  | { readonly overflow: false };

const NONE: OverflowReport = Object.freeze({ overflow: false });
/** Fields through which errors, bodies and causes nest. */
const NESTED: readonly string[] = ["error", "cause", "data", "body", "response", "lastError", "errors"];
const TEXTS: readonly string[] = ["message", "responseBody", "body", "detail"];
const CODES: readonly string[] = ["code", "type", "status", "stop_reason"];
/** Statuses of requests that failed for other reasons, whatever their text says. */
const OTHER_STATUSES: readonly unknown[] = [401, 403, 404, 429];
const MAX_DEPTH = 6;
/** In characters. Longer texts are not error messages; only their beginning is searched. */
const MAX_TEXT = 20_000;

/**
 * Determines whether a call failed because the prompt was too long for the model, based on the SDKs' error classes,
 * response bodies, or text. Accepts any thrown value. Rate limits and output limits do not count as overflow.
 *
 * @param more phrases of custom servers.
 */
export function recognizeOverflow(thrown: unknown, more: readonly OverflowPhrase[] = []): OverflowReport {
  return inspect(thrown, [...more, ...OVERFLOW_PHRASES], MAX_DEPTH, new Set());
}

function inspect(
  value: unknown,
  phrases: readonly OverflowPhrase[],
  depth: number,
  seen: Set<unknown>,
): OverflowReport {
  if (typeof value === "string") return inText(value, phrases);
  if (Array.isArray(value)) return firstOf(value, phrases, depth, seen);
  if (!isPlainObject(value) || depth === 0 || seen.has(value)) return NONE;
  seen.add(value);
  if (OTHER_STATUSES.includes(value.status) || OTHER_STATUSES.includes(value.statusCode)) return NONE;
  // Check the text first: it may say how many tokens there were.
  const said = firstOf(pick(value, TEXTS, "string"), phrases, depth, seen);
  if (said.overflow) return said;
  const nested = firstOf(pick(value, NESTED, "object"), phrases, depth - 1, seen);
  return nested.overflow ? nested : inCodes(value);
}

const pick = (value: PlainObject, names: readonly string[], type: "string" | "object"): readonly unknown[] =>
  names.map((name) => value[name]).filter((field) => typeof field === type);

function firstOf(
  values: readonly unknown[],
  phrases: readonly OverflowPhrase[],
  depth: number,
  seen: Set<unknown>,
): OverflowReport {
  for (const value of values) {
    const report = inspect(value, phrases, depth, seen);
    if (report.overflow) return report;
  }
  return NONE;
}

function inCodes(value: PlainObject): OverflowReport {
  for (const field of CODES) {
    const code = value[field];
    if (typeof code === "string" && Object.hasOwn(OVERFLOW_CODES, code))
      return { overflow: true, provider: OVERFLOW_CODES[code] as string, evidence: code };
  }
  return NONE;
}

function inText(text: string, phrases: readonly OverflowPhrase[]): OverflowReport {
  const head = text.slice(0, MAX_TEXT);
  for (const { provider, pattern } of phrases) {
    const match = pattern.exec(head);
    if (match === null) continue;
    const { used, limit } = match.groups ?? {};
    return {
      overflow: true,
      provider,
      evidence: match[0],
      ...(used !== undefined && { usedTokens: Number(used) }),
      ...(limit !== undefined && { limitTokens: Number(limit) }),
    };
  }
  return NONE;
}
