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
/** The share of a result's tokens that entries near in meaning may take in addition to them. */
export const NEAR_SHARE = 0.07;

/** Entries near in meaning, as text, and the messages that they come from. */
export interface NearestText {
  readonly text: string;
  readonly sources: readonly MessageId[];
}

/** What the search by words found, and which of it the page shows. */
export interface FoundByWords {
  readonly hits: readonly RecallHit[];
  /** The passages on the page. */
  readonly shown: readonly RecallHit[];
  readonly except: readonly MessageId[];
}

/** The number of nearest entries that are considered, and the least similarity that they must have. */
const NEAREST = 8;
const NEAR = 0.5;
/**
 * The weight of the word scores of an entry's messages; its vector's similarity has the rest. Equal weights find less.
 */
const WORDS_WEIGHT = 0.7;
const NONE: NearestText = Object.freeze({ text: "", sources: [] });

/**
 * Returns the entries near in meaning to a text; entries whose messages also match by words come first. Leaves out
 * entries whose messages may not come back or are in the prompt, and entries that are already shown. If the embedder or
 * the store fails, returns nothing and reports the problem.
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
 * True when an entry may come back: all its messages are in the thread, the requester may see them, and the prompt does
 * not show them.
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

/** Indents lines that look like our own by a space, so that content cannot pass for provenance. */
const inset = (text: string): string => text.replace(/^(?=--- |\[Recalled from |Names in matching )/gm, " ");

/** Returns the event for a search by meaning that failed. */
export function vectorProblem(cause: unknown, threadId: ThreadId, budgetLimit: number): ContextCompactionEvent {
  const place = { type: "vector_search_failed", threadId, budgetLimit } as const;
  if (ThreadfoldError.isInstance(cause)) return { ...place, code: cause.code, problem: cause.message };
  // The error message of a host's store may contain content.
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
