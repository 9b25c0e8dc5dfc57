import {
  actionOf,
  type ContextCompactionEvent,
  isBranchVisible,
  type MessageId,
  type RecallHit,
  ThreadfoldError,
  type ThreadId,
  type VectorMatch,
  withinLimit,
} from "@threadfold/core";
import { truncateToTokens } from "../artifacts/text-page.ts";
import type { RecallAsk, RecallSources, VectorSearch } from "./recall-sources.ts";

const TIME_LIMIT_MS = 5_000;
/** What is near in meaning may take this much of a result's tokens, on top of them. */
export const NEAR_SHARE = 0.07;

/** What is near in meaning, as text. */
export interface NearestText {
  readonly text: string;
  readonly sources: readonly MessageId[];
}

/** What the search by words found, and what of it is shown. */
export interface FoundByWords {
  readonly hits: readonly RecallHit[];
  /** The passages on the page. */
  readonly shown: readonly RecallHit[];
  readonly except: readonly MessageId[];
}

/** Nearest entries that are looked at, and how near they have to be. */
const NEAREST = 8;
const NEAR = 0.5;
/** What the words say of an entry's messages weighs more than what its vector says: as equals both find less. */
const WORDS_WEIGHT = 0.7;
const NONE: NearestText = Object.freeze({ text: "", sources: [] });

/**
 * Entries near in meaning to a text, those first whose messages the words speak for, too. None whose messages may not come
 * back or stand in the prompt, and none that is shown already. A store that fails finds nothing.
 */
export async function nearestEntries(
  sources: RecallSources,
  ask: RecallAsk,
  found: FoundByWords,
): Promise<NearestText> {
  const { near, thread, countTokens } = sources;
  if (near === undefined || near.maxTokens <= 0) return NONE;
  try {
    const isShown = (text: string): boolean => found.shown.some(({ excerpt }) => excerpt.includes(text));
    const entries = rank(await nearest(near, thread.id, ask.text), found).filter(
      ({ entry }) => mayCome(sources, ask, found.except, entry.sources) && !isShown(entry.text),
    );
    if (entries.length === 0) return NONE;
    const body = entries.map(
      ({ entry }) => `--- near in meaning, of ${entry.sources.join(", ")}\n${inset(entry.text)}`,
    );
    const cut = truncateToTokens(body.join("\n"), near.maxTokens - 1, countTokens, () => "\n[… cut here]");
    return cut === null ? NONE : { text: cut.text, sources: entries.flatMap(({ entry }) => entry.sources) };
  } catch (problem) {
    near.onProblem?.(problem);
    return NONE;
  }
}

function rank(matches: readonly VectorMatch[], { hits }: FoundByWords): readonly VectorMatch[] {
  const best = hits[0]?.score ?? 1;
  const scores = new Map<MessageId, number>();
  for (const { messageId, score } of hits) if (!scores.has(messageId)) scores.set(messageId, score / best);
  const worth = ({ similarity, entry }: VectorMatch): number =>
    WORDS_WEIGHT * Math.max(0, ...entry.sources.map((id) => scores.get(id) ?? 0)) + (1 - WORDS_WEIGHT) * similarity;
  return matches
    .filter(({ similarity }) => similarity >= NEAR && similarity <= 1.001)
    .map((match) => ({ match, worth: worth(match) }))
    .sort((a, b) => b.worth - a.worth)
    .map(({ match }) => match);
}

/**
 * An entry comes back by the rules of its messages: those of the thread that the requester may see and that the prompt
 * does not show.
 */
function mayCome(
  { thread, plan }: RecallSources,
  ask: RecallAsk,
  except: readonly MessageId[],
  sources: readonly MessageId[],
): boolean {
  const isAdmitted = (id: MessageId): boolean => {
    const message = thread.message(id);
    if (message === undefined || except.includes(id)) return false;
    const { branch, role, createdAt } = message;
    const at = Date.parse(createdAt);
    return (
      isBranchVisible(branch, ask.branch) &&
      (branch !== undefined || actionOf(plan, id).action !== "include") &&
      (ask.roles === undefined || ask.roles.includes(role)) &&
      (ask.after === undefined || at >= Date.parse(ask.after)) &&
      (ask.before === undefined || at < Date.parse(ask.before))
    );
  };
  return sources.length > 0 && sources.every(isAdmitted);
}

/** What looks like one of our own lines is indented by a space, so that content cannot pass for provenance. */
const inset = (text: string): string => text.replace(/^(?=--- |\[Recalled from |Names in matching )/gm, " ");

/** The event for a search by meaning that failed. */
export function vectorProblem(cause: unknown, threadId: ThreadId, budgetLimit: number): ContextCompactionEvent {
  const place = { type: "vector_search_failed", threadId, budgetLimit } as const;
  if (ThreadfoldError.isInstance(cause)) return { ...place, code: cause.code, problem: cause.message };
  // What a host's store says may hold content.
  return {
    ...place,
    code: null,
    problem: cause instanceof Error ? cause.name : "something that is not an error was thrown",
  };
}

/** @throws ThreadfoldError `TIMED_OUT`, or what the embedder or the vector store throws. */
function nearest(
  { store, embed, timeLimitMs = TIME_LIMIT_MS }: VectorSearch,
  threadId: ThreadId,
  text: string,
): Promise<readonly VectorMatch[]> {
  const search = async (): Promise<readonly VectorMatch[]> => {
    const [vector] = await embed([text]);
    return vector === undefined ? [] : (await store.search(threadId, vector, NEAREST)).slice(0, NEAREST);
  };
  return withinLimit(search, {
    ...{ milliseconds: timeLimitMs, waitedFor: "the search by meaning", option: "timeLimitMs", timers: globalThis },
  });
}
