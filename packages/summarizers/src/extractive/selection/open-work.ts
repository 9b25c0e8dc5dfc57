import { isUnsettled, type MessageId, type NewItem, type OpenItem } from "@threadfold/core";
import { agedWork, type Chapter } from "./aged-work.ts";
import type { Candidate } from "./candidate.ts";

/** No summary shows more work of which it does not know how it ended. */
export const MAX_UNSETTLED = 16;
/** Closed work is told in a line when it is older than so many turns. */
const OLD = 3;
/** Work that nobody came back to in so many turns is no work any more. */
const PATIENCE = 12;

type WorkCandidate = Extract<Candidate, { readonly section: "openItems" }>;
type Work = OpenItem | WorkCandidate;

const itemOf = (work: Work): NewItem<"openItems"> => ("item" in work ? work.item : work);

/** What a fold makes of work items: those that want to be in the summary, and the closed one that it names in any case. */
export interface OpenWork {
  readonly candidates: readonly WorkCandidate[];
  /** Items of the summary before that stay whatever else has to go. */
  readonly kept: ReadonlySet<string>;
  /** Old closed requests that become one line. */
  readonly chapter: Chapter | null;
}

/**
 * Keeps work from piling up. What nobody came back to for long, and the oldest of what is too much or takes too much room,
 * lapses, so that new work is never refused for the sake of old work. The newest request, and the newest one that is
 * closed, are sure of their place.
 *
 * @param previous work items of the summary before.
 * @param room tokens that unsettled work may take, counted by `costOf`.
 */
export function boundedWork(
  candidates: readonly WorkCandidate[],
  previous: readonly OpenItem[],
  span: { readonly firstTurn: number; readonly lastTurn: number; readonly end: MessageId },
  room: number,
  costOf: (item: NewItem<"openItems">) => number,
): OpenWork {
  const replaced = new Set(candidates.map(({ supersedes }) => supersedes));
  const aged = agedWork(
    previous.filter((item) => !replaced.has(item.id) && span.lastTurn - (item.turn ?? span.firstTurn) >= OLD),
    room,
    costOf,
  );
  const told = new Set(aged.chapter?.merged.map(({ id }) => id));
  const stays = previous.filter(({ id }) => !replaced.has(id) && !told.has(id));
  const turnOf = (work: Work): number => itemOf(work).turn ?? span.firstTurn;
  const unsettled = [...stays, ...candidates]
    .filter((work) => isUnsettled(itemOf(work)))
    .sort((a, b) => turnOf(b) - turnOf(a) || worthOf(b) - worthOf(a));
  // What is asked now goes before everything else.
  const now = unsettled.findIndex((work) => itemOf(work).kind === "request");
  if (now > 0) unsettled.unshift(...unsettled.splice(now, 1));
  const lapsing = new Set<Work>();
  let used = 0;
  unsettled.forEach((work, index) => {
    used += costOf(itemOf(work));
    const isOld = span.lastTurn - turnOf(work) > PATIENCE;
    if (isOld || (index > 0 && (index >= MAX_UNSETTLED || used > room))) lapsing.add(work);
  });
  const bounded = [
    ...candidates.map((candidate) => (lapsing.has(candidate) ? lapsed(candidate) : candidate)),
    ...stays
      .filter((item) => lapsing.has(item))
      .map(({ id, ...item }) => lapsed({ section: "openItems", item, worth: 0, supersedes: id })),
  ];
  const sourced = [...bounded, ...aged.lines].map((candidate) => withSource(candidate, span.end));
  const taken = new Set(sourced.map(({ supersedes }) => supersedes));
  const left = stays.filter(({ id }) => !taken.has(id));
  return { ...withSurePlaces(sourced, left, turnOf), chapter: aged.chapter };
}

/** An item of an earlier summary may name no message; what is said of it now is known from the span. */
const withSource = (candidate: WorkCandidate, end: MessageId): WorkCandidate =>
  candidate.item.sources.length > 0 ? candidate : { ...candidate, item: { ...candidate.item, sources: [end] } };

const worthOf = (work: Work): number => ("worth" in work ? work.worth : 0);

function lapsed(candidate: WorkCandidate): WorkCandidate {
  const { context, ...item } = candidate.item;
  const isToldOf = context !== "" && item.kind === "request" && item.status === "open";
  const told = isToldOf ? context : "no later word on it";
  return { ...candidate, item: { ...item, context: told, status: "lapsed", priority: "medium" }, worth: 0 };
}

function withSurePlaces(
  candidates: readonly WorkCandidate[],
  stays: readonly OpenItem[],
  turnOf: (work: Work) => number,
): Omit<OpenWork, "chapter"> {
  const newest = (works: readonly Work[]): Work | undefined =>
    works
      .filter((work) => itemOf(work).kind === "request")
      .reduce<Work | undefined>(
        (best, work) => (best === undefined || turnOf(work) >= turnOf(best) ? work : best),
        undefined,
      );
  const all: readonly Work[] = [...stays, ...candidates];
  const isClosed = (work: Work): boolean => ["done", "cancelled"].includes(itemOf(work).status);
  const sure = new Set([newest(all), newest(all.filter(isClosed))]);
  return {
    candidates: candidates.map((candidate) => (sure.has(candidate) ? { ...candidate, sure: true } : candidate)),
    kept: new Set(stays.filter((item) => sure.has(item)).map(({ id }) => id)),
  };
}
