import {
  type JsonValue,
  type Message,
  type MessageId,
  renderSummary,
  type StructuredSummary,
  visibleText,
} from "@threadfold/core";
import type { Evidence } from "./answer-schema.ts";

const MIN_QUOTE = 8;
const MAX_SOURCES = 3;

/** Looks up what a model claims in what was really said. */
export interface SpanEvidence {
  /** The messages that a note names by number or quotes; none when they do not exist or belong to another part. */
  sourcesOf(evidence: Evidence): readonly Message[];
  /** The first messages in which a text stands exactly. */
  messagesWith(text: string): readonly MessageId[];
  /** True when a text stands exactly in the span, or in what was noted before it. */
  holds(text: string): boolean;
}

/** Evidence in a span. `numbers` are the places that this call was shown, counted from 1. */
export function spanEvidence(
  messages: readonly Message[],
  numbers: ReadonlySet<number>,
  previous: StructuredSummary | null,
): SpanEvidence {
  const texts = messages.map(searchableText);
  const before = previous === null ? "" : [renderSummary(previous), ...pathsOf(previous)].join("\n");
  const indexesWith = (text: string): readonly number[] => {
    const found: number[] = [];
    for (let index = 0; index < texts.length && found.length < MAX_SOURCES; index++)
      if (texts[index]?.includes(text)) found.push(index);
    return found;
  };
  const known = new Map<string, boolean>();
  let words: ReadonlySet<string> | undefined;
  const stands = (text: string): boolean => {
    words ??= wordsOf(texts);
    return words.has(text) || texts.some((searched) => searched.includes(text));
  };
  return {
    sourcesOf: ({ sources, quote }) => {
      const named = [...new Set(sources)].filter((number) => numbers.has(number)).map((number) => number - 1);
      const quoted =
        quote === undefined || quote.trim().length < MIN_QUOTE ? [] : indexesWith(quote.trim()).slice(0, 1);
      return [...new Set([...named, ...quoted])].sort((a, b) => a - b).map((index) => messages[index] as Message);
    },
    messagesWith: (text) => indexesWith(text).map((index) => (messages[index] as Message).id),
    holds: (text) => {
      let held = known.get(text);
      if (held === undefined) {
        held = before.includes(text) || stands(text);
        known.set(text, held);
      }
      return held;
    },
  };
}

/** The rendered text leaves out the folder that paths share. */
const pathsOf = ({ files, identifiers }: StructuredSummary): readonly string[] => [
  ...files.map(({ path }) => path),
  ...identifiers.flatMap(({ where }) => where ?? []),
];

/** What stands between names and what names hardly contain. */
const BETWEEN = /[\s"'`()[\]{}<>,;=|*]+/;
const ENDS = /^[.:!?]+|[.:!?]+$/g;

/** The words of texts. Nearly every name is one of them, and so need not be looked for in each text of a long span. */
function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) for (const word of text.split(BETWEEN)) words.add(word).add(word.replace(ENDS, ""));
  return words;
}

/** What was said, arguments both as JSON and as they are: inside JSON a quote or backslash has another look. */
function searchableText(message: Message): string {
  return [visibleText(message), ...message.parts.flatMap(moreOf)].join("\n");
}

function moreOf(part: Message["parts"][number]): readonly string[] {
  if (part.type === "tool-call") return strings(part.input);
  if (part.type !== "tool-result") return [];
  const { toolName, content, keyFields } = part.result;
  return [toolName, ...strings(keyFields), ...(content.type === "json" ? strings(content.value) : [])];
}

function strings(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(strings);
}
