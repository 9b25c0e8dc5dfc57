import type { JsonValue } from "../json/json-value.ts";
import { type Message, visibleText } from "../model/message.ts";
import { REFUSAL_READ, refusalReason, toolArguments } from "../model/tool-use.ts";
import { onlyTyped, type TextRange } from "../model/typed-text.ts";
import type { PinSource } from "../thread/thread-entry.ts";
import type { Steps } from "../time/steps.ts";
import { smallLetters } from "./languages/rule-language.ts";
import { type RuleReading, readRulesInSteps } from "./read-rules.ts";

/** A reading with its place in the visible text of a message. */
export type PlacedReading = RuleReading & { readonly source: PinSource };

/** The most questions of one call, and the most texts in the fields of one reply, that are read. */
export const MOST_FIELDS = 64;

/** Reads what the user replied in the result of a call that asks, whose text may be JSON. */
export function* repliesOf({ id, parts }: Message, questions: readonly string[]): Steps<readonly PlacedReading[]> {
  const [part] = parts;
  if (part?.type !== "tool-result" || part.result.outcome !== "success") return [];
  const shown = visibleText({ parts: [part] });
  const value = part.result.content.type === "json" ? part.result.content.value : jsonIn(shown);
  const placed: PlacedReading[] = [];
  let from = 0;
  for (const text of value === undefined ? [shown] : repliesIn(value).slice(0, MOST_FIELDS)) {
    const at = value === undefined ? 0 : shown.indexOf(JSON.stringify(text), from) + 1;
    const lengthOf = value === undefined ? (words: string) => words.length : escapedLength;
    let [read, start] = [0, at];
    for (const reading of yield* readRulesInSteps(onlyTyped(text, repliedRanges(text, questions)))) {
      start += lengthOf(text.slice(read, reading.start));
      read = reading.start;
      if (text.slice(reading.start, reading.end) !== reading.text) continue;
      const isFound = value === undefined || at > 0;
      // JSON that escapes more than it must is found only as a whole.
      const [first, end] = isFound ? [start, start + lengthOf(reading.text)] : [0, shown.length];
      placed.push({ ...reading, source: { messageId: id, start: first, end } });
    }
    if (at > 0) from = at + lengthOf(text);
  }
  return placed;
}

const escapedLength = (text: string): number => JSON.stringify(text).length - 2;

/** The JSON that a text is; undefined for any other text. */
function jsonIn(text: string): JsonValue | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const DEEPEST_FIELD = 8;
/** Fields with what the user said, and those with what the agent asked, which are never read. */
const REPLIED =
  /^(?:(?:user|human)?_?(?:answers?|repl(?:y|ies)|responses?|input|feedback|message)|text|value|content|result|output|notes?)$/;
const ASKED = /^(?:questions?|options?|choices|headers?|prompt|preview|description)$/;

function repliesIn(value: JsonValue, isReply = true, depth = 0): readonly string[] {
  if (typeof value === "string") return isReply ? [value] : [];
  if (typeof value !== "object" || value === null || depth > DEEPEST_FIELD) return [];
  if (Array.isArray(value))
    return value.flatMap((one: JsonValue) =>
      repliesIn(one, isReply && (depth > 0 || typeof one === "string"), depth + 1),
    );
  return Object.entries(toolArguments(value)).flatMap(([name, inner]) => {
    const plain = name.toLowerCase();
    // Below "answers" the names are those of the questions.
    return ASKED.test(plain) ? [] : repliesIn(inner ?? null, REPLIED.test(plain) || (isReply && depth > 0), depth + 1);
  });
}

/** What harnesses write in the place of a reply, and above one, in small letters. */
const NO_REPLY =
  /^\s*\(?(?:no (?:response|answer|reply|input)\b|(?:the )?(?:user|human) (?:declined|dismissed|cancell?ed|skipped|did not|did\s?n['’]t|has not|is (?:away|not available|unavailable))|(?:user )?(?:input )?(?:timed? ?out|cancell?ed)|unanswered\b)/;
const REPLY_LABEL =
  /(?:^|\n)[^\S\n]*(?:(?:the )?(?:user|human)(?:['’]s)? (?:response|answer|reply|input|answered|responded|replied|said)|answer|reply|response)[^\S\n]*:/;
const REPLY_TAG = /^\s*<(answer|feedback|response|user_message)>/;
/** What Claude Code writes behind the answers. */
const BEHIND_ANSWERS = "You can now continue";
const NOTES = " user notes: ";
const SHORTEST_QUESTION = 12;

/** The user's words in a reply that is plain text. */
function repliedRanges(shown: string, questions: readonly string[]): readonly TextRange[] {
  const small = smallLetters(shown);
  if (NO_REPLY.test(small)) return [];
  const listed = questions
    .flatMap((question): readonly TextRange[] => {
      const pair = `"${question}"="`;
      const at = shown.indexOf(pair);
      return at < 0 ? [] : [[at, at + pair.length]];
    })
    .sort(([one], [other]) => one - other);
  if (listed.length > 0)
    return listed.flatMap(([, start], index) => answerRanges(shown, start, listed[index + 1]?.[0] ?? shown.length));
  const tag = REPLY_TAG.exec(small);
  const close = tag === null ? -1 : small.lastIndexOf(`</${tag[1]}>`);
  if (tag !== null) return [[tag[0].length, close < 0 ? shown.length : close]];
  const behind = Math.max(...questions.map((question) => endOf(question, shown)));
  const label = REPLY_LABEL.exec(small.slice(behind));
  return [[behind + (label === null ? 0 : label.index + label[0].length), shown.length]];
}

/** The place after a question that a reply repeats; 0 where it does not. Shorter ones may stand there by chance. */
function endOf(text: string, whole: string): number {
  const at = text.length < SHORTEST_QUESTION ? -1 : whole.indexOf(text);
  return at < 0 ? 0 : at + text.length;
}

/** An answer up to its closing quotation mark, and the user's notes; a preview between the two is the agent's. */
function answerRanges(shown: string, start: number, limit: number): readonly TextRange[] {
  const behind = shown.lastIndexOf(BEHIND_ANSWERS, limit);
  const end = behind > start ? behind : limit;
  const segment = shown.slice(start, end);
  const extra = /" (?:selected preview:|user notes: )/.exec(segment)?.index;
  const quote = segment.lastIndexOf('"');
  const answer: TextRange = [start, start + (extra ?? (quote < 0 ? segment.length : quote))];
  const notes = extra === undefined ? -1 : segment.lastIndexOf(NOTES);
  return notes < 0 ? [answer] : [answer, [start + notes + NOTES.length, end]];
}

/**
 * Reads why the user refused a call, where the result tells it. Any tool could print such words, so the caller must not
 * take what it finds for the user's own.
 */
export function* refusalOf({ id, parts }: Message): Steps<readonly PlacedReading[]> {
  const [part] = parts;
  if (part?.type !== "tool-result") return [];
  const shown = visibleText({ parts: [part] });
  const reason = refusalReason(shown, part.result.outcome === "failure") ?? "";
  const at = shown.indexOf(reason);
  const readings = reason === "" ? [] : yield* readRulesInSteps(reason);
  // What is longer than what is read may have lost the end of its last sentence.
  const whole = shown.length > REFUSAL_READ ? readings.filter(({ end }) => end < reason.length) : readings;
  return whole.map((reading) => {
    // JSON escapes it, and then only the whole result is sure to have it.
    const [start, end] = at < 0 ? [0, shown.length] : [at + reading.start, at + reading.end];
    return { ...reading, source: { messageId: id, start, end } };
  });
}
