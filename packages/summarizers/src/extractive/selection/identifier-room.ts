import type { SummarizeRequest, TextItem } from "@threadfold/core";
import { IdentifierIndex, IN_ARGUMENT } from "../identifiers/identifier-index.ts";
import type { Candidate } from "./candidate.ts";
import type { SummaryDraft } from "./summary-draft.ts";

type IdentifierCandidate = Extract<Candidate, { readonly section: "identifiers" }>;

/** Between two identifiers the rendered line has this. */
const SEPARATOR = " · ";
const HEADING = "\n## Identifiers seen\n";
/** An identifier of an earlier fold that this span does not name has aged by the span; its old rank says how far that counts. */
const AGED_LEAST = 0.55;
const AGED_MOST = 1.2;

interface Contender {
  readonly text: string;
  readonly worth: number;
  readonly previous: TextItem | null;
  readonly candidate: IdentifierCandidate | null;
}

/**
 * Fills the room that is left with identifiers, the most likely to be needed first. Those of earlier folds compete with
 * the new ones and make way when they are worth less. They stand in ascending order, so that a later cut from the front
 * takes the least.
 */
export function fillWithIdentifiers(
  draft: SummaryDraft,
  candidates: readonly IdentifierCandidate[],
  request: SummarizeRequest,
): void {
  const previous = draft.previousItems("identifiers") as readonly TextItem[];
  const contenders = contendersOf(previous, candidates);
  const cost = (text: string): number => Math.max(1, request.countTokens(text + SEPARATOR));
  let room = request.maxTokens - draft.tokens - (previous.length > 0 ? 0 : request.countTokens(HEADING));
  for (const { text } of previous) room += cost(text);
  const covered = coveredBy(draft.text());
  const chosen: Contender[] = [];
  for (const contender of contenders) {
    if (room <= 0) break;
    if (contender.previous === null && covered.has(contender.text)) continue;
    const tokens = cost(contender.text);
    if (tokens > room) continue;
    room -= tokens;
    chosen.push(contender);
    if (contender.text.includes("/")) addPathParts(contender.text, covered);
    else for (const name of contender.text.split(".")) covered.add(name);
  }
  const kept = new Set(chosen.map(({ previous: item }) => item?.id));
  for (const item of previous) if (!kept.has(item.id)) draft.evict("identifiers", item, cost(item.text));
  for (const { candidate, text } of chosen.reverse()) if (candidate !== null) draft.add(candidate, cost(text));
}

function contendersOf(previous: readonly TextItem[], candidates: readonly IdentifierCandidate[]): readonly Contender[] {
  const worths = new Map(candidates.map(({ item, worth }) => [item.text, worth]));
  const known = new Set(previous.map(({ text }) => text));
  const old = previous.map((item, index): Contender => {
    const rank = previous.length < 2 ? 1 : index / (previous.length - 1);
    const aged = (AGED_LEAST + (AGED_MOST - AGED_LEAST) * rank) / Math.sqrt(item.text.length + 3);
    return { text: item.text, worth: Math.max(aged, worths.get(item.text) ?? 0), previous: item, candidate: null };
  });
  const fresh = candidates
    .filter(({ item }) => !known.has(item.text))
    .map((candidate): Contender => ({ text: candidate.item.text, worth: candidate.worth, previous: null, candidate }));
  return [...old, ...fresh].sort((a, b) => b.worth - a.worth || (a.text < b.text ? -1 : 1));
}

/** The identifiers that the rest of the summary shows already. Those of earlier folds are not the rest. */
function coveredBy(text: string): Set<string> {
  const heading = text.indexOf(HEADING);
  const rest = heading < 0 ? text : text.slice(0, heading);
  const index = new IdentifierIndex();
  index.scan(rest, IN_ARGUMENT, 0);
  const covered = new Set<string>();
  for (const entry of index.entries) {
    covered.add(entry.text);
    if (entry.kind === "path") addPathParts(entry.text, covered);
  }
  return covered;
}

/** A path shows its folders and its ends, too. */
function addPathParts(path: string, covered: Set<string>): void {
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    covered.add(path.slice(slash + 1));
    covered.add(path.slice(0, slash));
  }
}
