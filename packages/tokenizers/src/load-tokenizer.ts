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

/** Short names for people; the loaded counter has the full id. */
const ALIASES: Readonly<Record<string, string>> = Object.freeze({ tiktoken: "tiktoken:o200k_base" });

/** The ids that `loadTokenizer` accepts. */
export const TOKENIZER_IDS: readonly string[] = Object.freeze(Object.keys(LOADERS));

/**
 * Returns the counter with this id. Libraries and encodings are loaded when an id first needs them; `heuristic` and
 * `character-classes` need none.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when there is no such counter; the error lists the known ids.
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
 * The ratio that Goat and the AI SDK layer count with: about four characters (UTF-16 code units) of English text or
 * code make a token.
 */
const CHARACTERS_PER_TOKEN = 4;

/** Goat adds four tokens per message; the other figures are upper bounds for the large providers. */
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
 * Returns the counter of Goat and the AI SDK layer, id `heuristic`: four characters make a token, and each message adds
 * four tokens. It reads only lengths and no text, so it is as fast as counting can be; its figures are about a tenth
 * too low for code and far too low for Chinese or Japanese.
 */
export function heuristicTokenizer(): ProviderAwareTokenizer {
  return HEURISTIC;
}

const tokensOfLength = (length: number): number => Math.ceil(length / CHARACTERS_PER_TOKEN);

const HEURISTIC = composeTokenizer("heuristic", (text) => tokensOfLength(text.length), OVERHEADS);
