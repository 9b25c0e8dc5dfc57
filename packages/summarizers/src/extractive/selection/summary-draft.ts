import {
  emptySummary,
  isUnsettled,
  type MessageId,
  NARRATIVE_CUT,
  type NewItem,
  type OpenItem,
  type PlaceItem,
  renderItem,
  renderSummary,
  type StructuredSummary,
  type SummarizeRequest,
  type SummaryChange,
  type SummaryItem,
  type SummarySection,
  sharedFolderOf,
  type ToolOutcome,
} from "@threadfold/core";
import type { Candidate } from "../collectors/span-collector.ts";

/** Why an item of an earlier fold was taken out without an event in the thread. */
const MADE_ROOM = "made room: not seen again since";
const TOLD_SHORT = "told with others in one line";

const BLANK = renderSummary(emptySummary({ messageIds: [], firstTurn: 0, lastTurn: 0 }));

type DraftItem = NewItem<SummarySection> & { readonly id: string };

/**
 * A summary in the making: the previous one, what was taken out of it and what is to be added, with the tokens that the
 * whole takes when rendered. Figures are kept as items come and go; `exactTokens` counts the real text.
 */
export class SummaryDraft {
  tokens: number;
  /** The folder that the rendered text will leave out of paths, as far as that is known before all is chosen. */
  readonly folder: string;
  readonly #request: SummarizeRequest;
  #base: StructuredSummary;
  #fixed: readonly SummaryChange[];
  readonly #added: Candidate[] = [];
  /** What was taken out, and why; null where something stands in its place. */
  readonly #removed = new Map<string, { readonly section: SummarySection; readonly why: string | null }>();
  /** The real text and its count, until something comes or goes. */
  #text: string | undefined;
  #exact: number | undefined;
  /** What items cost that were asked about: most are, again and again. */
  readonly #costs = new Map<object, number>();

  /** @param paths of what may be added. */
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

  /** Items of the previous summary that are still in. */
  previousItems(section: SummarySection): readonly SummaryItem[] {
    return (this.#base[section] as readonly SummaryItem[]).filter(({ id }) => !this.#removed.has(id));
  }

  /** Items that are in by now, of the previous summary and new ones. */
  itemsNow<Section extends SummarySection>(section: Section): readonly NewItem<Section>[] {
    const added = this.#added.filter((candidate) => candidate.section === section).map(({ item }) => item);
    return [...this.previousItems(section), ...added] as unknown as readonly NewItem<Section>[];
  }

  /** What the identifiers of earlier folds take in the rendered text. */
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

  /** Takes an item of the previous summary out to make room. */
  evict(section: SummarySection, item: SummaryItem, cost: number, why = MADE_ROOM): void {
    this.#removed.set(item.id, { section, why });
    this.#changed();
    this.tokens -= cost;
  }

  /** Puts an item of the previous summary back that was taken out to make room. */
  restore({ id }: SummaryItem): void {
    this.#removed.delete(id);
    this.#changed();
  }

  /** Adds an item that takes the place of several of the previous summary. */
  merge(candidate: Candidate, items: readonly SummaryItem[]): void {
    const { section } = candidate;
    for (const item of items) this.evict(section, item, this.costOf(section, item), TOLD_SHORT);
    this.add(candidate, this.costOf(section, candidate.item));
  }

  /**
   * Takes back the least valuable item that was added to a section; false when there is none. Identifiers stand in
   * ascending order. What stands in the place of an item that must stay is not taken back; when an item that replaced
   * another goes, the other goes too.
   *
   * @param which one that is not sure of its place, or any.
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

  /** Drops a change of task or plan after all. */
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
    for (const { section, item } of this.#added) (sections[section] ??= []).push({ ...item, id: "" });
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

  changes(): readonly SummaryChange[] {
    const evicted = [...this.#removed].flatMap(([itemId, { section, why }]): readonly SummaryChange[] =>
      why === null ? [] : [{ op: "resolve", section, itemId, reason: why }],
    );
    return [...this.#fixed, ...evicted, ...this.#inOrder().map(toChange)];
  }

  /** What was added, in the order of the thread, except files and identifiers, whose order is their rank. */
  #inOrder(): readonly Candidate[] {
    const said = new Set(this.#added.map(({ item }) => item.sources[0]));
    const places = new Map<MessageId, number>();
    // A span may be as long as the thread, and few of its messages are quoted.
    for (const [position, { id }] of this.#request.messages.entries()) if (said.has(id)) places.set(id, position);
    const ranked = (section: SummarySection): boolean => section === "files" || section === "identifiers";
    const place = ({ item }: Candidate): number => places.get(item.sources[0] as MessageId) ?? -1;
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

/** The text of an item that tells it from others: two items of one section that say the same have the same one. */
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
      return `${fields["toolName"]} ${JSON.stringify(fields["keyFields"])}`;
    default:
      return String(fields["text"]);
  }
}

/**
 * An item as the rendered summary shows it: paths without the folder that most of them share, and without whose words they
 * are, which is said once for all that one message tells.
 */
export function itemLine(section: SummarySection, item: AnyItem, folder: string): string {
  const { by: _by, ...said } = item;
  return renderItem(section, said as AnyItem, section === "files" ? folder : "");
}

/** True for an item of an earlier fold that only an event in the thread, or code for want of room, may take out. */
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
