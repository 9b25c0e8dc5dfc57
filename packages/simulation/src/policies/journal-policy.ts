import { type Message, type ToolCallPart, toolResultText } from "@threadfold/core";
import { SessionWords, wordsOf } from "../memory/passages.ts";
import { type PromptPiece, pieceOf } from "../policy/prompt-policy.ts";
import { latestStart, rulePolicy, tokensOfMessage, tokensOfPieces } from "./naive-policies.ts";

/** Shares of the budget: for what stays whole, and for the journal. */
const NEWEST_SHARE = 0.32;
const JOURNAL_SHARE = 0.18;
const ASKED_CHARACTERS = 500;
const SENTENCES_A_STEP = 3;
const NAMES_A_FILE = 12;
const LINE_CHARACTERS = 160;

/** One line of the journal. Lighter lines are written first, and of equally light ones the newest. */
interface Entry {
  readonly line: string;
  readonly ordinal: number;
  readonly weight: number;
}

/**
 * The most naive memory that one can write, as a yardstick: the newest third of the budget whole, and before it a
 * journal of what users asked, the sentences of each step with the rarest words, `file: names` for edits, `command →
 * outcome` for runs; newest first until a sixth of the budget is full. It is rewritten at every fold.
 */
export const journalPolicy = rulePolicy("journal", ({ system, budgetTokens }) => {
  const frame = tokensOfPieces(system.map((text) => ({ role: "system", text })));
  let start = 0;
  let journal: readonly PromptPiece[] = [];
  return (log) => {
    const shown = () => [...journal, ...log.slice(start).map(pieceOf)];
    if (frame + tokensOfPieces(shown()) <= budgetTokens) return { messages: shown(), committed: false };
    start = latestStart(log, budgetTokens * NEWEST_SHARE, tokensOfMessage);
    journal = [{ role: "user", text: journalOf(log.slice(0, start), budgetTokens * JOURNAL_SHARE * 4) }];
    return { messages: shown(), committed: true };
  };
});

function journalOf(log: readonly Message[], characters: number): string {
  const words = new SessionWords({ messages: log });
  const outcomes = new Map(
    log.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === "tool-result" ? [[part.result.callId, toolResultText(part.result.content)] as const] : [],
      ),
    ),
  );
  const entries = log.flatMap((message) => entriesOf(message, words, (callId) => outcomes.get(callId) ?? ""));
  const kept: Entry[] = [];
  let room = characters;
  for (const entry of entries.sort((a, b) => a.weight - b.weight || b.ordinal - a.ordinal)) {
    if (entry.line.length + 1 > room) continue;
    kept.push(entry);
    room -= entry.line.length + 1;
  }
  return kept
    .sort((a, b) => a.ordinal - b.ordinal)
    .map(({ line }) => line)
    .join("\n");
}

function entriesOf(
  message: Message,
  words: SessionWords,
  outcomeOf: (callId: ToolCallPart["callId"]) => string,
): readonly Entry[] {
  const { role, parts, ordinal } = message;
  return parts.flatMap((part): readonly Entry[] => {
    if (part.type === "text" && role === "user")
      return [{ line: `user: ${part.text.slice(0, ASKED_CHARACTERS)}`, ordinal, weight: 0 }];
    if (part.type === "text")
      return rarestSentences(part.text, words).map((line, index) => ({ line, ordinal, weight: index + 1 }));
    if (part.type !== "tool-call") return [];
    return callLines(part, words, outcomeOf(part.callId)).map((line) => ({ line, ordinal, weight: 1 }));
  });
}

function rarestSentences(text: string, words: SessionWords): readonly string[] {
  const rarity = (sentence: string): number =>
    words.rarest(sentence, 8).reduce((sum, word) => sum + 1 / words.count(word), 0);
  return text
    .split(/(?<=[.!?:])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsOf(sentence).length > 3)
    .sort((a, b) => rarity(b) - rarity(a))
    .slice(0, SENTENCES_A_STEP);
}

/** Returns `file: names` for a call that changes a file, `command → outcome` for one that runs something. */
function callLines({ input }: ToolCallPart, words: SessionWords, outcome: string): readonly string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const texts = Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const path = texts.find(([field]) => /path|file/i.test(field))?.[1];
  const after = texts.filter(([field]) => /new|content|text|patch/i.test(field)).map(([, text]) => text);
  if (path !== undefined && after.length > 0)
    return [`${path}: ${words.rarest(after.join(" "), NAMES_A_FILE).join(", ")}`];
  const command = texts.find(([field]) => /^(?:command|cmd|script)$/.test(field))?.[1];
  if (command === undefined) return [];
  const line = outcome.split("\n").findLast((one) => /\d+ (?:passed|failed)|error|exit/i.test(one));
  const said = line ?? outcome.trim().split("\n").at(-1) ?? "";
  return [`${command.slice(0, LINE_CHARACTERS)} → ${said.slice(0, LINE_CHARACTERS)}`];
}
