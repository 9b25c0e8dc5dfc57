import {
  canonicalJson,
  emptySummary,
  isUnsettled,
  type MessageId,
  NARRATIVE_CUT,
  type NewItem,
  type OpenItem,
  type PlaceItem,
  renderItem,
  renderSummary,
  type Steps,
  type StructuredSummary,
  type SummarizeRequest,
  type SummaryChange,
  type SummaryItem,
  type SummarySection,
  sharedFolderOf,
  type ToolOutcome,
} from "@threadfold/core";
import type { Candidate } from "../collectors/span-collector.ts";

/** Reasons for taking out an item of an earlier fold without an event in the thread. */
const MADE_ROOM = "removed to save space: not seen again since";
const TOLD_SHORT = "merged with others into one line";

const BLANK = renderSummary(emptySummary({ messageIds: [], firstTurn: 0, lastTurn: 0 }));

/** Messages that are looked at in one step, in less than a millisecond. */
const AT_A_TIME = 2_048;

type DraftItem = NewItem<SummarySection> & { readonly id: string };

/**
 * A summary under construction: the previous summary, what was taken out of it and what will be added, with the tokens
 * of the rendered whole. `tokens` is updated as items come and go; `exactTokens` counts the real text.
 */
export class SummaryDraft {
  tokens: number;
  /** The folder that the rendered text will leave out of paths, as far as known before everything is chosen. */
  readonly folder: string;
  readonly #request: SummarizeRequest;
  #base: StructuredSummary;
  #fixed: readonly SummaryChange[];
  readonly #added: Candidate[] = [];
  /** Positions in the span of the messages that the added items are from. */
  readonly #places = new Map<MessageId, number>();
  /** Ids of the items that were taken out, with the reason; null when another item replaces them. */
  readonly #removed = new Map<string, { readonly section: SummarySection; readonly why: string | null }>();
  /** The real text and its count, until an item is added or removed. */
  #text: string | undefined;
  #exact: number | undefined;
  /** Cache of the costs of items, most of which are needed repeatedly. */
  readonly #costs = new Map<object, number>();

