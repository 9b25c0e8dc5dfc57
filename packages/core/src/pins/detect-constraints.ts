import { sha256 } from "../json/sha256.ts";
import { asPinId, type PinId, type ToolCallId } from "../model/ids.ts";
import { type Message, visibleText } from "../model/message.ts";
import { questionsToUser, REFUSAL_READ } from "../model/tool-use.ts";
import { onlyTyped, typedRanges } from "../model/typed-text.ts";
import type { Authority, Pin, PinSource } from "../thread/thread-entry.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import { type RuleDoubt, readRulesInSteps } from "./read-rules.ts";
import { MOST_FIELDS, type PlacedReading, refusalOf, repliesOf } from "./replies.ts";
import { takenBack } from "./taken-back.ts";

/** A passage that may be a rule, or may take one back; a host or a model decides which. */
export type RuleCandidate = {
  /** The id that its pin would have. */
  readonly id: PinId;
  readonly text: string;
  readonly authority: Authority;
  readonly source: PinSource;
} & (
  | {
      readonly kind: "rule";
      /** `refusal`: the user's reason for refusing a call, as a result tells it, which any tool could print. */
      readonly doubt: RuleDoubt | "refusal";
    }
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
 * result, and so is all that a refused call's result says. A rule that its own message takes back is never made.
 * Deterministic and linear in the length of the text.
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
  const saying = sayingOf(message, questions);
  if (saying === null) return NOTHING_SAID;
  const authority = message.role === "system" ? "system" : "user";
  const made = new Map<PinId, Pin>();
  const lifted = new Map<PinId, LiftedPin>();
  const candidates = new Map<PinId, RuleCandidate>();
  const unsure: { readonly candidate: RetractionCandidate; readonly isNamed: boolean }[] = [];
  let retractions = 0;
  let isTakenBack = false;
  for (const { source, ...reading } of yield* passagesOf(message, saying, questions)) {
    yield;
    const { text } = reading;
    const base = {
      id: asPinId(`pin-${sha256(`${message.id}\n${text}`).slice(0, 16)}`),
      text,
      authority,
      source,
    } as const;
    if (reading.kind === "rule" && saying === "refusal")
      candidates.set(base.id, { ...base, kind: "rule", doubt: "refusal" });
    else if (reading.kind === "rule") made.set(base.id, { ...base, origin: "detector" });
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
      if (saying !== "text")
        unsure.push({ candidate: { ...base, kind: "retraction", pinIds: [pin.id] }, isNamed: true });
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

/** How somebody says something about rules: by writing it, by replying to a call, or as the reason for refusing one. */
type Saying = "text" | "reply" | "refusal";

/** Words without which no result that is not marked as failed reports a refusal. */
const REFUSING = /denied|rejected|declined|not approved/i;

/** How a message may say something about rules; null for most results, and for what no person said. */
function sayingOf({ role, origin, branch, parts: [part] }: Message, questions: readonly string[]): Saying | null {
  if (role === "assistant" || origin !== undefined || branch !== undefined) return null;
  if (part?.type !== "tool-result") return "text";
  const { outcome, content } = part.result;
  if (questions.length > 0 && outcome === "success") return "reply";
  // A tool that answers in fields reports no refusal of a harness.
  if (content.type === "json") return null;
  if (outcome === "failure") return "refusal";
  const isShort = content.type === "text" && content.text.length <= REFUSAL_READ;
  return isShort && REFUSING.test(content.text) ? "refusal" : null;
}

function passagesOf(message: Message, saying: Saying, questions: readonly string[]): Steps<readonly PlacedReading[]> {
  if (saying === "text") return readingsOf(message);
  return saying === "reply" ? repliesOf(message, questions) : refusalOf(message);
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

function uniqueOf<Item extends { readonly id: PinId }>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
