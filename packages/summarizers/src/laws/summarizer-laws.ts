import {
  applySummaryChanges,
  canonicalJson,
  isUnsettled,
  NARRATIVE_CUT,
  type ResolvedItem,
  renderSummary,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type Summarizer,
  type SummaryChange,
  type SummaryItem,
  saidIn,
  sourcedItems,
  spanOf,
  summarySubject,
} from "@threadfold/core";
import { agentThreads, forAll, type Law, structuredSummaries, type Trials } from "@threadfold/core/laws";
import fc from "fast-check";

/** An input for the laws of summarizers. */
export interface SummaryTrial {
  readonly request: SummarizeRequest;
  /** True to use the summarizer's own summary of the same messages as the previous summary. False by default. */
  readonly again?: boolean;
}

const countTokens = (text: string): number => Math.ceil(text.length / 4);

/** Generates odd spans with little or much room, without or with a previous summary, or asked for a second time. */
export const summaryTrials: fc.Arbitrary<SummaryTrial> = agentThreads({ malformed: true, maxMessages: 24 })
  .filter((thread) => thread.length > 0)
  .chain((thread) => {
    const messages = [...thread.messages];
    const span = spanOf(messages);
    const known = { messages, span, pins: thread.livePins, countTokens };
    const maxTokens = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 4_000 }));
    return fc.oneof(
      fc
        .record({ previous: fc.option(structuredSummaries(span)), maxTokens })
        .map((part): SummaryTrial => ({ request: { ...known, ...part } })),
      maxTokens.map((most): SummaryTrial => ({ request: { ...known, previous: null, maxTokens: most }, again: true })),
    );
  });

/**
 * Returns the laws of the `Summarizer` port that can be checked without a model. They are checked on generated spans or
 * on requests of your own. A new summarizer is done when it breaks none of them.
 */
export const summarizerLaws = (
  summarizer: Summarizer,
  { inputs = summaryTrials, times = 100 }: Trials<SummaryTrial> = {},
): readonly Law[] =>
  forAll(
    inputs,
    CHECKS.map(({ name, broken }) => ({
      name,
      broken: async (trial: SummaryTrial) => broken(summarizer, await requestOf(summarizer, trial)),
    })),
    times,
  );

async function requestOf(summarizer: Summarizer, { request, again = false }: SummaryTrial): Promise<SummarizeRequest> {
  if (!again) return request;
  const { changes } = await summarizer.summarize(request);
  return { ...request, previous: applySummaryChanges(null, request.span, changes).summary };
}

interface SummarizerCheck {
  readonly name: string;
  broken(summarizer: Summarizer, request: SummarizeRequest): Promise<string | null>;
}

const CHECKS: readonly SummarizerCheck[] = [
  { name: "it has a name", broken: async ({ id }) => (id === "" ? "its id is empty" : null) },
  {
    name: "every item names messages of the span or of the summary before it",
    broken: async (summarizer, request) => {
      const known = new Set([...request.span.messageIds, ...sourcesOf(request.previous)]);
      const { changes } = await summarizer.summarize(request);
      const items = changes.flatMap((change) => saidIn(change) ?? []);
      const bad = items.find(({ sources }) => sources.length === 0 || sources.some((source) => !known.has(source)));
      return bad === undefined ? null : `sources ${JSON.stringify(bad.sources)}`;
    },
  },
  {
    name: "the rendered summary is within its limit, unless what must stay is not, or nothing would be left",
    broken: async (summarizer, request) => {
      const { changes } = await summarizer.summarize(request);
      if (changes.length === 0 && hasRoomForNothing(request)) return null;
      const { summary } = applySummaryChanges(request.previous, request.span, changes);
      const tokens = request.countTokens(renderSummary(summary));
      const least = request.countTokens(renderSummary(protectedPart(request, summary, changes)));
      return tokens <= Math.max(request.maxTokens, least)
        ? null
        : `${tokens} tokens, limit ${request.maxTokens}, least ${least}`;
    },
  },
  {
    name: "no constraint and no open item of the summary before disappears without a record",
    broken: async (summarizer, request) => {
      const { changes } = await summarizer.summarize(request);
      const { summary, resolved } = applySummaryChanges(request.previous, request.span, changes);
      const kept = new Set([...idsOf(summary), ...resolved.map(({ item }: ResolvedItem) => item.id)]);
      const lost = protectedItems(request.previous).find(({ id }) => !kept.has(id));
      return lost === undefined ? null : `lost ${lost.id}`;
    },
  },
  {
    name: "what the summary before says is not said again",
    broken: async (summarizer, request) => {
      const { changes } = await summarizer.summarize(request);
      const before = idsOf(request.previous);
      const { summary } = applySummaryChanges(null, request.span, changes);
      const again = changes.some(({ op }) => op === "add")
        ? [...idsOf(summary)].find((id) => before.has(id))
        : undefined;
      return again === undefined ? null : `item ${again} again`;
    },
  },
  {
    name: "the same request gives the same changes",
    broken: async (summarizer, request) => {
      // Compared in the form that a plan stores: nobody sees the order of keys, and a cache returns a different one.
      const first = canonicalJson((await summarizer.summarize(request)).changes);
      return first === canonicalJson((await summarizer.summarize(request)).changes) ? null : "two runs differ";
    },
  },
];

const sourcesOf = (summary: StructuredSummary | null): readonly string[] =>
  summary === null ? [] : sourcedItems(summary).flatMap(({ sources }) => sources);

const idsOf = (summary: StructuredSummary | null): ReadonlySet<string> =>
  new Set(summary === null ? [] : SUMMARY_SECTIONS.flatMap((section) => summary[section].map(({ id }) => id)));

const protectedItems = (summary: StructuredSummary | null): readonly SummaryItem[] =>
  summary === null ? [] : [...summary.constraints, ...summary.openItems.filter(isUnsettled)];

/** True when every single item of the previous summary exceeds the limit, so that nothing would be left to read. */
function hasRoomForNothing({ previous, span, maxTokens, countTokens }: SummarizeRequest): boolean {
  if (previous === null) return false;
  const empty = applySummaryChanges(null, span, []).summary;
  return SUMMARY_SECTIONS.every((section) =>
    previous[section].every((item) => countTokens(renderSummary({ ...empty, [section]: [item] })) > maxTokens),
  );
}

/**
 * The part of the previous summary that no fold may remove, with the new status of unsettled work and of a narrative.
 * What replaces unsettled work may have other words.
 */
function protectedPart(
  { previous, span }: SummarizeRequest,
  after: StructuredSummary,
  changes: readonly SummaryChange[],
): StructuredSummary {
  const cut: SummaryChange = { op: "set-narrative", narrative: { text: NARRATIVE_CUT, sources: [] } };
  const empty = applySummaryChanges(null, span, after.narrative === undefined ? [] : [cut]).summary;
  if (previous === null) return empty;
  const { constraints, openItems, artifacts, originalTask, currentTask, currentPlan } = previous;
  const unsettled = openItems.filter(isUnsettled);
  const ids = new Set(unsettled.map(({ id }) => id));
  const replacements = changes.flatMap((change) =>
    change.op === "supersede" && ids.has(change.itemId) ? [{ ...change.item, id: change.itemId } as SummaryItem] : [],
  );
  const work = new Set([...unsettled, ...replacements].map((item) => summarySubject("openItems", item)));
  return {
    ...empty,
    constraints,
    artifacts,
    originalTask,
    currentTask,
    currentPlan,
    openItems: after.openItems.filter((item) => work.has(summarySubject("openItems", item))),
  };
}
