import { type ProviderAwareTokenizer, ThreadfoldError } from "@threadfold/core";
import { characterClassTokenizer } from "./character-class-tokenizer.ts";
import { composeTokenizer, type TokenOverheads } from "./composed-tokenizer.ts";
import { ANTHROPIC_MEDIA } from "./media-tokens.ts";
import { loadProviderTokenizer } from "./provider-tokenizer.ts";
import { TiktokenTokenizer } from "./tiktoken-tokenizer.ts";

const LOADERS: Readonly<Record<string, () => Promise<ProviderAwareTokenizer>>> = Object.freeze({
  heuristic: async () => heuristicTokenizer(),
  "character-classes": async () => characterClassTokenizer(),
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
 * The counter with this id. Libraries and encodings are loaded by the first id that needs them; `heuristic` and `character-classes` load none.
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

/**
 * As Goat and the AI SDK layer count: about four characters of English text or code are a token. Characters are UTF-16
 * code units.
 */
const CHARACTERS_PER_TOKEN = 4;

/** Goat adds four tokens per message; the other figures are bounds of the large providers. */
const OVERHEADS: TokenOverheads = Object.freeze({
  request: 3,
  message: 4,
  toolCall: 0,
  toolResult: 0,
  anyTool: 0,
  tool: 4,
  ...ANTHROPIC_MEDIA,
});

/**
 * The counter of Goat and the AI SDK layer, id `heuristic`: four characters are a token, four tokens are added per
 * message. It reads lengths and no text, so it is as fast as counting can be; it is about a tenth too low for code and
 * far too low for Chinese or Japanese.
 */
export function heuristicTokenizer(): ProviderAwareTokenizer {
  return HEURISTIC;
}

const tokensOfLength = (length: number): number => Math.ceil(length / CHARACTERS_PER_TOKEN);

const HEURISTIC = composeTokenizer("heuristic", (text) => tokensOfLength(text.length), OVERHEADS);
