import { join, resolve } from "node:path";
import { importSessionFile, loadTokenizer, TOKENIZER_IDS, toolResultText } from "threadfold";
import { type Spread, spreadOf } from "./median.ts";

/** The project's own recording: real text of an agent at work, available to everybody. */
const SESSION = join(resolve(import.meta.dirname, "../../.."), "examples/sessions/a-day-on-threadfold.jsonl");
const ROUNDS = 7;

/** The speed of a counter: millions of characters per second, over whole messages. */
export interface TokenizerSpeed {
  readonly tokenizer: string;
  readonly characters: number;
  readonly tokens: number;
  readonly millionCharactersPerSecond: Spread;
}

/** Times every counter on the same texts. */
export async function tokenizerSpeeds(): Promise<readonly TokenizerSpeed[]> {
  const texts = await sessionTexts();
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const speeds: TokenizerSpeed[] = [];
  for (const id of TOKENIZER_IDS) {
    const tokenizer = await loadTokenizer(id);
    const count = (): number => texts.reduce((sum, text) => sum + tokenizer.countTokens(text), 0);
    const tokens = count();
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      count();
      rates.push(characters / 1e3 / (performance.now() - start));
    }
    speeds.push({ tokenizer: id, characters, tokens, millionCharactersPerSecond: spreadOf(rates) });
  }
  return speeds;
}

async function sessionTexts(): Promise<readonly string[]> {
  const { messages } = await importSessionFile(SESSION);
  const texts = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "tool-result" ? [toolResultText(part.result.content)] : [];
    }),
  );
  return texts.filter((text) => text !== "");
}
