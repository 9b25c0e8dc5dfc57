import type { Message } from "@threadfold/core";
import { pieceOf } from "../policy/prompt-piece.ts";
import type { PromptPiece, PromptPolicy } from "../policy/prompt-policy.ts";
import { latestStart } from "./exchange-starts.ts";
import { rulePolicy, tokensOfMessage, tokensOfPieces } from "./rule-policy.ts";

/** Where a cut goes to, as a share of the budget. */
const TARGET = 0.5;
/** What the summary of everything before the cut may take of the budget. */
const SUMMARY = 0.05;

/**
 * The floor: at overflow the newest half of the budget stays, and a deterministic summary stands for all that came
 * before. The cut is deep and seldom, so it is about as cheap as a prompt that fits can be.
 */
export const floorPolicy: PromptPolicy = rulePolicy("floor", ({ system, budgetTokens, summarize }) => {
  const frame = tokensOfPieces(system.map((text) => ({ role: "system", text })));
  let start = 0;
  let summary: readonly PromptPiece[] = [];
  const shown = (log: readonly Message[]) => [...summary, ...log.slice(start).map(pieceOf)];
  return async (log) => {
    const messages = shown(log);
    if (frame + tokensOfPieces(messages) <= budgetTokens) return { messages, committed: false };
    const room = budgetTokens * TARGET - frame;
    const summaryTokens = Math.floor(budgetTokens * SUMMARY);
    start = Math.max(start, latestStart(log, room - summaryTokens, tokensOfMessage));
    const text = await summarize(log.slice(0, start), summaryTokens);
    summary = text === "" ? [] : [{ role: "user", text }];
    return { messages: shown(log), committed: true };
  };
});
