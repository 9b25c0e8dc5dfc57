/** A phrase that a provider puts into an overflow error. Figures are captured where it names them. */
export interface OverflowPhrase {
  readonly provider: string;
  /** Groups `used` and `limit` are counts of tokens, where the phrase has them. */
  readonly pattern: RegExp;
}

/**
 * What providers say when a prompt does not fit (`wire.md`, overflow phrases; messages as their SDKs' error classes carry
 * them). Data: a host adds phrases of servers of its own.
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

/** Codes that providers put into an overflow error's fields. */
export const OVERFLOW_CODES: Readonly<Record<string, string>> = Object.freeze({
  context_length_exceeded: "openai",
  model_context_window_exceeded: "anthropic",
  request_too_large: "anthropic",
  exceed_context_size_error: "llama.cpp",
});
