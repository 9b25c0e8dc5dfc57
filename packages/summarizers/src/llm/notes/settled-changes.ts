import {
  type FileItem,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type SummaryChange,
  type SummarySection,
} from "@threadfold/core";
import { spanCollectors } from "../../extractive/collectors/collectors.ts";
import { readSpan } from "../../extractive/read-span.ts";
import type { Candidate } from "../../extractive/selection/candidate.ts";
import { selectChanges } from "../../extractive/selection/select-changes.ts";
import type { Harvest } from "../../extractive/span-collector.ts";
import type { NotesOutcome } from "./running-notes.ts";

/**
 * What code finds better than a model does, and what must not be lost when a model leaves it out: the task word for
 * word, rules, open work, the trail of files, and the index of identifiers.
 */
const GROUND: ReadonlySet<SummarySection> = new Set(["constraints", "openItems", "files", "identifiers"]);

/**
 * The changes of a fold: a model's notes and, around them, what code found in the span, chosen so that the rendered
 * summary stays within its limit. What the model took out of the summary before goes first, so that its room is free.
 */
export function settledChanges(notes: NotesOutcome, request: SummarizeRequest): readonly SummaryChange[] {
  const previous = withoutItems(request.previous, new Set(notes.resolves.map(({ itemId }) => itemId)));
  const rest: SummarizeRequest = { ...request, previous };
  const ground = groundHarvests(rest);
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
  return [...notes.resolves, ...selectChanges(harvests, rest)];
}

function groundHarvests(request: SummarizeRequest): readonly Harvest[] {
  const collectors = spanCollectors(request);
  readSpan(request.messages, collectors);
  return collectors.map((collector) => {
    const { candidates = [], changes = [] } = collector.harvest(request);
    return { candidates: candidates.filter(({ section }) => GROUND.has(section)), changes };
  });
}

type FileCandidate = Extract<Candidate, { readonly section: "files" }>;

const fileTrail = (harvests: readonly Harvest[]): ReadonlyMap<string, FileCandidate> =>
  new Map(
    harvests
      .flatMap(({ candidates = [] }) => candidates)
      .flatMap((candidate) => (candidate.section === "files" ? [[candidate.item.path, candidate] as const] : [])),
  );

/** A file as the model describes it, with what the calls really did to it. */
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
