import {
  applySummaryChanges,
  type NewItem,
  renderSummary,
  type SpanReference,
  type StructuredSummary,
  type SummaryChange,
} from "@threadfold/core";
import { isSameFile } from "./changed-files.ts";
import type { Fulfilment } from "./fulfilment.ts";
import { itemTokens, type OwedItems } from "./owed-items.ts";

/** References to artifacts, and files that a summarizer did not name, each take at most this share of a summary. */
const SHARE = 1 / 8;

/**
 * A summarizer's changes with what code owes the summary: fields that were declared, references to what stood behind
 * pointers, and changed files. What the summarizer says of the same call, artifact or file is one item with it; declared
 * fields and references of earlier folds are not taken out by its word. References go oldest first when they take more
 * than their share, with a record of it; files have the room that is left, or their share where none was named.
 */
export function codedChanges(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
  span: SpanReference,
  owed: OwedItems,
  fulfilment: Fulfilment,
): readonly SummaryChange[] {
  const kept = withoutRemovals(changes, previous);
  const told = [...withOutcomes(kept, owed.outcomes), ...references(kept, previous, owed.artifacts, fulfilment)];
  return [...told, ...files(told, previous, span, owed.files, fulfilment)];
}

/** Only code takes out what code put in. */
function withoutRemovals(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
): readonly SummaryChange[] {
  const coded = new Set([
    ...(previous?.toolOutcomes ?? []).filter(({ declared }) => declared === true).map(({ id }) => id),
    ...(previous?.artifacts ?? []).map(({ id }) => id),
  ]);
  return coded.size === 0 ? changes : changes.filter((change) => !("itemId" in change && coded.has(change.itemId)));
}

/** Each owed outcome is one item: what the summarizer says of the call, with the declared fields as they are. */
function withOutcomes(
  changes: readonly SummaryChange[],
  outcomes: readonly NewItem<"toolOutcomes">[],
): readonly SummaryChange[] {
  const owed = new Map(outcomes.map((item) => [item.sources[0] as string, item]));
  const open = new Set(outcomes);
  const told = changes.map((change): SummaryChange => {
    if (!("item" in change) || change.section !== "toolOutcomes") return change;
    const { declared: _declared, ...item } = change.item;
    const [own, ...others] = item.sources.flatMap((source) => owed.get(source) ?? []);
    if (own === undefined || others.length > 0 || own.toolName !== item.toolName || !open.delete(own))
      return { ...change, item };
    return { ...change, item: { ...item, keyFields: { ...item.keyFields, ...own.keyFields }, declared: true } };
  });
  return [...told, ...[...open].map((item): SummaryChange => ({ op: "add", section: "toolOutcomes", item }))];
}

function references(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
  owed: readonly NewItem<"artifacts">[],
  fulfilment: Fulfilment,
): readonly SummaryChange[] {
  if (owed.length === 0) return [];
  const named = new Set(
    changes.flatMap((change) => ("item" in change && change.section === "artifacts" ? [change.item.artifactId] : [])),
  );
  const before = previous?.artifacts ?? [];
  const known = new Set(before.map(({ artifactId }) => artifactId));
  const added = owed.filter(({ artifactId }) => !named.has(artifactId) && !known.has(artifactId));
  let room = Math.floor(fulfilment.summaryMaxTokens * SHARE);
  const fits = (item: NewItem<"artifacts">): boolean => {
    room -= itemTokens("artifacts", [item], fulfilment);
    return room >= 0;
  };
  const newest = [...added].reverse().filter(fits).reverse();
  const gone = [...before].reverse().filter((item) => !fits(item));
  return [
    ...gone.map(({ id }): SummaryChange => ({ op: "resolve", section: "artifacts", itemId: id, reason: MADE_ROOM })),
    ...newest.map((item): SummaryChange => ({ op: "add", section: "artifacts", item })),
  ];
}

const MADE_ROOM = "made room for newer artifacts; a search of the thread finds what it holds";

function files(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
  span: SpanReference,
  owed: readonly NewItem<"files">[],
  fulfilment: Fulfilment,
): readonly SummaryChange[] {
  const named = changes.flatMap((change) => ("item" in change && change.section === "files" ? [change.item] : []));
  const known = [...named, ...(previous?.files ?? [])].map(({ path }) => path);
  const added = owed.filter(({ path }) => !known.some((other) => isSameFile(path, other)));
  if (added.length === 0) return [];
  const { summary } = applySummaryChanges(previous, span, changes);
  const left = fulfilment.summaryMaxTokens - fulfilment.tokenizer.countTokens(renderSummary(summary));
  const share = named.some(({ action }) => action !== "read") ? 0 : fulfilment.summaryMaxTokens * SHARE;
  let room = Math.max(left, share);
  const chosen: SummaryChange[] = [];
  for (const item of added) {
    room -= itemTokens("files", [item], fulfilment);
    if (room < 0) break;
    chosen.push({ op: "add", section: "files", item });
  }
  return chosen;
}

/** Tokens of what a summarizer need not find room for, because code adds it: at most half of the limit. */
export function reservedTokens({ outcomes, artifacts }: OwedItems, fulfilment: Fulfilment): number {
  const { summaryMaxTokens } = fulfilment;
  const references = Math.min(itemTokens("artifacts", artifacts, fulfilment), Math.floor(summaryMaxTokens * SHARE));
  const declared = itemTokens("toolOutcomes", outcomes, fulfilment);
  return Math.min(declared + references, Math.floor(summaryMaxTokens / 2));
}
