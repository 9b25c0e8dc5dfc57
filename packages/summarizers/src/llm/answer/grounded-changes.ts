import {
  isPersonal,
  isUnsettled,
  type JsonObject,
  type Message,
  type MessageId,
  type NewItem,
  type OpenItem,
  type SummaryChange,
  saysVerbatim,
  typedText,
} from "@threadfold/core";
import { handleOf, type NotedItem, type NotedItems } from "../notes/running-notes.ts";
import {
  ANSWER_SECTIONS,
  type Answer,
  type AnswerItem,
  type AnswerSection,
  answerItemSchemas,
  type Evidence,
} from "./read-answer.ts";
import { codeWords, type SpanEvidence } from "./span-evidence.ts";

/** The most notes per section that are taken from one answer. */
const MAX_NOTES = 100;
const MAX_IDENTIFIERS = 200;

/**
 * Returns what is accepted from a model's answer, as changes to the existing notes. Notes without evidence in the span
 * are left out. A model never changes constraints or artifacts, and cannot remove open work: it can only mark it as
 * done or cancelled, with evidence, and the work keeps its original wording (P5, L28).
 */
export function groundedChanges(answer: Answer, noted: NotedItems, evidence: SpanEvidence): readonly SummaryChange[] {
  return [
    ...ANSWER_SECTIONS.flatMap((section) => additions(section, answer.add[section], evidence)),
    ...identifiers(answer.add.identifiers, evidence),
    ...answer.supersede.flatMap((change) => successor(change, noted, evidence)),
    ...answer.resolve.flatMap((change) => resolution(change, noted, evidence)),
    ...state(answer, evidence),
  ];
}

function additions(
  section: AnswerSection,
  notes: readonly AnswerItem<AnswerSection>[],
  evidence: SpanEvidence,
): readonly SummaryChange[] {
  return notes.slice(0, MAX_NOTES).flatMap((note) => {
    const grounded = groundedItem(section, note, evidence);
    return grounded === null ? [] : [{ op: "add", ...grounded } as SummaryChange];
  });
}

function identifiers(texts: readonly string[], evidence: SpanEvidence): readonly SummaryChange[] {
  return [...new Set(texts)].slice(0, MAX_IDENTIFIERS).flatMap((text): readonly SummaryChange[] => {
    const sources = text.trim() === "" || /[\n\r]/.test(text) ? [] : evidence.messagesWith(text);
    return sources.length === 0 ? [] : [{ op: "add", section: "identifiers", item: { text, sources } }];
  });
}

function successor(
  { item: handle, with: content }: Answer["supersede"][number],
  noted: NotedItems,
  evidence: SpanEvidence,
): readonly SummaryChange[] {
  const old = noted.items.get(handleOf(handle));
  if (old === undefined || !isChangeable(old)) return [];
  const parsed = answerItemSchemas[old.section].safeParse(withOldContent(old, content));
  if (!parsed.success) return [];
  const grounded = groundedItem(old.section, parsed.data, evidence, old.item.sources);
  if (grounded === null) return [];
  const { kind } = old.item as OpenItem;
  return [superseded(old, kind === undefined ? grounded.item : ({ ...grounded.item, kind } as typeof grounded.item))];
}

/** Open work keeps its original wording, whatever the model calls it now. */
function withOldContent({ section, item }: NotedItem, content: object): object {
  const { id: _id, sources: _sources, ...old } = item as OpenItem;
  if (section !== "openItems") return { ...old, ...content };
  const { status, ...rest } = old;
  // A model only distinguishes open, done and cancelled work.
  const known = status === "done" || status === "cancelled" ? status : "open";
  return { ...rest, status: known, ...content, description: old.description };
}

function resolution(
  { item: handle, reason, ...claimed }: Answer["resolve"][number],
  noted: NotedItems,
  evidence: SpanEvidence,
): readonly SummaryChange[] {
  const old = noted.items.get(handleOf(handle));
  if (old === undefined || !isChangeable(old) || evidence.sourcesOf(claimed).length === 0) return [];
  if (old.section === "openItems") return isOpen(old) ? [finished(old.item as OpenItem, claimed, evidence)] : [];
  return [{ op: "resolve", section: old.section, itemId: old.item.id, reason: `no longer needed: ${cut(reason)}` }];
}

/** Marks an open item that a model wants to resolve as done; it stays in the summary, so that nobody does it again. */
function finished(old: OpenItem, claimed: Evidence, evidence: SpanEvidence): SummaryChange {
  const { id: _id, ...content } = old;
  const sources = [...new Set([...old.sources, ...evidence.sourcesOf(claimed).map(({ id }) => id)])];
  return { op: "supersede", section: "openItems", itemId: old.id, item: { ...content, status: "done", sources } };
}

