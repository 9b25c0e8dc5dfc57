import type { ChatMessage, ChatRequest, ProviderAwareTokenizer } from "@threadfold/core";
import { ContextSession, type MessageInput } from "threadfold";

/** A provider with its own encoder that refuses requests larger than its window. */
export interface CountingProvider {
  readonly windowTokens: number;
  count(request: ChatRequest): number;
}

/** Returns a provider that counts each message once, however many requests show it. */
export function countingProvider(counter: ProviderAwareTokenizer, windowTokens: number): CountingProvider {
  const counted = new WeakMap<ChatMessage, number>();
  const tokensOf = (message: ChatMessage): number => {
    const tokens = counted.get(message) ?? counter.countMessage(message);
    counted.set(message, tokens);
    return tokens;
  };
  return {
    windowTokens,
    count: ({ messages, ...rest }) =>
      messages.reduce((sum, message) => sum + tokensOf(message), counter.countRequest({ ...rest, messages: [] })),
  };
}

/** How well a session stayed within a provider's window. */
export interface BudgetRun {
  readonly calls: number;
  /** Requests that the provider refused as too long. */
  readonly refusals: number;
  readonly folds: number;
  /** The largest share of the provider's count by which a request was undercounted, from the second report on. */
  readonly worstUndercount: number;
}

const SYSTEM = ["You are an agent that reads reports."];
const TOOLS = [{ name: "bash", inputSchema: { type: "object", properties: { command: { type: "string" } } } }];

/**
 * Replays a conversation: before each answer a request is prepared, counted by the provider, and its usage reported.
 */
export async function runBudget(
  messages: readonly MessageInput[],
  provider: CountingProvider,
  tokenizer: ProviderAwareTokenizer | undefined,
): Promise<BudgetRun> {
  const session = await ContextSession.open({
    config: { maxInputTokens: provider.windowTokens },
    frame: { system: SYSTEM, tools: TOOLS },
    journal: false,
    ...(tokenizer !== undefined && { tokenizer }),
  });
  let run: BudgetRun = { calls: 0, refusals: 0, folds: 0, worstUndercount: 0 };
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant" && messages[index - 1]?.role !== "assistant" && index > 0)
      run = await ask(session, provider, run);
    await session.append([message]);
  }
  await session.close();
  return run;
}

async function ask(session: ContextSession, provider: CountingProvider, before: BudgetRun): Promise<BudgetRun> {
  let run = before;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { request, tokens, outcome } = await session.prepare({ onOverBudget: "send" });
    const inputTokens = provider.count(request);
    const missed = run.calls === 0 ? 0 : 1 - tokens / inputTokens;
    const folded = outcome?.type === "committed" ? 1 : 0;
    run = { ...run, folds: run.folds + folded, worstUndercount: Math.max(run.worstUndercount, missed) };
    if (inputTokens <= provider.windowTokens) {
      await session.reportUsage({ inputTokens });
      return { ...run, calls: run.calls + 1 };
    }
    run = { ...run, refusals: run.refusals + 1 };
    await session.reportOverflow({ inputTokens, limitTokens: provider.windowTokens });
  }
  return run;
}

/** A refused request is prepared once more. */
const MOST_TRIES = 2;
