import fc from "fast-check";
import type { SpanReference } from "../groups/span-reference.ts";
import { type ArtifactId, asArtifactId, type MessageId } from "../model/ids.ts";
import type { ToolOutcomeStatus } from "../model/tool-result-envelope.ts";
import {
  type OpenItem,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummarySection,
} from "../summary/structured-summary.ts";
import { applySummaryChanges, type NewItem, type SummaryChange, summaryItemId } from "../summary/summary-change.ts";
import { hostileTexts, jsonObjects, proseTexts } from "./text-arbitrary.ts";

/** Ids of the shape of artifact ids. */
export const artifactIds: fc.Arbitrary<ArtifactId> = fc
  .bigInt({ min: 0n, max: (1n << 96n) - 1n })
  .map((value) => asArtifactId(`artifact_${value.toString(16).padStart(24, "0")}`));

const text = fc.oneof({ weight: 5, arbitrary: proseTexts }, { weight: 1, arbitrary: hostileTexts });
const short = fc.constantFrom("", "a", "src/index.ts", "npm test", "must not break");

/** Items of each section; their sources and turns are numbers that {@link placed} turns into those of a span. */
const itemDrafts = {
  constraints: fc.record({ text }),
  facts: fc.record({ text }),
  decisions: fc.record({ decision: text, rationale: short, turn: fc.nat(100) }),
  openItems: fc.record(
    {
      description: text,
      context: short,
      priority: fc.constantFrom("high" as const, "medium" as const, "low" as const),
      status: fc.constantFrom<OpenItem["status"]>("open", "asked", "done", "cancelled", "lapsed"),
      kind: fc.constantFrom<NonNullable<OpenItem["kind"]>>("request", "question", "todo", "chapter"),
      turn: fc.nat(100),
    },
    { requiredKeys: ["description", "context", "priority", "status"] },
  ),
  files: fc.record({
    path: short,
    action: fc.constantFrom("read" as const, "created" as const, "modified" as const, "deleted" as const),
    description: short,
  }),
  toolOutcomes: fc.record({
    toolName: short,
    outcome: fc.constantFrom<ToolOutcomeStatus>("success", "failure", "partial"),
    keyFields: jsonObjects,
    errorMessage: fc.option(short),
  }),
  errors: fc.record({ error: text, resolution: fc.option(short) }),
  artifacts: fc.record({ artifactId: artifactIds, description: short, rehydrateHint: short }),
  identifiers: fc.record({ text: short }),
} satisfies { readonly [Section in SummarySection]: fc.Arbitrary<Omit<NewItem<Section>, "sources">> };

interface ItemDraft {
  readonly section: SummarySection;
  readonly content: object;
  readonly sources: readonly number[];
}

const sourcePicks = fc.array(fc.nat(50), { maxLength: 3 });
const draftOf = (section: SummarySection): fc.Arbitrary<ItemDraft> =>
  fc.record({
    section: fc.constant(section),
    content: itemDrafts[section] as fc.Arbitrary<object>,
    sources: sourcePicks,
  });
const drafts = fc.oneof(...SUMMARY_SECTIONS.map(draftOf));

function placed({ content, sources }: ItemDraft, span: SpanReference): NewItem<SummarySection> {
  const { messageIds, firstTurn, lastTurn } = span;
  const ids = new Set(sources.map((pick) => messageIds[pick % messageIds.length] as MessageId));
  const turn = firstTurn + (("turn" in content ? (content.turn as number) : 0) % (lastTurn - firstTurn + 1));
  return {
    ...content,
    ...("turn" in content && { turn }),
    sources: [...ids],
  } as unknown as NewItem<SummarySection>;
}

type SetDraft =
  | { readonly op: "set-original-task" | "set-narrative"; readonly text: string }
  | { readonly op: "set-current-task"; readonly task: string | null }
  | { readonly op: "set-current-plan"; readonly plan: string[] | null };

const setDrafts: fc.Arbitrary<SetDraft> = fc.oneof(
  fc.record({ op: fc.constant("set-original-task" as const), text: proseTexts }),
  fc.record({ op: fc.constant("set-narrative" as const), text: fc.oneof(proseTexts, hostileTexts) }),
  fc.record({ op: fc.constant("set-current-task" as const), task: fc.option(proseTexts) }),
  fc.record({ op: fc.constant("set-current-plan" as const), plan: fc.option(fc.array(proseTexts, { maxLength: 3 })) }),
);

const additionDrafts = fc.array(fc.oneof({ weight: 5, arbitrary: drafts }, { weight: 1, arbitrary: setDrafts }), {
  maxLength: 8,
});

function additionFrom(draft: ItemDraft | SetDraft, span: SpanReference): SummaryChange {
  if ("section" in draft) return { op: "add", section: draft.section, item: placed(draft, span) } as SummaryChange;
  if (!("text" in draft)) return draft;
  const said = { text: draft.text, sources: span.messageIds.slice(0, 1) };
  return draft.op === "set-narrative" ? { op: draft.op, narrative: said } : { op: draft.op, task: said };
}

/** Changes that only add and set: what a first fold of a span comes to. */
export const summaryAdditions = (span: SpanReference): fc.Arbitrary<readonly SummaryChange[]> =>
  additionDrafts.map((list) => list.map((draft) => additionFrom(draft, span)));

/** Summaries of a span, made as code makes them: by merging changes. */
export const structuredSummaries = (span: SpanReference): fc.Arbitrary<StructuredSummary> =>
  summaryAdditions(span).map((changes) => applySummaryChanges(null, span, changes).summary);

const removalDrafts = fc.array(fc.record({ target: fc.nat(1_000), successor: fc.option(drafts) }), { maxLength: 4 });

/** Changes against a summary: additions, and resolving or superseding of what it holds or of ids that nobody knows. */
export function summaryChanges(
  span: SpanReference,
  previous: StructuredSummary | null = null,
): fc.Arbitrary<readonly SummaryChange[]> {
  return fc.tuple(summaryAdditions(span), removalDrafts).map(([added, removals]) => {
    const targets = [...itemsOf(previous), ...added.flatMap(itemAdded), ...SUMMARY_SECTIONS.map(unknownItem)];
    return [
      ...added,
      ...removals.map(({ target, successor }) => removal(targets[target % targets.length] as Target, successor, span)),
    ];
  });
}

/** An item to remove: its section and id. */
type Target = readonly [section: SummarySection, itemId: string];

const unknownItem = (section: SummarySection): Target => [section, "000000000000"];
const itemAdded = (change: SummaryChange): readonly Target[] =>
  change.op === "add" ? [[change.section, summaryItemId(change.section, change.item)]] : [];
const itemsOf = (summary: StructuredSummary | null): readonly Target[] =>
  summary === null
    ? []
    : SUMMARY_SECTIONS.flatMap((section) => summary[section].map((item): Target => [section, item.id]));

/** A successor of another section stands for none: then the target is resolved. */
function removal([section, itemId]: Target, successor: ItemDraft | null, span: SpanReference): SummaryChange {
  if (successor?.section !== section) return { op: "resolve", section, itemId, reason: "finished" };
  return { op: "supersede", section, itemId, item: placed(successor, span) } as SummaryChange;
}
