import {
  applySummaryChanges,
  type FileItem,
  renderSummary,
  type Steps,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type SummaryChange,
  type SummarySection,
  shortenedNarrative,
  type TextItem,
} from "@threadfold/core";
import { harvestSpan } from "../../extractive/collectors/harvest-span.ts";
import type { Candidate, Harvest } from "../../extractive/collectors/span-collector.ts";
import { selectChanges } from "../../extractive/selection/select-changes.ts";
import type { NotesOutcome } from "./running-notes.ts";

/**
 * The share of a summary that a model's prose may take. The rest is for what code adds: the task, rules, requests,
 * files and commands. Each may use what the other does not need.
 */
const NARRATIVE_SHARE = 0.8;

/** Returns the tokens that a narrative may take in a summary of this many tokens. */
export const narrativeRoom = (maxTokens: number): number => Math.floor(maxTokens * NARRATIVE_SHARE);

/**
 * Sections in which code finds more than a model does, and which must not be lost when a model leaves them out: rules,
 * open work, the trail of files, and the index of identifiers.
 */
const GROUND: ReadonlySet<SummarySection> = new Set(["constraints", "openItems", "files", "identifiers"]);
/** The same for prose, in which code cannot look things up: commands with their outcomes, and no index of names. */
const GROUND_OF_PROSE: ReadonlySet<SummarySection> = new Set(["constraints", "openItems", "files", "toolOutcomes"]);

/**
 * Returns the changes of a fold: a model's notes or prose, together with what code found in the span, chosen so that
 * the rendered summary stays within its limit. Items that the model removed are taken out first, to free their room.
 * Prose leaves a fifth of the room for what code found, and may use whatever of that is not needed.
 */
export function* settledChanges(notes: NotesOutcome, request: SummarizeRequest): Steps<readonly SummaryChange[]> {
  const told = notes.state.find((change) => change.op === "set-narrative")?.narrative;
  if (told === undefined) return yield* chosenChanges(notes, request, GROUND);
  const { maxTokens, countTokens, span } = request;
  const previous = withoutNarrative(request.previous);
  const alone = renderSummary(applySummaryChanges(null, span, [{ op: "set-narrative", narrative: told }]).summary);
  const least = maxTokens - narrativeRoom(maxTokens);
  const room = Math.max(least, maxTokens - countTokens(alone));
  const state = notes.state.filter(({ op }) => op !== "set-narrative");
  const changes = yield* chosenChanges({ ...notes, state }, { ...request, previous, maxTokens: room }, GROUND_OF_PROSE);
  return [...changes, { op: "set-narrative", narrative: fitted(told, changes, { ...request, previous }) }];
}

/** The narrative, shortened to the room that the rest of the summary leaves. */
function fitted(
  narrative: Omit<TextItem, "id">,
  changes: readonly SummaryChange[],
  { previous, span, maxTokens, countTokens }: SummarizeRequest,
): Omit<TextItem, "id"> {
  const { summary } = applySummaryChanges(previous, span, [...changes, { op: "set-narrative", narrative }]);
  const { text } = shortenedNarrative(summary, maxTokens, countTokens).narrative ?? narrative;
  return { ...narrative, text };
}

function withoutNarrative(summary: StructuredSummary | null): StructuredSummary | null {
  if (summary?.narrative === undefined) return summary;
  const { narrative: _narrative, ...rest } = summary;
  return rest;
}

function* chosenChanges(
  notes: NotesOutcome,
  request: SummarizeRequest,
  sections: ReadonlySet<SummarySection>,
): Steps<readonly SummaryChange[]> {
  const previous = withoutItems(request.previous, new Set(notes.resolves.map(({ itemId }) => itemId)));
  const rest: SummarizeRequest = { ...request, previous };
  const ground = (yield* harvestSpan(rest)).map((harvest) => groundOf(harvest, sections));
  const files = fileTrail(ground);
  const noted = notes.candidates.map((candidate) => onTrail(candidate, files));
  const notedPaths = new Set(noted.flatMap(({ section, item }) => (section === "files" ? [item.path] : [])));
  const harvests: readonly Harvest[] = [
    ...ground.map(({ candidates = [], changes = [] }) => ({
      changes,
      candidates: candidates.filter(({ section, item }) => section !== "files" || !notedPaths.has(item.path)),
    })),
    { candidates: noted, changes: notes.state },
  ];
  return [...notes.resolves, ...(yield* selectChanges(harvests, rest))];
}

const groundOf = ({ candidates = [], changes = [] }: Harvest, sections: ReadonlySet<SummarySection>): Harvest => ({
  candidates: candidates.filter(({ section }) => sections.has(section)),
  changes,
});

type FileCandidate = Extract<Candidate, { readonly section: "files" }>;

const fileTrail = (harvests: readonly Harvest[]): ReadonlyMap<string, FileCandidate> =>
  new Map(
    harvests
      .flatMap(({ candidates = [] }) => candidates)
      .flatMap((candidate) => (candidate.section === "files" ? [[candidate.item.path, candidate] as const] : [])),
  );

/** A file with the model's description and the action that the calls really took. */
function onTrail(candidate: Candidate, trail: ReadonlyMap<string, FileCandidate>): Candidate {
  if (candidate.section !== "files") return candidate;
  const found = trail.get(candidate.item.path);
  if (found === undefined) return candidate;
  const action: FileItem["action"] = found.item.action;
  const supersedes = found.supersedes ?? candidate.supersedes;
  return { ...candidate, item: { ...candidate.item, action }, ...(supersedes !== undefined && { supersedes }) };
}

function withoutItems(summary: StructuredSummary | null, ids: ReadonlySet<string>): StructuredSummary | null {
  if (summary === null || ids.size === 0) return summary;
  const sections = Object.fromEntries(
    SUMMARY_SECTIONS.map((section) => [
      section,
      (summary[section] as readonly { readonly id: string }[]).filter(({ id }) => !ids.has(id)),
    ]),
  );
  return { ...summary, ...sections } as StructuredSummary;
}
