import { setImmediate as nextTick } from "node:timers/promises";
import {
  AgentThread,
  type ContextCompactionConfig,
  compactionConfig,
  type Message,
  type ProviderAwareTokenizer,
  ThreadfoldError,
  type ThreadfoldStore,
  tokenBudget,
} from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import type { ProviderFormat } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import { calledTools, recordedCalls } from "@threadfold/simulation";
import { createMemoryStore } from "@threadfold/stores";
import type { CompactionPreset } from "@threadfold/strategies";

/** Options for folding a recorded session. */
export interface FoldedSessionOptions {
  readonly preset: CompactionPreset;
  /** Tokens that a request may take, as the tokenizer counts them. */
  readonly budget: number;
  readonly format: ProviderFormat;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly signal?: AbortSignal;
  /** Receives the share of the calls that have been made, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/**
 * Replays the calls of a recorded session, at the times of its log, and folds whenever that is due: the store then
 * contains the thread, its plans and its requests, as if an agent had run on it.
 *
 * @throws ThreadfoldError `ABORTED` when the signal is aborted.
 */
export async function foldedSession(
  imported: ImportedSession,
  options: FoldedSessionOptions,
): Promise<ThreadfoldStore> {
  const { preset, budget, format, tokenizer, signal, onProgress } = options;
  const { threadId, system, tools } = imported;
  const messages = [...AgentThread.empty(threadId).append(imported.messages).messages];
  let now = 0;
  const clock = { now: () => now };
  const store = createMemoryStore({ clock });
  const session = await ContextSession.open({
    ...{ threadId, store, preset, format, tokenizer, clock },
    config: countedBudget(preset, budget),
    // Declaring tools one by one, as they are first called, would break the prefix each time.
    frame: { system, tools: tools.length > 0 ? tools : calledTools(messages) },
    // The point is to see what a policy makes of the log, even if no request fits.
    onOverBudget: "send",
  });
  const calls = recordedCalls(messages.filter(({ branch }) => branch === undefined));
  let appended = 0;
  const appendUpTo = async (end: number): Promise<void> => {
    await session.append(imported.messages.slice(appended, end));
    appended = end;
  };
  for (const { index, at, answer } of calls) {
    await nextTick();
    if (signal?.aborted) throw new ThreadfoldError("ABORTED", "Folding the session was interrupted.");
    now = Number.isFinite(at) ? at : 0;
    await appendUpTo((answer[0] as Message).ordinal);
    await session.prepare();
    onProgress?.((index + 1) / calls.length);
  }
  await appendUpTo(messages.length);
  return store;
}

/**
 * Returns a budget in tokens of the counter itself, for a session that no provider answers. Setting the safety buffer
 * explicitly keeps the session from widening it for tokens that the counter may miss compared with a provider.
 */
export function countedBudget(preset: CompactionPreset, budget: number): Partial<ContextCompactionConfig> {
  const { safetyBufferTokens } = tokenBudget(compactionConfig({ ...preset.config, maxInputTokens: budget }));
  return { maxInputTokens: budget, safetyBufferTokens };
}
