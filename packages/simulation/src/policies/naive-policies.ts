import { type Message, toolResultText } from "@threadfold/core";
import {
  type PolicyContext,
  type PolicyPrompt,
  type PolicyRun,
  type PromptPiece,
  type PromptPolicy,
  pieceOf,
  type SummaryCall,
  systemPieces,
  WorkTime,
} from "../policy/prompt-policy.ts";
import { runningCalls, tokensOfCharacters } from "../recording/recorded-session.ts";

/** The prompt that a rule makes from the log. */
export interface RulePrompt {
  readonly messages: readonly PromptPiece[];
  readonly committed: boolean;
  readonly summaryCalls?: readonly SummaryCall[];
}

/** Makes the messages of a prompt from the whole log so far; keeps any state in its own closure. */
export type PromptRule = (log: readonly Message[], at: number) => Promise<RulePrompt> | RulePrompt;

/** Returns a policy that is one rule over the log, created anew for each session. */
export function rulePolicy(id: string, ruleFor: (context: PolicyContext) => PromptRule): PromptPolicy {
  return {
    id,
    async begin(context): Promise<PolicyRun> {
      const time = new WorkTime();
      const rule = ruleFor({ ...context, summarize: (...span) => time.waitFor(() => context.summarize(...span)) });
      const system = systemPieces(context);
      const log: Message[] = [];
      return {
        async prompt(added, at): Promise<PolicyPrompt> {
          const { result, milliseconds } = await time.of(() => {
            for (const message of added) log.push(message);
            return rule(log, at);
          });
          const { messages, committed, summaryCalls = [] } = result;
          return { messages: [...system, ...messages], summaryCalls, committed, violations: 0, milliseconds };
        },
        end: async () => undefined,
      };
    },
  };
}

/** Returns the tokens of some pieces, four characters each. */
export const tokensOfPieces = (pieces: readonly PromptPiece[]): number =>
  tokensOfCharacters(pieces.reduce((sum, { text }) => sum + text.length, 0));

/** Returns the tokens of a message as it is in the log. */
export const tokensOfMessage = (message: Message): number => tokensOfCharacters(pieceOf(message).text.length);

/** Size that a cut aims for, as a share of the budget. */
const TARGET = 0.5;
/** Maximum size of the summary of everything before the cut, as a share of the budget. */
const SUMMARY = 0.05;

/**
 * The floor: on overflow, the newest half of the budget stays, and a deterministic summary replaces everything before
 * it. The cut is deep and rare, so it is about as cheap as a prompt that fits can be.
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

/** Sends everything, whatever the budget: the reference for bills. */
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

/** Shown in place of a result that was cleared. */
const CLEARED = "[Old tool result content cleared]";

/**
 * Returns a policy that clears all tool results but the newest `keep` whenever the prompt exceeds the budget; what is
 * cleared stays cleared.
 */
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

/** Returns where a log may be cut: no call before that place has its result after it. The beginning is always one. */
export function exchangeStarts(log: readonly Message[]): readonly number[] {
  const running = runningCalls(log);
  const starts = log.flatMap(({ role }, index) => (running[index] === 0 && role !== "tool" ? [index] : []));
  return starts[0] === 0 ? starts : [0, ...starts];
}

/** Returns the first place to cut after which at most `tokens` follow, or the last place when even that is too much. */
export function latestStart(log: readonly Message[], tokens: number, tokensOf: (message: Message) => number): number {
  let room = tokens;
  let start = log.length;
  while (start > 0 && room >= tokensOf(log[start - 1] as Message)) room -= tokensOf(log[--start] as Message);
  const starts = exchangeStarts(log);
  return starts.find((place) => place >= start) ?? (starts.at(-1) as number);
}
