import { canonicalJson } from "../json/canonical-json.ts";
import { jsonValueSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { sha256 } from "../json/sha256.ts";
import { messageIdSchema } from "../model/ids.ts";
import type { SpanReference } from "../thread/span-reference.ts";
import type { Pin } from "../thread/thread-entry.ts";
import { isSameFile, joinedFile, plainPath } from "./file-item.ts";
import {
  combineHandling,
  type Decision,
  type ErrorItem,
  emptySummary,
  type FileItem,
  type OpenItem,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryItem,
  type SummarySection,
  type SummarySections,
  type TextItem,
  type ToolOutcome,
} from "./structured-summary.ts";

/** An item of a section without its id, which code derives. */
export type NewItem<Section extends SummarySection> = Omit<SummarySections[Section][number], "id">;

/**
 * One change to the previous summary. Summarizers return changes and code merges them. An item disappears only through
 * `resolve`, which is recorded, or is replaced by its successor through `supersede`.
 */
export type SummaryChange =
  | {
      [Section in SummarySection]: { readonly op: "add"; readonly section: Section; readonly item: NewItem<Section> };
    }[SummarySection]
  | { readonly op: "resolve"; readonly section: SummarySection; readonly itemId: string; readonly reason: string }
  | {
      [Section in SummarySection]: {
        readonly op: "supersede";
        readonly section: Section;
        readonly itemId: string;
        readonly item: NewItem<Section>;
      };
    }[SummarySection]
  | { readonly op: "set-original-task"; readonly task: Omit<TextItem, "id"> }
  | { readonly op: "set-narrative"; readonly narrative: Omit<TextItem, "id"> }
  | { readonly op: "set-current-task"; readonly task: string | null }
  | { readonly op: "set-current-plan"; readonly plan: readonly string[] | null };

/** Returns the sourced item that a change adds to a summary; null when it adds none. */
export function saidIn(change: SummaryChange): Omit<SummaryItem, "id"> | null {
  switch (change.op) {
    case "add":
    case "supersede":
      return change.item;
    case "set-original-task":
      return change.task;
    case "set-narrative":
      return change.narrative;
    default:
      return null;
  }
}

/** An item that a change removed from a summary, and why. Kept with the plan so that no item disappears silently. */
export interface ResolvedItem {
  readonly section: SummarySection;
  readonly item: SummaryItem;
  readonly reason: string;
}

export const resolvedItemSchema: z.ZodType<ResolvedItem> = z.object({
  section: z.enum(SUMMARY_SECTIONS as [SummarySection, ...SummarySection[]]),
  item: z.object({ id: textSchema, sources: z.array(messageIdSchema) }).catchall(jsonValueSchema),
  reason: textSchema,
});

/** Returns the id of an item. It depends only on section and content, not on where it was said or by whom. */
export function summaryItemId(
  section: SummarySection | "originalTask" | "narrative",
  item: Omit<SummaryItem, "id"> & Pick<TextItem, "at">,
): string {
  const { sources: _sources, by: _by, at: _at, ...content } = item;
  return sha256(canonicalJson([section, content])).slice(0, 12);
}

/**
 * Merges changes into the previous summary and returns the summary of `span`. Items of the previous summary stay unless
 * a change resolves or supersedes them. The same item added twice is one item with both sources. A later item on the
 * same subject (the same work with another status, the same decision with another reason) supersedes the earlier one,
 * which is recorded. The original task, once set, is never overwritten. A narrative replaces the previous one, which
 * its author was shown. Changes that name an unknown item are ignored.
 */
export function applySummaryChanges(
  previous: StructuredSummary | null,
  span: SpanReference,
  changes: readonly SummaryChange[],
): MergedSummary {
  const merge = new Merge(previous ?? emptySummary(span));
  for (const change of changes) merge.apply(change);
  const summary = { ...merge.result(), span, round: previous === null ? 1 : previous.round + 1 };
  return { summary, resolved: merge.resolved };
}

/** A merged summary, and the items that the merge removed. */
export interface MergedSummary {
  readonly summary: StructuredSummary;
  readonly resolved: readonly ResolvedItem[];
}

/**
 * Joins two summaries of adjacent spans into one. No item is lost: if both have an item on the same subject, the later
 * one supersedes the earlier one, which is recorded; a file that both changed becomes one item with the changes of
 * both. The current task and plan of the later one win; narratives are concatenated.
 */
export function mergeSummaries(
  earlier: StructuredSummary,
  later: StructuredSummary,
  span: SpanReference,
): MergedSummary {
  const merge = new Merge(earlier);
  for (const section of SUMMARY_SECTIONS) for (const item of later[section]) merge.join(section, item);
  const handling = combineHandling(earlier.handling, later.handling);
  const narrative = joinedNarrative(earlier.narrative, later.narrative);
  const summary = {
    ...merge.result(),
    span,
    originalTask: earlier.originalTask ?? later.originalTask,
    currentTask: later.currentTask ?? earlier.currentTask,
    currentPlan: later.currentPlan ?? earlier.currentPlan,
    round: Math.max(earlier.round, later.round) + 1,
    ...(narrative !== undefined && { narrative }),
    ...(handling !== undefined && { handling }),
  };
  return { summary, resolved: merge.resolved };
}

const PARAGRAPH = "\n\n";

/** Concatenates two narratives; a paragraph that both have appears once. */
function joinedNarrative(earlier: TextItem | undefined, later: TextItem | undefined): TextItem | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  const told = new Set(earlier.text.split(PARAGRAPH));
  const more = later.text.split(PARAGRAPH).filter((paragraph) => !told.has(paragraph));
  const sources = [...new Set([...earlier.sources, ...later.sources])];
  return narrativeItem({ text: [earlier.text, ...more].join(PARAGRAPH), sources });
}

