/** Context windows in tokens by model name, longest matching prefix first come. Extend it with {@link contextWindow}'s second argument. */
export const MODEL_WINDOWS: Readonly<Record<string, number>> = Object.freeze({
  "claude-": 200_000,
  "claude-3-5-sonnet-20240620": 200_000,
  "claude-3-haiku-20240307": 200_000,
  "gpt-4": 8_192,
  "gpt-4-turbo": 128_000,
  "gpt-4o": 128_000,
  "gpt-4.1": 1_047_576,
  "gpt-5": 400_000,
  "gemini-": 1_048_576,
});

/** What a model without an entry is taken to have (seed 003). */
export const DEFAULT_CONTEXT_WINDOW = 128_000;

/** A model's context window in tokens: the entry with the longest name that the model's name begins with. */
export function contextWindow(model: string, more: Readonly<Record<string, number>> = {}): number {
  const table = { ...MODEL_WINDOWS, ...more };
  const names = Object.keys(table).filter((name) => model.startsWith(name));
  const longest = names.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? DEFAULT_CONTEXT_WINDOW : (table[longest] as number);
}
