import { actionOf, type Embed, type MessageId, type VectorStore } from "@threadfold/core";
import { truncateToTokens } from "../truncate-to-tokens.ts";
import type { RecallScene } from "./recall-result.ts";

/** Search by meaning, beside the search by words. */
export interface VectorSearch {
  readonly store: VectorStore;
  readonly embed: Embed;
}

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
  const [vector] = (await vectors?.embed([text])) ?? [];
  if (vectors === undefined || vector === undefined) return NONE;
  const left = new Set(except);
  const mayCome = (id: MessageId): boolean => !left.has(id) && actionOf(plan, id).action !== "include";
  const entries = (await vectors.store.search(thread.id, vector, NEAREST))
    .filter(({ similarity, entry }) => similarity >= NEAR && entry.sources.every(mayCome))
    .map(({ entry }) => entry);
  if (entries.length === 0) return NONE;
  const body = entries.map((entry) => `--- ${entry.sources.join(", ")}\n${entry.text}`).join("\n");
  const cut = truncateToTokens(body, Math.floor(maxTokens / 2), countTokens, () => "\n[… cut here]");
  if (cut === null) return NONE;
  return { text: cut.text, tokens: cut.tokens, sources: entries.flatMap(({ sources }) => sources) };
}
