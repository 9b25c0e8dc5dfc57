import { type Message, toolResultText } from "@threadfold/core";
import { pieceOf } from "../policy/prompt-piece.ts";
import type { PromptPiece, PromptPolicy } from "../policy/prompt-policy.ts";
import { latestStart } from "./exchange-starts.ts";
import { rulePolicy, tokensOfMessage, tokensOfPieces } from "./rule-policy.ts";

/** Sends everything, whatever the budget is: what a bill is compared with. */
export const noCompaction: PromptPolicy = rulePolicy("no-compaction", () => (log) => ({
  messages: log.map(pieceOf),
  committed: false,
}));

/** Sends the newest messages that fit, chosen anew at every call. */
export const slidingWindow: PromptPolicy = rulePolicy("sliding-window", ({ system, budgetTokens }) => {
  const room = budgetTokens - tokensOfPieces(system.map((text) => ({ role: "system", text })));
  let before = 0;
  return (log) => {
    const start = latestStart(log, room, tokensOfMessage);
    const committed = start !== before;
    before = start;
    return { messages: log.slice(start).map(pieceOf), committed };
  };
});

/** What stands in place of a result that was cleared. */
const CLEARED = "[Old tool result content cleared]";

/** Empties all tool results but the newest `keep` whenever the prompt exceeds the budget; what is empty stays empty. */
export function clearAllButLast(keep: number): PromptPolicy {
  return rulePolicy(`clear-all-but-last-${keep}`, ({ system, budgetTokens }) => {
    const frame = tokensOfPieces(system.map((text) => ({ role: "system", text })));
    const cleared = new Map<Message, PromptPiece>();
    const shown = (log: readonly Message[]) => log.map((message) => cleared.get(message) ?? pieceOf(message));
    return (log) => {
      const messages = shown(log);
      if (frame + tokensOfPieces(messages) <= budgetTokens) return { messages, committed: false };
      const before = cleared.size;
      for (const message of log.filter(isResult).slice(0, -keep))
        if (!cleared.has(message)) cleared.set(message, clearedPiece(message));
      return { messages: shown(log), committed: cleared.size > before };
    };
  });
}

const isResult = ({ parts }: Message): boolean =>
  parts.some((part) => part.type === "tool-result" && toolResultText(part.result.content) !== "");

const clearedPiece = (message: Message): PromptPiece => ({ ...pieceOf(message), text: CLEARED });
