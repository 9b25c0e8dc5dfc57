import {
  isPersonal,
  type JsonObject,
  type Message,
  type MessageId,
  type NewItem,
  saysVerbatim,
  visibleText,
} from "@threadfold/core";
import type { AnswerItem, AnswerSection } from "./answer-schema.ts";
import { codeWords } from "./code-words.ts";
import type { SpanEvidence } from "./span-evidence.ts";

/** No note is longer, in UTF-16 code units: a summary that quotes pages is none. */
const MAX_TEXT = 600;

/** What code makes of one note of a model: an item for a section, or null when nothing in the span stands behind it. */
export interface GroundedItem {
  readonly section: AnswerSection;
  readonly item: NewItem<AnswerSection>;
}

/**
 * Checks a note against the span: its sources must exist, and every path, name and number in it must stand there exactly.
 * A constraint must be whole sentences of the user or the operator; one that is not, or that a tool demands, is the
 * agent's note.
 *
 * @param inherited sources of the item that this one takes the place of.
 */
export function groundedItem<Section extends AnswerSection>(
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

/** The messages of people among the sources that say a rule in whole sentences, word for word. */
const sourcesOfRule = (rule: string, messages: readonly Message[]): readonly MessageId[] =>
  messages.filter((message) => isPersonal(message) && saysVerbatim(visibleText(message), rule)).map(({ id }) => id);

/** Key fields whose values stand in the span; a model is no source of values. */
const exactFields = (fields: JsonObject, evidence: SpanEvidence): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => evidence.holds(String(value))));

const textsOf = (content: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.values(content).filter((value): value is string => typeof value === "string");

const shortened = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()} …`;
