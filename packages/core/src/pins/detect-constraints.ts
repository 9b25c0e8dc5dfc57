import type { JsonValue } from "../json/json-value.ts";
import { sha256 } from "../json/sha256.ts";
import { asPinId, type PinId, type ToolCallId } from "../model/ids.ts";
import { type Message, visibleText } from "../model/message.ts";
import { questionsToUser, toolArguments } from "../model/tool-use.ts";
import { type TextRange, typedRanges } from "../model/typed-text.ts";
import type { Authority, Pin, PinSource } from "../thread/thread-entry.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import { smallLetters } from "./languages/rule-language.ts";
import { type RuleDoubt, type RuleReading, readRulesInSteps } from "./read-rules.ts";
import { takenBack } from "./taken-back.ts";

/** A passage that may be a rule, or may take one back; a host or a model decides which. */
export type RuleCandidate = {
  /** The id that its pin would have. */
  readonly id: PinId;
  readonly text: string;
  readonly authority: Authority;
  readonly source: PinSource;
} & (
  | { readonly kind: "rule"; readonly doubt: RuleDoubt }
  /** `pinIds` are the live pins that it may refer to; empty when it names none. */
  | { readonly kind: "retraction"; readonly pinIds: readonly PinId[] }
);

type RetractionCandidate = RuleCandidate & { readonly kind: "retraction" };

/** A pin that a message takes back, and the passage that does so. */
export interface LiftedPin {
  readonly pin: Pin;
  readonly text: string;
  readonly authority: Authority;
  readonly source: PinSource;
}

/** What one message says about rules, given the rules in force before it. */
export interface SaidRules {
  readonly made: readonly Pin[];
  readonly lifted: readonly LiftedPin[];
  readonly candidates: readonly RuleCandidate[];
}

/** No person takes back more than this in one message, and each comparison costs time. */
const MOST_RETRACTIONS = 32;

const NOTHING_SAID: SaidRules = { made: [], lifted: [], candidates: [] };

/**
 * Finds what a message says about rules: standing constraints, with their exact text and position, and retractions of
 * rules in force. Only user and system messages count, and the user's replies to calls that ask: other tool output,
 * assistants, summaries, harnesses and side branches neither make nor lift a rule, and neither do the results that a
 * user message of an agent without tools holds. What a reply takes back is only a candidate, because a reply is a tool's
 * result. A rule that its own message takes back is never made. Deterministic and linear in the length of the text.
 *
 * @param live returns the pins in force before the message; called only when the message takes something back.
 * @param questions what the call asked the user whose result the message holds, as `questionsToUser` returns it.
 */
export function saidRules(message: Message, live: () => readonly Pin[], questions: readonly string[] = []): SaidRules {
  return finishSteps(saidRulesInSteps(message, live, questions));
}

/** Does the same as {@link saidRules}, in steps. */
export function* saidRulesInSteps(
  message: Message,
  live: () => readonly Pin[],
  questions: readonly string[] = [],
): Steps<SaidRules> {
  const isReply = message.role === "tool" && questions.length > 0;
  if (message.role !== "user" && message.role !== "system" && !isReply) return NOTHING_SAID;
  if (message.origin !== undefined || message.branch !== undefined) return NOTHING_SAID;
  const authority = message.role === "system" ? "system" : "user";
  const made = new Map<PinId, Pin>();
  const lifted = new Map<PinId, LiftedPin>();
  const candidates = new Map<PinId, RuleCandidate>();
  const unsure: { readonly candidate: RetractionCandidate; readonly isNamed: boolean }[] = [];
  let retractions = 0;
  let isTakenBack = false;
  for (const { source, ...reading } of yield* isReply ? repliesOf(message, questions) : readingsOf(message)) {
    yield;
    const { text } = reading;
    const base = {
      id: asPinId(`pin-${sha256(`${message.id}\n${text}`).slice(0, 16)}`),
      text,
      authority,
      source,
    } as const;
    if (reading.kind === "rule") made.set(base.id, { ...base, origin: "detector" });
    else if (reading.kind === "candidate") candidates.set(base.id, { ...base, kind: "rule", doubt: reading.doubt });
    else if (retractions++ < MOST_RETRACTIONS) {
      const said = [...made.values()];
      const pins = [...live().filter(({ id }) => !lifted.has(id)), ...said];
      const target = takenBack(reading, authority, pins, ruleBefore(source, said.at(-1)));
      if (target.type === "unsure") {
        const pinIds = target.pins.map(({ id }) => id);
        unsure.push({ candidate: { ...base, kind: "retraction", pinIds }, isNamed: target.isNamed });
      }
      if (target.type !== "one") continue;
      isTakenBack = true;
      const { pin } = target;
      if (made.delete(pin.id)) continue;
      if (isReply) unsure.push({ candidate: { ...base, kind: "retraction", pinIds: [pin.id] }, isNamed: true });
      else lifted.set(pin.id, { pin, text, authority, source });
    }
  }
  // "You may edit x now. Forget that rule." takes back one rule, in two sentences.
  const open = unsure.filter(
    ({ candidate: { pinIds }, isNamed }) =>
      !isTakenBack || (isNamed && pinIds.length > 0 && !pinIds.some((id) => lifted.has(id))),
  );
  return {
    made: [...made.values()],
    lifted: [...lifted.values()],
    candidates: [...candidates.values(), ...uniqueOf(open.map(({ candidate }) => candidate))],
  };
}

