import {
  type AgentThread,
  type ArtifactStore,
  actionOf,
  type CompactionPlan,
  type DropRecord,
  emptyPlan,
  type JsonValue,
  type SecurityContext,
  spanOf,
  type ThreadfoldStore,
} from "@threadfold/core";
import { MemoryRecallIndex, type SearchThreadResult, searchThreadTool } from "@threadfold/rehydration";
import { referencedThread, referenceOf, type ThreadReference } from "./thread-reference.ts";

/** Maximum number of references that are followed. */
const MOST_FOLLOWED = 4;

/** What searching referenced threads depends on. */
export interface ReferencedSearchPorts {
  readonly store: ThreadfoldStore;
  readonly artifacts: ArtifactStore;
  readonly requester?: SecurityContext;
  readonly countTokens: (text: string) => number;
  /** Maximum tokens of one answer. */
  readonly maxTokens: number;
}

/**
 * Answers a `search_thread` call from the threads that a thread refers to, nearest first, each as it was when
 * referenced (like Amp's thread references: information on demand, without the thread in the prompt). Null when none
 * has a match.
 */
export async function searchReferenced(
  thread: AgentThread,
  input: JsonValue,
  ports: ReferencedSearchPorts,
): Promise<SearchThreadResult | null> {
  let waiting = referencesIn(thread);
  for (let followed = 0; followed < MOST_FOLLOWED && waiting.length > 0; followed++) {
    const [reference, ...rest] = waiting as readonly [ThreadReference, ...ThreadReference[]];
    const referenced = await referencedThread(ports.store, reference);
    if (referenced !== null) {
      const answer = await searchOne(referenced, reference, input, ports);
      if (answer.problem === null)
        return { ...answer, text: `[From thread ${referenced.id}, which this one refers to]\n${answer.text}` };
    }
    waiting = [...rest, ...(referenced === null ? [] : referencesIn(referenced))];
  }
  return null;
}

/** Returns the references in the metadata of a thread's messages, newest first. */
export const referencesIn = (thread: AgentThread): readonly ThreadReference[] =>
  [...thread.messages].flatMap((message) => referenceOf(message) ?? []).reverse();

async function searchOne(
  thread: AgentThread,
  { planVersion }: ThreadReference,
  input: JsonValue,
  { store, artifacts, requester, countTokens, maxTokens }: ReferencedSearchPorts,
): Promise<SearchThreadResult> {
  const index = new MemoryRecallIndex();
  await index.index(thread.id, [...thread.messages]);
  const former = planVersion === 0 ? null : await store.plans.getPlan(thread.id, planVersion);
  const plan = hiddenPlan(thread, former ?? emptyPlan(thread.id, "reference"));
  const found = { index, artifacts, thread, plan, countTokens, maxTokens };
  return searchThreadTool(() => (requester === undefined ? found : { ...found, requester })).execute(input);
}

/** Treats the whole referenced thread as hidden, because search only returns what the prompt does not show. */
function hiddenPlan(thread: AgentThread, plan: CompactionPlan): CompactionPlan {
  const shown = [...thread.messages].filter(({ id, ordinal }) => actionOf(plan, id, ordinal).action === "include");
  if (shown.length === 0) return plan;
  const gone: DropRecord = {
    action: "drop",
    span: spanOf(shown),
    strategy: "reference",
    reason: "It is in a thread that this one refers to.",
    sincePlanVersion: plan.version,
    originalTokens: 0,
    keywords: [],
  };
  return { ...plan, drops: [...plan.drops, gone] };
}