const narrativeItem = (narrative: Omit<TextItem, "id">): TextItem => ({
  ...narrative,
  id: summaryItemId("narrative", narrative),
});

class Merge {
  readonly resolved: ResolvedItem[] = [];
  #fields: StructuredSummary;
  /** Items by subject, so that a section has one item for each subject and keeps its order. */
  readonly #sections: Record<SummarySection, Map<string, SummaryItem>>;

  constructor(base: StructuredSummary) {
    this.#fields = base;
    this.#sections = Object.fromEntries(SUMMARY_SECTIONS.map((section) => [section, new Map()])) as unknown as Record<
      SummarySection,
      Map<string, SummaryItem>
    >;
    for (const section of SUMMARY_SECTIONS) for (const item of base[section]) this.put(section, item);
  }

  apply(change: SummaryChange): void {
    switch (change.op) {
      case "add":
        return this.put(change.section, { ...change.item, id: summaryItemId(change.section, change.item) });
      case "resolve":
        return this.#remove(change.section, change.itemId, change.reason);
      case "supersede":
        if (this.#subjectOf(change.section, change.itemId) === undefined) return;
        this.#remove(change.section, change.itemId, SUPERSEDED);
        return this.put(change.section, { ...change.item, id: summaryItemId(change.section, change.item) });
      case "set-original-task":
        if (this.#fields.originalTask !== null) return;
        this.#fields = {
          ...this.#fields,
          originalTask: { ...change.task, id: summaryItemId("originalTask", change.task) },
        };
        return;
      case "set-narrative":
        this.#fields = { ...this.#fields, narrative: narrativeItem(change.narrative) };
        return;
      case "set-current-task":
        this.#fields = { ...this.#fields, currentTask: change.task };
        return;
      case "set-current-plan":
        this.#fields = { ...this.#fields, currentPlan: change.plan };
    }
  }

  /** Adds an item, or replaces the one on the same subject and takes over its sources. */
  put(section: SummarySection, item: SummaryItem): void {
    const items = this.#sections[section];
    const subject = summarySubject(section, item);
    const known = items.get(subject);
    if (known !== undefined && known.id !== item.id) this.resolved.push({ section, item: known, reason: SUPERSEDED });
    const sources = known === undefined ? item.sources : [...new Set([...known.sources, ...item.sources])];
    items.set(subject, { ...item, sources });
  }

  /** Adds an item of a later summary. A file that both touched moves to the end, under one path. */
  join(section: SummarySection, item: SummaryItem): void {
    const known = section === "files" ? this.#sameFile(item as FileItem) : undefined;
    if (known === undefined) return this.put(section, item);
    const joined = joinedFile(known, item as FileItem);
    const id = known.id === item.id ? item.id : summaryItemId(section, joined);
    if (id !== known.id) this.#remove(section, known.id, SUPERSEDED);
    if (id !== item.id) this.resolved.push({ section, item, reason: SUPERSEDED });
    // It was touched last, even if there is nothing new to say about it.
    this.#sections[section].delete(summarySubject(section, known));
    this.put(section, { ...(known.id === item.id ? known : joined), id, sources: joined.sources } as SummaryItem);
  }

  #sameFile({ path }: FileItem): FileItem | undefined {
    const files = [...this.#sections.files.values()] as FileItem[];
    return files.find((file) => isSameFile(file.path, path));
  }

  #remove(section: SummarySection, itemId: string, reason: string): void {
    const subject = this.#subjectOf(section, itemId);
    if (subject === undefined) return;
    const item = this.#sections[section].get(subject) as SummaryItem;
    this.#sections[section].delete(subject);
    this.resolved.push({ section, item, reason });
  }

