import {
  actionOf,
  type Embed,
  type MessageId,
  type ThreadId,
  type VectorMatch,
  type VectorStore,
  withinLimit,
} from "@threadfold/core";
import { truncateToTokens } from "../truncate-to-tokens.ts";
import type { RecallScene } from "./recall-result.ts";

/** Search by meaning, beside the search by words. */
export interface VectorSearch {
  readonly store: VectorStore;
  readonly embed: Embed;
  /** How long embedding and searching may take together, in milliseconds; 5 000 by default. */
  readonly timeLimitMs?: number;
}

const TIME_LIMIT_MS = 5_000;

/** What is near in meaning, as text. */
export interface NearestText {
  readonly text: string;
  readonly tokens: number;
  readonly sources: readonly MessageId[];
}

/** Nearest entries that are looked at, and how near they have to be. */
const NEAREST = 3;
const NEAR = 0.5;
const NONE: NearestText = Object.freeze({ text: "", tokens: 0, sources: [] });

/** Entries near in meaning to a text, in half of the tokens at the most; none of what may not come back or what the prompt shows. */
export async function nearestEntries(
  vectors: VectorSearch | undefined,
  { thread, plan, countTokens }: Pick<RecallScene, "thread" | "plan" | "countTokens">,
  text: string,
  except: readonly MessageId[],
  maxTokens: number,
): Promise<NearestText> {
  if (vectors === undefined) return NONE;
  const left = new Set(except);
  const mayCome = (id: MessageId): boolean => !left.has(id) && actionOf(plan, id).action !== "include";
  const entries = (await nearest(vectors, thread.id, text))
    .filter(({ similarity, entry }) => similarity >= NEAR && entry.sources.every(mayCome))
    .map(({ entry }) => entry);
  if (entries.length === 0) return NONE;
  const body = entries.map((entry) => `--- ${entry.sources.join(", ")}\n${entry.text}`).join("\n");
  const cut = truncateToTokens(body, Math.floor(maxTokens / 2), countTokens, () => "\n[… cut here]");
  if (cut === null) return NONE;
  return { text: cut.text, tokens: cut.tokens, sources: entries.flatMap(({ sources }) => sources) };
}

/** @throws ThreadfoldError `TIMED_OUT`, or what the embedder or the vector store throws. */
function nearest(
  { store, embed, timeLimitMs = TIME_LIMIT_MS }: VectorSearch,
  threadId: ThreadId,
  text: string,
): Promise<readonly VectorMatch[]> {
  const search = async (): Promise<readonly VectorMatch[]> => {
    const [vector] = await embed([text]);
    return vector === undefined ? [] : store.search(threadId, vector, NEAREST);
  };
  return withinLimit(search, {
    ...{ milliseconds: timeLimitMs, waitedFor: "the search by meaning", option: "timeLimitMs", timers: globalThis },
  });
}