/** The rule that ends right where a retraction begins: "Never do x. Hm, forget that." */
function ruleBefore({ start }: PinSource, last: Pin | undefined): Pin | undefined {
  const end = last?.source?.end;
  return end !== undefined && start - end <= 2 ? last : undefined;
}

/** Returns the standing constraints of one message, as pins; see {@link saidRules}. */
export function detectConstraints(message: Message): readonly Pin[] {
  return saidRules(message, () => []).made;
}

/**
 * Returns the rules in force after a run of messages, oldest first: the earlier ones that none of the messages takes
 * back, and the new ones that they make.
 */
export function rulesBehind(messages: Iterable<Message>, before: readonly Pin[] = []): readonly Pin[] {
  return finishSteps(rulesBehindInSteps(messages, before));
}

/** How many already-read messages are revisited in one step: a millisecond or less. */
const MESSAGES_A_STEP = 512;

/** Does the same as {@link rulesBehind}, in steps. */
export function* rulesBehindInSteps(messages: Iterable<Message>, before: readonly Pin[] = []): Steps<readonly Pin[]> {
  const live = new Map(before.map((pin) => [ruleKey(pin), pin]));
  const asked = new AskedQuestions();
  let looked = 0;
  for (const message of messages) {
    if (++looked % MESSAGES_A_STEP === 0) yield;
    const questions = asked.answeredBy(message);
    const { made, lifted } = yield* saidRulesInSteps(message, () => [...live.values()], questions);
    for (const { pin } of lifted) live.delete(ruleKey(pin));
    for (const pin of made) {
      yield;
      if (!live.has(ruleKey(pin))) live.set(ruleKey(pin), pin);
    }
  }
  return [...live.values()];
}

/** Returns a key that is equal for rules with the same words, whatever their case and punctuation. */
export const ruleKey = ({ text }: { readonly text: string }): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/_.@-]+/gu, " ")
    .replace(/(?<![ .])[ .]+$/, "")
    .trim();

type PlacedReading = RuleReading & { readonly source: PinSource };

/** Cached because messages never change, and folds ask for the rules of the same messages again and again. */
const known = new WeakMap<Message, readonly PlacedReading[]>();

function* readingsOf(message: Message): Steps<readonly PlacedReading[]> {
  const before = known.get(message);
  if (before !== undefined) return before;
  const readings: PlacedReading[] = [];
  yield* readMessage(message, readings);
  if (Object.isFrozen(message)) known.set(message, readings);
  return readings;
}

function* readMessage(message: Message, into: PlacedReading[]): Steps<void> {
  let offset = 0;
  const ranges = typedRanges(message);
  for (const [index, part] of message.parts.entries()) {
    if (part.type !== "text") {
      offset += visibleText({ parts: [part] }).length + 1;
      continue;
    }
    const own = onlyTyped(part.text, ranges[index] ?? []);
    for (const reading of yield* readRulesInSteps(own, message.role === "system")) {
      if (part.text.slice(reading.start, reading.end) !== reading.text) continue;
      const source = { messageId: message.id, start: offset + reading.start, end: offset + reading.end };
      into.push({ ...reading, source });
    }
    offset += part.text.length + 1;
  }
}

/** A text of the same length with blanks in the place of what nobody typed. */
function onlyTyped(text: string, ranges: readonly TextRange[]): string {
  if (ranges.length === 1 && ranges[0]?.[0] === 0 && ranges[0][1] === text.length) return text;
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of [...ranges, [text.length, text.length] as const]) {
    pieces.push(text.slice(at, start).replace(/[^\n]/g, " "), text.slice(start, end));
    at = end;
  }
  return pieces.join("");
}

/** The questions of the calls that ask the user, by call, among the messages that it was shown in order. */
export class AskedQuestions {
  readonly #byCall = new Map<ToolCallId, readonly string[]>();
  /** Whether a tool with this name may ask: logs have many calls of few tools. */
  readonly #mayAsk = new Map<string, boolean>();

  /** Notes what a message asks, and returns the questions to which it replies; empty for all but such replies. */
  answeredBy({ branch, parts }: Message): readonly string[] {
    let answered: readonly string[] = [];
    if (branch !== undefined) return answered;
    for (const part of parts) {
      if (part.type === "tool-result") answered = this.#byCall.get(part.result.callId) ?? answered;
      if (part.type !== "tool-call") continue;
      const asked = this.#asks(part.toolName) ? questionsToUser(part.toolName, part.input) : [];
      // Some agents use an id again, for a call of another tool.
      if (asked.length > 0) this.#byCall.set(part.callId, asked.slice(0, MOST_FIELDS));
      else if (this.#byCall.size > 0) this.#byCall.delete(part.callId);
    }
    return answered;
  }

  #asks(toolName: string): boolean {
    const known = this.#mayAsk.get(toolName) ?? questionsToUser(toolName, { questions: ["?"] }).length > 0;
    this.#mayAsk.set(toolName, known);
    return known;
  }
}

/** The most questions of one call, and the most texts in the fields of one reply, that are read. */
const MOST_FIELDS = 64;

/** Reads what the user replied in a tool's result, whose text may be JSON. */
function* repliesOf({ id, parts }: Message, questions: readonly string[]): Steps<readonly PlacedReading[]> {
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

function uniqueOf<Item extends { readonly id: PinId }>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
