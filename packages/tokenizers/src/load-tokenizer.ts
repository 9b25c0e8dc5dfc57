import { type ProviderAwareTokenizer, ThreadfoldError } from "@threadfold/core";
import { heuristicTokenizer } from "./heuristic/heuristic-tokenizer.ts";
import { loadProviderTokenizer } from "./provider/provider-tokenizer.ts";
import { TiktokenTokenizer } from "./tiktoken/tiktoken-tokenizer.ts";

const LOADERS: Readonly<Record<string, () => Promise<ProviderAwareTokenizer>>> = Object.freeze({
  heuristic: async () => heuristicTokenizer(),
  "tiktoken:o200k_base": () => TiktokenTokenizer.load("o200k_base"),
  "tiktoken:cl100k_base": () => TiktokenTokenizer.load("cl100k_base"),
  openai: () => loadProviderTokenizer("openai"),
  claude: () => loadProviderTokenizer("claude"),
  gemini: () => loadProviderTokenizer("gemini"),
});

/** Short names for people; the counter that they load has the full id. */
const ALIASES: Readonly<Record<string, string>> = Object.freeze({ tiktoken: "tiktoken:o200k_base" });

/** The ids that `loadTokenizer` knows. */
export const TOKENIZER_IDS: readonly string[] = Object.freeze(Object.keys(LOADERS));

/**
 * The counter with this id. Libraries and encodings are loaded by the first id that needs them; `heuristic` loads none.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that lists the known ids.
 */
export async function loadTokenizer(id: string): Promise<ProviderAwareTokenizer> {
  const name = Object.hasOwn(ALIASES, id) ? (ALIASES[id] as string) : id;
  if (!Object.hasOwn(LOADERS, name)) {
    throw new ThreadfoldError("INVALID_CONFIG", `There is no token counter ${JSON.stringify(id)}.`, {
      hint: `Known counters: ${TOKENIZER_IDS.join(", ")}.`,
      details: { id, known: TOKENIZER_IDS },
    });
  }
  return (LOADERS[name] as () => Promise<ProviderAwareTokenizer>)();
}