const superseded = ({ section, item }: NotedItem, next: NewItem<AnswerSection>): SummaryChange =>
  ({ op: "supersede", section, itemId: item.id, item: next }) as SummaryChange;

const isOpen = ({ section, item }: NotedItem): boolean => section === "openItems" && isUnsettled(item as OpenItem);

/** Sections whose items a model may change. */
const isChangeable = (
  noted: NotedItem,
): noted is NotedItem & { readonly section: Exclude<AnswerSection, "constraints"> } =>
  noted.section !== "constraints" && noted.section !== "artifacts" && noted.section !== "identifiers";

function state({ currentTask, currentPlan }: Answer, evidence: SpanEvidence): readonly SummaryChange[] {
  const exact = (text: string): boolean => text.trim() !== "" && codeWords(text).every((word) => evidence.holds(word));
  const plan = currentPlan?.filter(exact).map(cut) ?? [];
  return [
    ...(currentTask != null && exact(currentTask) ? [{ op: "set-current-task", task: cut(currentTask) } as const] : []),
    ...(plan.length > 0 ? [{ op: "set-current-plan", plan } as const] : []),
  ];
}

const MAX_STATE = 400;

const cut = (text: string): string =>
  text.length <= MAX_STATE ? text : `${text.slice(0, MAX_STATE).toWellFormed()} …`;

/** A note of a model that has evidence in the span: an item and the section that it belongs to. */
interface GroundedItem {
  readonly section: AnswerSection;
  readonly item: NewItem<AnswerSection>;
}

/**
 * Checks a note against the span: its sources must exist, and every path, name and number in it must occur there
 * exactly. A constraint must consist of whole sentences of the user or the operator; otherwise, for example when it
 * comes from a tool, it becomes a fact noted by the agent.
 *
 * @param inherited sources of the item that this one replaces.
 */
function groundedItem<Section extends AnswerSection>(
  section: Section,
  note: AnswerItem<Section>,
  evidence: SpanEvidence,
  inherited: readonly MessageId[] = [],
): GroundedItem | null {
  const messages = evidence.sourcesOf(note);
  if (messages.length === 0) return null;
  const { sources: _sources, quote: _quote, ...rest } = note as AnswerItem<AnswerSection> & Record<string, unknown>;
  const texts = textsOf(rest);
  if (texts.every((text) => text.trim() === "")) return null;
  if (texts.some((text) => codeWords(text).some((word) => !evidence.holds(word)))) return null;
  const content = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, typeof value === "string" ? shortened(value) : value]),
  );
  const sources = [...new Set([...inherited, ...messages.map(({ id }) => id)])];
  return settled(section, content, sources, messages, evidence);
}

function settled(
  section: AnswerSection,
  content: Readonly<Record<string, unknown>>,
  sources: readonly MessageId[],
  messages: readonly Message[],
  evidence: SpanEvidence,
): GroundedItem | null {
  const made = (into: AnswerSection, item: object): GroundedItem => ({
    section: into,
    item: { ...item, sources } as unknown as NewItem<AnswerSection>,
  });
  switch (section) {
    case "constraints": {
      const said = sourcesOfRule(content["text"] as string, messages);
      if (said.length === 0) return made("facts", { ...content, by: "agent" });
      return { section, item: { ...content, sources: said } as unknown as NewItem<AnswerSection> };
    }
    case "decisions":
      return made(section, { ...content, turn: (messages[0] as Message).turn });
    case "openItems":
      return made(section, { ...content, turn: (messages.at(-1) as Message).turn });
    case "files":
      return evidence.holds(content["path"] as string) ? made(section, content) : null;
    case "toolOutcomes":
      return evidence.holds(content["toolName"] as string)
        ? made(section, { ...content, keyFields: exactFields(content["keyFields"] as JsonObject, evidence) })
        : null;
    default:
      return made(section, content);
  }
}

/** The sources, among messages by people, that state a rule word for word in whole sentences. */
const sourcesOfRule = (rule: string, messages: readonly Message[]): readonly MessageId[] =>
  messages.filter((message) => isPersonal(message) && saysVerbatim(typedText(message), rule)).map(({ id }) => id);

/** Only the key fields whose values occur in the span: a model must not make up values. */
const exactFields = (fields: JsonObject, evidence: SpanEvidence): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => evidence.holds(String(value))));

const textsOf = (content: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.values(content).filter((value): value is string => typeof value === "string");

/** The longest note, in UTF-16 code units; longer ones are cut, because quoting whole pages is not summarizing. */
const MAX_TEXT = 600;

const shortened = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()} …`;
