import { MemoryRecallIndex, QUERY_MESSAGES, recall, recallQuery, recallTokens } from "@threadfold/rehydration";
import {
  type AgentThread,
  type CompactionPlan,
  type CompactionPreset,
  ContextSession,
  heuristicTokenizer,
  type ThreadId,
} from "threadfold";
import type { ProbeFact } from "./probe-facts.ts";

/** What one preset keeps and what recall finds under it. */
export interface ProbeTally {
  readonly preset: string;
  readonly facts: number;
  readonly direct: number;
  readonly reachable: number;
  /** The largest recall result, in tokens. */
  readonly tokens: number;
  /** The facts that were not reached, as text for people. */
  readonly misses: readonly string[];
}

/** The cap to which each cut is folded, in tokens of the counter. */
const BUDGET = 20_000;

/** Folds at every cut of every fact, and looks for the fact in the prompt and in one recall. */
export async function probePreset(preset: CompactionPreset, facts: readonly ProbeFact[]): Promise<ProbeTally> {
  const folds = new Map<string, Promise<Fold>>();
  const misses: string[] = [];
  let [direct, reachable, tokens] = [0, 0, 0];
  for (const probe of facts) {
    const cuts = probeCuts(probe.firstSeen, probe.neededAt);
    const found: ProbeAtCut[] = [];
    // What recall can find is the same at every cut: the thread as it is just before the fact is needed.
    const index = new MemoryRecallIndex();
    for (const cut of cuts) {
      const key = `${probe.file} ${cut}`;
      const fold = folds.get(key) ?? foldAt(preset, probe.thread, cut);
      folds.set(key, fold);
      const { prompt, plan } = await fold;
      const isDirect = prompt.includes(JSON.stringify(probe.fact).slice(1, -1));
      const result = isDirect ? null : await recallFor(probe, plan, index);
      tokens = Math.max(tokens, result?.tokens ?? 0);
      found.push({ cut, isDirect, isReached: result === null || result.text.includes(probe.fact) });
    }
    if (found.every(({ isDirect }) => isDirect)) direct++;
    const missed = found.filter(({ isReached }) => !isReached).map(({ cut }) => cut);
    if (missed.length === 0) reachable++;
    else
      misses.push(
        `${probe.file}: ${probe.fact}, shown at ${probe.firstSeen}, needed at ${probe.neededAt}, missed at ${missed}`,
      );
  }
  return { preset: preset.name, facts: facts.length, direct, reachable, tokens, misses };
}

interface ProbeAtCut {
  readonly cut: number;
  readonly isDirect: boolean;
  readonly isReached: boolean;
}

interface Fold {
  readonly prompt: string;
  readonly plan: CompactionPlan;
}

async function foldAt(preset: CompactionPreset, thread: AgentThread, cut: number): Promise<Fold> {
  const session = await ContextSession.open({
    threadId: `${thread.id}-${cut}` as ThreadId,
    preset,
    config: { ...preset.config, maxInputTokens: BUDGET },
  });
  await session.append(thread.messagesBetween(0, cut));
  const { payloadText, plan } = await session.prepare();
  await session.close();
  return { prompt: payloadText, plan };
}

/** Runs one recall just before the fact is needed: on the thread as of then, under the plan made at the cut. */
async function recallFor(probe: ProbeFact, plan: CompactionPlan, index: MemoryRecallIndex) {
  const { thread, neededAt } = probe;
  const before = thread.atVersion(neededAt);
  const sources = { index, thread: before, plan, maxTokens: recallTokens(BUDGET) };
  return recall(
    { ...sources, countTokens: (text) => heuristicTokenizer().countTokens(text) },
    { text: recallQuery(before.messagesBetween(Math.max(0, neededAt - QUERY_MESSAGES))) },
  );
}

/**
 * Where a thread is folded between the message that shows a fact and the one that needs it, as fractions of the way.
 */
const SHARES = [0, 0.25, 0.5, 0.75, 1];

/** Returns the thread lengths to fold at: with the message that shows the fact, without the one that needs it. */
function probeCuts(firstSeen: number, neededAt: number): readonly number[] {
  const first = firstSeen + 1;
  return [...new Set(SHARES.map((share) => Math.round(first + share * (neededAt - first))))];
}
