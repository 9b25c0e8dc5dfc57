import {
  type AgentThread,
  type CompactionPlan,
  type CompactionStore,
  compactionConfig,
  emptyPlan,
  type PromptCachePrice,
  roomTokens,
} from "@threadfold/core";
import { countingTokenizer, pinnedClock } from "@threadfold/core/laws";
import { formatById } from "@threadfold/renderer";
import {
  type CompactionPreset,
  durabilityPolicy,
  type TriggerDecision,
  type TriggerInput,
  threadfoldPreset,
} from "@threadfold/strategies";
import { EMPTY_FRAME } from "../measure/request-frame.ts";
import { type RenderSources, RequestRenderer } from "../measure/request-renderer.ts";
import { threadState } from "../measure/thread-state.ts";
import { foldHistory } from "../state/breaker.ts";
import type { Turn } from "../state/turn-state.ts";
import { NO_USAGE } from "../state/usage.ts";
import { artifactsThat } from "./fold-case.ts";
import { factSummarizer } from "./run-fold.ts";

/** What a test can set for a turn; the rest is as at the first check of a session, before any report. */
type TurnFields = Partial<Omit<Turn, "config" | "state">> & {
  readonly config?: Partial<Turn["config"]>;
  /** What its requests are rendered with, in addition to thread and plan. */
  readonly sources?: Partial<RenderSources>;
};

/** Returns a turn over a thread, with real rendering and stand-ins for stores and summarizers. For tests. */
export function turnOf(thread: AgentThread, { sources, ...fields }: TurnFields = {}): Turn {
  // The few calls of a test say nothing about how fast a thread grows.
  const config = compactionConfig({ maxInputTokens: 4_000, minCallsPerFold: 0, ...fields.config });
  const state = threadState(thread, countingTokenizer(), durabilityPolicy(config));
  const plan = fields.plan ?? emptyPlan(thread.id, config.policyVersion);
  const usage = fields.usage ?? NO_USAGE;
  return {
    threadId: thread.id,
    tenantId: null,
    foldId: "fold",
    cause: "auto",
    preset: triggeredBy({ level: "none" }),
    overheadTokens: 0,
    spareRehydrated: false,
    idleSeconds: undefined,
    price: undefined,
    summarizer: factSummarizer,
    artifacts: artifactsThat(),
    clock: pinnedClock(0),
    emit: () => undefined,
    renderer: new RequestRenderer({
      ...{ state, frame: EMPTY_FRAME, format: formatById("neutral"), summaryRole: "user", count: usage },
      ...sources,
    }),
    history: foldHistory(plan.version),
    ...fields,
    ...{ state, plan, usage, config },
  };
}

/** Returns the default preset with a trigger that always makes this decision. */
export const triggeredBy = (decision: TriggerDecision, onInput?: (input: unknown) => void): CompactionPreset => ({
  ...threadfoldPreset,
  trigger: () => ({
    name: "test",
    evaluate: (input) => {
      onInput?.(input);
      return decision;
    },
  }),
});

/** Prices that make figures easy to read: writing costs ten times as much as reading. Cached for a minute. */
export const PLAIN_PRICE: PromptCachePrice = {
  id: "plain",
  formats: [],
  models: [],
  read: 0.1,
  write: 1,
  ttlSeconds: 60,
  minimumPrefixTokens: 100,
  minimumPrefixByModel: {},
};

/** Creates a plan store that commits every plan, unless the test says that another writer was first. */
export function plansThat(isFirst: (attempt: number) => boolean = () => true) {
  const committed: CompactionPlan[] = [];
  const expected: number[] = [];
  const plans: CompactionStore = {
    getCurrentPlan: async () => ({ plan: committed.at(-1) ?? null, version: committed.at(-1)?.version ?? 0 }),
    getPlan: async (_threadId, version) => committed.find((plan) => plan.version === version) ?? null,
    listPlans: async () => [],
    commitPlan: async (_threadId, plan, expectedVersion) => {
      expected.push(expectedVersion);
      if (!isFirst(expected.length)) return { status: "conflict", currentVersion: expectedVersion + 1 };
      committed.push(plan);
      return { status: "committed", version: plan.version };
    },
  };
  return { plans, committed, expected };
}

/** Returns the level at which a preset's trigger fires for a window. For tests. */
export function triggerLevel(
  preset: CompactionPreset,
  maxInputTokens: number,
  input: Partial<TriggerInput>,
): TriggerDecision["level"] {
  const config = compactionConfig({ ...preset.config, maxInputTokens });
  const quiet = { tokens: 0, roomTokens: roomTokens(config), turns: 1, steps: 1, messages: 100 };
  return preset.trigger(config).evaluate({ ...quiet, ...input }).level;
}
