import { EventLoopTurns, type RecallHit, recallTerms } from "@threadfold/core";
import { namesInText, quotedTexts } from "./names-in-text.ts";

/** A name or a quote of several words that stands in what was found, and the passage that speaks for it most. */
export interface RankedName {
  readonly name: string;
  readonly hit: RecallHit;
}

interface NameEntry {
  readonly hit: RecallHit;
  passages: number;
  defined: boolean;
}

/** What introduces a name where it is declared, in common languages. */
const DECLARATION =
  /\b(?:def|class|func|function|fn|type|interface|const|struct|enum|trait|module)\s+(?:\([^)\n]{0,80}\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/gu;
/** What a name is worth that has nothing in common with the query, and what a declaration adds. Found on recorded sessions. */
const BASE = 0.2;
const DECLARED = 0.4;
/** How much a name loses by its length: less than it costs, because long names are paths and harder to guess. */
const COST = 0.25;
/** What a quote of several words is worth beside a name: it is needed seldom, and found by nothing else. */
const QUOTE = 0.5;
/** How much a name loses by standing in many passages: common names are guessed or seen elsewhere. */
const COMMON = 0.3;

/**
 * The names and quotes in passages that were found, most likely needed first: those in passages that match well, that share parts
 * with the query, and that are declared there; short and seldom ones before long and common ones. Names in `known` are left out.
 */
export async function rankNames(
  hits: readonly RecallHit[],
  queryTerms: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Promise<readonly RankedName[]> {
  const turns = new EventLoopTurns();
  const names = await collectNames(hits, known, turns);
  const best = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
  const frequency = new Map<string, number>();
  const partsByName = new Map<string, readonly string[]>();
  for (const name of names.keys()) {
    const parts = partsOf(name);
    partsByName.set(name, parts);
    for (const term of parts) add(frequency, term);
    if (turns.isDue) await turns.turn();
  }
  const rarity = (term: string): number => Math.log(1 + names.size / (frequency.get(term) ?? 1));
  const worth = ([name, { hit, passages, defined }]: readonly [string, NameEntry]): number => {
    const parts = partsByName.get(name) ?? [];
    const all = parts.reduce((sum, term) => sum + rarity(term), 0);
    const shared = parts.filter((term) => queryTerms.has(term)).reduce((sum, term) => sum + rarity(term), 0);
    const likely = hit.score / best + shared / Math.max(all, Number.MIN_VALUE) + BASE + (defined ? DECLARED : 0);
    const kind = /\s/.test(name) ? QUOTE : 1;
    return (kind * likely) / (name.length ** COST * Math.sqrt(1 + COMMON * passages));
  };
  const ranked = [...names]
    .map((entry) => ({ entry, worth: worth(entry) }))
    .sort((a, b) => b.worth - a.worth)
    .map(({ entry: [name, { hit }] }) => ({ name, hit }));
  return withoutRepetition(ranked);
}

/** Names that say something new: `LEVEL` after `os.LEVEL` does not, while `os.LEVEL` after `LEVEL` says whose it is. */
function withoutRepetition(ranked: readonly RankedName[]): readonly RankedName[] {
  const told = new Set<string>();
  return ranked.filter(({ name }) => {
    if (told.has(name)) return false;
    for (const part of namesInText(name)) told.add(part);
    return true;
  });
}

async function collectNames(
  hits: readonly RecallHit[],
  known: ReadonlySet<string>,
  turns: EventLoopTurns,
): Promise<ReadonlyMap<string, NameEntry>> {
  const names = new Map<string, NameEntry>();
  for (const hit of hits) {
    if (turns.isDue) await turns.turn();
    const declared = new Set([...hit.excerpt.matchAll(DECLARATION)].map(([, name]) => name));
    for (const name of [...namesInText(hit.excerpt), ...quotedTexts(hit.excerpt)]) {
      if (known.has(name)) continue;
      // Hits come best first, so the first one speaks for the name most.
      const entry = names.get(name) ?? { hit, passages: 0, defined: false };
      entry.passages++;
      entry.defined ||= declared.has(name);
      names.set(name, entry);
    }
  }
  return names;
}

const partsOf = (name: string): readonly string[] => [...new Set(recallTerms(name))];

const add = (counts: Map<string, number>, term: string): void => void counts.set(term, (counts.get(term) ?? 0) + 1);