  #subjectOf(section: SummarySection, itemId: string): string | undefined {
    // Most items are their own subject.
    if (this.#sections[section].get(itemId)?.id === itemId) return itemId;
    for (const [subject, { id }] of this.#sections[section]) if (id === itemId) return subject;
    return undefined;
  }

  result(): StructuredSummary {
    const sections = Object.fromEntries(SUMMARY_SECTIONS.map((name) => [name, [...this.#sections[name].values()]]));
    return { ...this.#fields, ...(sections as unknown as SummarySections) };
  }
}

const SUPERSEDED = "superseded";

/**
 * Returns the subject of an item, as a key within its section. Two items on one subject cannot both be true: work is
 * open or done, a decision has one reason, an error is resolved or not, a file is in one state, and only the newest run
 * of a command counts. Every other item is its own subject.
 */
export function summarySubject(section: SummarySection, item: SummaryItem): string {
  const words = subjectWords(section, item);
  return words === null ? item.id : words.replace(/\s+/g, " ").trim();
}

function subjectWords(section: SummarySection, item: SummaryItem): string | null {
  switch (section) {
    case "openItems":
      return (item as OpenItem).description;
    case "decisions":
      return (item as Decision).decision;
    case "errors":
      return (item as ErrorItem).error;
    case "files":
      return plainPath((item as FileItem).path);
    case "toolOutcomes":
      return commandOf(item as ToolOutcome);
    default:
      return null;
  }
}

/** The command that was run; null for other tools, and for outcomes with declared fields, which must stay. */
function commandOf({ keyFields: { command }, declared }: ToolOutcome): string | null {
  return typeof command === "string" && command !== "" && declared !== true ? `\`${command}\`` : null;
}

/**
 * Removes from the changes of a fold the rules that are no longer in force, whoever wrote them: none is added, and any
 * that the previous summary had is resolved with the reason "taken back". A rule counts as lifted when its text equals
 * that of a lifted pin, ignoring whitespace.
 */
export function withoutLiftedRules(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
  lifted: readonly Pin[],
): readonly SummaryChange[] {
  if (lifted.length === 0) return changes;
  const texts = new Set(lifted.map(({ text }) => flat(text)));
  const isLifted = (text: string): boolean => texts.has(flat(text));
  const kept = changes.filter(
    (change) => !("item" in change && change.section === "constraints" && isLifted(change.item.text)),
  );
  const touched = new Set(kept.flatMap((change) => ("itemId" in change ? [change.itemId] : [])));
  const gone = (previous?.constraints ?? []).filter(({ id, text }) => isLifted(text) && !touched.has(id));
  return [
    ...kept,
    ...gone.map(
      ({ id }): SummaryChange => ({ op: "resolve", section: "constraints", itemId: id, reason: "taken back" }),
    ),
  ];
}

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();
