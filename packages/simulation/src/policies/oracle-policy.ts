import type { Message } from "@threadfold/core";
import type { ReplayableSession } from "../memory/session-memory.ts";
import type { Need } from "../needs/session-needs.ts";
import { type PromptPiece, type PromptPolicy, pieceOf } from "../policy/prompt-policy.ts";
import { tokensOfCharacters } from "../recording/recorded-session.ts";
import { exchangeStarts, rulePolicy, tokensOfPieces } from "./naive-policies.ts";

/** Size that a fold aims for, as a share of the budget. */
const TARGET = 0.5;
/** Shown in place of a result that was dropped. */
const CLEARED = "[cleared]";

/**
 * A fold that knows the future: on overflow it keeps, down to half of the budget, the exchanges and results that later
 * calls need most per token, and nothing that is gone returns. No real policy can do this; it bounds what direct recall
 * can reach when whole messages are kept or dropped.
 */
export function oraclePolicy({ session, needs, pieces }: ReplayableSession): PromptPolicy {
  return rulePolicy("oracle", ({ system, budgetTokens }) => {
    const frame = tokensOfPieces(system.map((text) => ({ role: "system", text })));
    const gone = new Set<Message>();
    const emptied = new Map<Message, PromptPiece>();
    const shown = (log: readonly Message[]) =>
      log.flatMap((message) => (gone.has(message) ? [] : [emptied.get(message) ?? pieceOf(message)]));
    const patternsOf = (message: Message): readonly number[] => pieces.of(pieceOf(message)).patterns;

    function fold(log: readonly Message[]): void {
      const worth = futureWorth(
        session.calls.map(({ answer }) => answer[0] as Message),
        needs.byCall,
        log,
        patternsOf,
      );
      const exchanges = exchangesOf(log.filter((message) => !gone.has(message)));
      const newest = exchanges.pop() ?? [];
      const kept = keepBest(exchanges, budgetTokens * TARGET - frame - tokensOfMessages(newest), {
        worth,
        patternsOf,
        isEmptied: (message) => emptied.has(message),
        covered: new Set(newest.flatMap((message) => patternsOf(message))),
      });
      for (const message of exchanges.flat()) {
        if (kept.has(message)) continue;
        if (
          message.role === "tool" &&
          exchanges.some((some) => some.includes(message) && some.some((one) => kept.has(one)))
        )
          emptied.set(message, { ...pieceOf(message), text: CLEARED });
        else gone.add(message);
      }
    }

    return (log) => {
      const messages = shown(log);
      if (frame + tokensOfPieces(messages) <= budgetTokens) return { messages, committed: false };
      fold(log);
      return { messages: shown(log), committed: true };
    };
  });
}

const tokensOfMessages = (messages: readonly Message[]): number => tokensOfPieces(messages.map(pieceOf));

/** Splits messages at the places where the log may be cut. */
function exchangesOf(log: readonly Message[]): Message[][] {
  const starts = exchangeStarts(log);
  return starts.map((start, index) => log.slice(start, starts[index + 1]));
}

/**
 * Returns, for each pattern, the number of later calls that need it and will not have seen it again by then, so that
 * they depend on the log as it is now.
 */
function futureWorth(
  answers: readonly Message[],
  byCall: readonly (readonly Need[])[],
  log: readonly Message[],
  patternsOf: (message: Message) => readonly number[],
): ReadonlyMap<number, number> {
  const end = (log.at(-1) as Message).ordinal;
  const now = answers.findIndex(({ ordinal }) => ordinal > end);
  const known = new Set(log.flatMap((message) => patternsOf(message)));
  const worth = new Map<number, number>();
  for (const [index, needs] of byCall.entries())
    for (const { pattern, age } of needs)
      if (index >= now && index - age <= now && known.has(pattern)) worth.set(pattern, (worth.get(pattern) ?? 0) + 1);
  return worth;
}

interface Keeping {
  readonly worth: ReadonlyMap<number, number>;
  readonly patternsOf: (message: Message) => readonly number[];
  /** True for a result whose body an earlier fold dropped. */
  readonly isEmptied: (message: Message) => boolean;
  readonly covered: Set<number>;
}

/** Keeps what is worth most per token: one exchange without its results, or one result, at a time. */
function keepBest(exchanges: readonly (readonly Message[])[], room: number, keeping: Keeping): ReadonlySet<Message> {
  const kept = new Set<Message>();
  const units = exchanges.flatMap((exchange) => unitsOf(exchange, keeping));
  let left = room;
  for (;;) {
    let best: { readonly unit: KeptUnit; readonly density: number } | undefined;
    for (const unit of units) {
      if (
        unit.tokens > left ||
        unit.messages.every((one) => kept.has(one)) ||
        !unit.needs.every((one) => kept.has(one))
      )
        continue;
      const gain = unit.patterns.reduce(
        (sum, one) => sum + (keeping.covered.has(one) ? 0 : (keeping.worth.get(one) ?? 0)),
        0,
      );
      const density = (gain + 1e-6) / (unit.tokens + 1);
      if (best === undefined || density > best.density) best = { unit, density };
    }
    if (best === undefined) return kept;
    for (const message of best.unit.messages) kept.add(message);
    for (const pattern of best.unit.patterns) keeping.covered.add(pattern);
    left -= best.unit.tokens;
  }
}

/** Messages that are kept or dropped together. */
interface KeptUnit {
  readonly messages: readonly Message[];
  /** What must already be kept: the call of a result. */
  readonly needs: readonly Message[];
  readonly tokens: number;
  readonly patterns: readonly number[];
}

function unitsOf(exchange: readonly Message[], { worth, patternsOf, isEmptied }: Keeping): readonly KeptUnit[] {
  const results = exchange.filter(({ role }) => role === "tool");
  const shell = exchange.filter(({ role }) => role !== "tool");
  const ofWorth = (messages: readonly Message[]) => [
    ...new Set(messages.flatMap((message) => patternsOf(message)).filter((pattern) => worth.has(pattern))),
  ];
  const clearedTokens = results.length * tokensOfCharacters(CLEARED.length);
  const bodies = results.filter((result) => !isEmptied(result));
  return [
    { messages: shell, needs: [], tokens: tokensOfMessages(shell) + clearedTokens, patterns: ofWorth(shell) },
    ...bodies.map((result) => ({
      messages: [result],
      needs: shell,
      tokens: tokensOfMessages([result]),
      patterns: ofWorth([result]),
    })),
  ];
}