  /** @param paths the paths of all items that may be added. */
  constructor(request: SummarizeRequest, fixed: readonly SummaryChange[], paths: ReadonlySet<string>) {
    this.#request = request;
    const before = (request.previous?.files ?? []).map(({ path }) => path);
    this.folder = sharedFolderOf(new Set([...before, ...paths]));
    this.#fixed = fixed;
    this.#base = withFixed(request.previous ?? emptySummary(request.span), fixed);
    this.tokens = request.countTokens(renderSummary(this.#base));
  }

  get originalTask(): string {
    return this.#base.originalTask?.text ?? "";
  }

  /** Returns the items of the previous summary that are still included. */
  previousItems(section: SummarySection): readonly SummaryItem[] {
    return (this.#base[section] as readonly SummaryItem[]).filter(({ id }) => !this.#removed.has(id));
  }

  /** Returns all items currently included, from the previous summary and new ones. */
  itemsNow<Section extends SummarySection>(section: Section): readonly NewItem<Section>[] {
    const added = this.#added.filter((candidate) => candidate.section === section).map(({ item }) => item);
    return [...this.previousItems(section), ...added] as unknown as readonly NewItem<Section>[];
  }

  /** Tokens of the identifiers of earlier folds in the rendered text. */
  get identifierTokens(): number {
    const identifiers = this.previousItems("identifiers") as readonly PlaceItem[];
    const alone = { ...emptySummary(this.#request.span), files: this.#base.files, identifiers };
    const { countTokens } = this.#request;
    return identifiers.length === 0
      ? 0
      : countTokens(renderSummary(alone)) - countTokens(renderSummary({ ...alone, identifiers: [] }));
  }

  costOf(section: SummarySection, item: object): number {
    const known = this.#costs.get(item);
    if (known !== undefined) return known;
    const line = `${itemLine(section, item as Candidate["item"], this.folder)}\n`;
    const cost = Math.max(1, this.#request.countTokens(line));
    this.#costs.set(item, cost);
    return cost;
  }

  add(candidate: Candidate, cost: number): void {
    if (candidate.supersedes !== undefined) {
      const old = this.previousItems(candidate.section).find(({ id }) => id === candidate.supersedes);
      if (old === undefined) return;
      this.#removed.set(old.id, { section: candidate.section, why: null });
      this.tokens -= this.costOf(candidate.section, old);
    }
    this.#added.push(candidate);
    this.#changed();
    this.tokens += cost;
  }

  /** Takes out an item of the previous summary to make room. */
  evict(section: SummarySection, item: SummaryItem, cost: number, why = MADE_ROOM): void {
    this.#removed.set(item.id, { section, why });
    this.#changed();
    this.tokens -= cost;
  }

  /** Puts back an item of the previous summary that was taken out to make room. */
  restore({ id }: SummaryItem): void {
    this.#removed.delete(id);
    this.#changed();
  }

  /** Adds an item that replaces several of the previous summary. */
  merge(candidate: Candidate, items: readonly SummaryItem[]): void {
    const { section } = candidate;
    for (const item of items) this.evict(section, item, this.costOf(section, item), TOLD_SHORT);
    this.add(candidate, this.costOf(section, candidate.item));
  }

  /**
   * Takes back the least valuable item that was added to a section. Returns false when there is none. Identifiers are
   * in ascending order. A replacement of a protected item is not taken back; with any other replacement, the replaced
   * item goes as well.
   *
   * @param which `unsure` for only items that are not sure of their place, `any` for all.
   */
  takeBack(section: SummarySection, which: "unsure" | "any"): boolean {
    const isAdded = (candidate: Candidate): boolean =>
      candidate.section === section &&
      (which === "any" || candidate.sure !== true) &&
      (candidate.supersedes === undefined || !isProtected(section, this.#before(section, candidate.supersedes)));
    const index = section === "identifiers" ? this.#added.findIndex(isAdded) : this.#added.findLastIndex(isAdded);
    if (index < 0) return false;
    const [{ supersedes } = {}] = this.#added.splice(index, 1);
    this.#changed();
    if (supersedes !== undefined) this.#removed.set(supersedes, { section, why: MADE_ROOM });
    return true;
  }

  #before(section: SummarySection, itemId: string): object {
    return (this.#base[section] as readonly SummaryItem[]).find(({ id }) => id === itemId) ?? {};
  }

  /** Shortens the narrative to a note that there was one. */
  cutNarrative(): void {
    const { narrative } = this.#base;
    if (narrative === undefined) return;
    const cut: SummaryChange = {
      op: "set-narrative",
      narrative: { text: NARRATIVE_CUT, sources: narrative.sources },
    };
    this.#fixed = [...this.#fixed.filter(({ op }) => op !== cut.op), cut];
    this.#base = withFixed(this.#base, [cut]);
    this.#changed();
  }

  /** Drops a change of task or plan. */
  dropFixed(op: SummaryChange["op"]): void {
    this.#fixed = this.#fixed.filter((change) => change.op !== op);
    this.#base = withFixed(this.#request.previous ?? emptySummary(this.#request.span), this.#fixed);
    this.#changed();
  }

  textWithoutIdentifiers(): string {
    return this.#textWithout("identifiers");
  }

  text(): string {
    this.#text ??= this.#textWithout(null);
    return this.#text;
  }

  #changed(): void {
    this.#text = undefined;
    this.#exact = undefined;
  }

  #textWithout(left: SummarySection | null): string {
    const sections = {} as Record<SummarySection, DraftItem[]>;
    // Counted as it will be shown: what one message says in one go is written without gaps.
    for (const { section, item } of this.#inOrder()) (sections[section] ??= []).push({ ...item, id: "" });
    const merged = Object.fromEntries(
      Object.entries(sections).map(([section, items]) => [
        section,
        [...this.previousItems(section as SummarySection), ...items],
      ]),
    );
    const touched = new Set([...this.#removed.values()].map(({ section }) => section));
    const kept = Object.fromEntries([...touched].map((section) => [section, this.previousItems(section)]));
    const emptied = left === null ? {} : { [left]: [] };
    return renderSummary({ ...this.#base, ...kept, ...merged, ...emptied } as StructuredSummary);
  }

  /** True when nothing is left to read. */
  get isBlank(): boolean {
    return this.text() === BLANK;
  }

  exactTokens(): number {
    this.#exact ??= this.#request.countTokens(this.text());
    return this.#exact;
  }

  get changes(): readonly SummaryChange[] {
    const evicted = [...this.#removed].flatMap(([itemId, { section, why }]): readonly SummaryChange[] =>
      why === null ? [] : [{ op: "resolve", section, itemId, reason: why }],
    );
    return [...this.#fixed, ...evicted, ...this.#inOrder().map(toChange)];
  }

  /** Looks up where the items added so far stand in the thread. Called when only identifiers are still to come. */
  *locate(): Steps<void> {
    const said = new Set(this.#added.map(({ item }) => item.sources[0]));
    // A span may be as long as the thread, but only a few of its messages are sources.
    for (const [position, { id }] of this.#request.messages.entries()) {
      if (position % AT_A_TIME === 0) yield;
      if (said.has(id)) this.#places.set(id, position);
    }
    this.#changed();
  }

  /** The added items in the order of the thread, followed by files and identifiers in the order of their rank. */
  #inOrder(): readonly Candidate[] {
    const ranked = (section: SummarySection): boolean => section === "files" || section === "identifiers";
    const place = ({ item }: Candidate): number => this.#places.get(item.sources[0] as MessageId) ?? -1;
    const inThread = this.#added.filter(({ section }) => !ranked(section));
    inThread.sort((a, b) => place(a) - place(b) || (a.sequence ?? 0) - (b.sequence ?? 0));
    return [...inThread, ...this.#added.filter(({ section }) => ranked(section))];
  }
}

function toChange({ section, item, supersedes }: Candidate): SummaryChange {
  const change =
    supersedes === undefined ? { op: "add", section, item } : { op: "supersede", section, itemId: supersedes, item };
  return change as SummaryChange;
}

function withFixed(summary: StructuredSummary, fixed: readonly SummaryChange[]): StructuredSummary {
  let result = summary;
  for (const change of fixed) {
    if (change.op === "set-original-task")
      result = { ...result, originalTask: result.originalTask ?? { ...change.task, id: "" } };
    if (change.op === "set-narrative") result = { ...result, narrative: { ...change.narrative, id: "" } };
    if (change.op === "set-current-task") result = { ...result, currentTask: change.task };
    if (change.op === "set-current-plan") result = { ...result, currentPlan: change.plan };
  }
  return result;
}

export const candidateText = (candidate: Candidate): string => itemText(candidate.section, candidate.item);

type AnyItem = Candidate["item"];

/** Returns the text that identifies an item: two items of one section that say the same have the same text. */
export function itemText(section: SummarySection, item: AnyItem): string {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  switch (section) {
    case "decisions":
      return String(fields["decision"]);
    case "openItems":
      return String(fields["description"]);
    case "files":
      return String(fields["path"]);
    case "errors":
      return String(fields["error"]);
    case "artifacts":
      return String(fields["artifactId"]);
    case "toolOutcomes":
      return `${fields["toolName"]} ${canonicalJson(fields["keyFields"])}`;
    default:
      return String(fields["text"]);
  }
}

/**
 * Returns an item as shown in the rendered summary, but without its speaker, which is shown once per message. File
 * paths leave out the folder that most of them share.
 */
export function itemLine(section: SummarySection, item: AnyItem, folder: string): string {
  const { by: _by, ...said } = item;
  return renderItem(section, said as AnyItem, section === "files" || section === "errors" ? folder : "");
}

/**
 * Checks whether an item of an earlier fold may be taken out only by an event in the thread, or by code to make room.
 */
export function isProtected(section: SummarySection, item: object): boolean {
  switch (section) {
    case "constraints":
    case "artifacts":
      return true;
    case "openItems":
      return isUnsettled(item as OpenItem);
    case "toolOutcomes":
      return (item as ToolOutcome).declared === true;
    default:
      return false;
  }
}
