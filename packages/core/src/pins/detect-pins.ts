import type { PinId, ToolCallId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import { mayLift, type Pin, type PinEntry, type PinLiftedEntry } from "../thread/thread-entry.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import { AskedQuestions, type LiftedPin, type RuleCandidate, ruleKey, saidRulesInSteps } from "./detect-constraints.ts";

/** The cap on detected pins, and how their tokens are counted. */
export interface PinDetection {
  /** The most tokens that all pins detected in user messages may take together. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
  /**
   * The messages before the new ones, newest first. They are read until they held the calls that the first new results
   * answer, which are mostly those of the message before. None by default.
   */
  readonly earlier?: Iterable<Message>;
}

/** What new messages change about the rules of their thread. */
export interface DetectedRules {
  /** Pins and liftings to append after the messages, in this order. */
  readonly entries: readonly (PinEntry | PinLiftedEntry)[];
  /** Rules that are not pinned, or no longer pinned, because the cap is reached. */
  readonly leftOut: readonly Pin[];
  readonly candidates: readonly RuleCandidate[];
}

/**
 * Finds what new messages say about rules and returns it as entries for the thread: a pin for each standing constraint
 * (never two with the same text), and a lifting for each one that was taken back, with the words that did so. When
 * the cap is reached, the rule of higher authority stays, or the newer one if the authorities are equal; the other is
 * lifted for lack of room. No prompt mentions such a lifting, because nobody took the rule back. Rules in system
 * messages do not count toward the cap, because system messages are never folded.
 */
export function detectPins(messages: Iterable<Message>, live: readonly Pin[], detection: PinDetection): DetectedRules {
  return finishSteps(detectPinsInSteps(messages, live, detection));
}

/** Does the same as {@link detectPins}, in steps. */
export function* detectPinsInSteps(
  messages: Iterable<Message>,
  live: readonly Pin[],
  detection: PinDetection,
): Steps<DetectedRules> {
  const rules = new RuleLedger(live, detection);
  const candidates: RuleCandidate[] = [];
  const asked = new AskedQuestions();
  const callers = new Callers(detection.earlier ?? []);
  let isAnswering = true;
  for (const message of messages) {
    yield;
    isAnswering &&= message.role !== "assistant";
    const caller = isAnswering ? callers.of(message) : undefined;
    if (caller !== undefined) asked.answeredBy(caller);
    const said = yield* saidRulesInSteps(message, () => rules.live, asked.answeredBy(message));
    for (const lifted of said.lifted) rules.takeBack(lifted);
    yield* rules.make(said.made);
    for (const candidate of said.candidates) candidates.push(candidate);
  }
  return { entries: rules.entries, leftOut: rules.leftOut, candidates };
}

/** The messages that made calls, which are looked for from the newest message on. */
class Callers {
  readonly #messages: Iterator<Message>;
  readonly #byCall = new Map<ToolCallId, Message>();

  constructor(messages: Iterable<Message>) {
    this.#messages = messages[Symbol.iterator]();
  }

  /** Returns the message with the call that a message answers; undefined when there is none. */
  of({ parts: [part] }: Message): Message | undefined {
    if (part?.type !== "tool-result") return undefined;
    const { callId } = part.result;
    while (!this.#byCall.has(callId)) {
      const { value: message, done } = this.#messages.next();
      if (done === true) return undefined;
      for (const made of message.branch === undefined ? message.parts : [])
        if (made.type === "tool-call" && !this.#byCall.has(made.callId)) this.#byCall.set(made.callId, message);
    }
    return this.#byCall.get(callId);
  }
}

/** The longest reason that a log keeps for a retraction, in UTF-16 code units; its source tells where the rest is. */
const LONGEST_REASON = 300;
/** How many of one message's rules that find no room go into the log; the rest exist only in the message. */
const MOST_RECORDED = 100;

/** The rules in force, as they change from message to message. */
class RuleLedger {
  readonly entries: (PinEntry | PinLiftedEntry)[] = [];
  readonly leftOut: Pin[] = [];
  readonly #detection: PinDetection;
  readonly #live: Map<PinId, Pin>;
  readonly #texts: Set<string>;
  /** Tokens of the pins that count toward the cap. */
  readonly #tokens = new Map<PinId, number>();
  #used = 0;

  constructor(live: readonly Pin[], detection: PinDetection) {
    this.#detection = detection;
    this.#live = new Map(live.map((pin) => [pin.id, pin]));
    this.#texts = new Set(live.map(ruleKey));
    for (const pin of live) this.#count(pin);
  }

  get live(): readonly Pin[] {
    return [...this.#live.values()];
  }

  takeBack({ pin, text, authority, source }: LiftedPin): void {
    const reason = text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON).toWellFormed()} …` : text;
    this.#remove(pin);
    this.entries.push({ type: "pin-lifted", pinId: pin.id, authority, reason, why: "taken-back", source });
  }

  /** Pins the rules of one message as long as there is room. */
  *make(pins: readonly Pin[]): Steps<void> {
    const older = new Set(this.#tokens.keys());
    let recorded = 0;
    for (const pin of pins) {
      yield;
      if (this.#texts.has(ruleKey(pin)) || this.#live.has(pin.id)) continue;
      const going = this.#goingFor(pin, older);
      if (going === null && recorded++ >= MOST_RECORDED) {
        this.leftOut.push(pin);
        continue;
      }
      this.entries.push({ type: "pin", pin });
      this.#live.set(pin.id, pin);
      this.#texts.add(ruleKey(pin));
      this.#count(pin);
      for (const old of going ?? [pin]) {
        older.delete(old.id);
        this.#leaveOut(old);
      }
    }
  }

  /** The older rules that must go to make room for a new one; null when even that is not enough. */
  #goingFor(pin: Pin, older: ReadonlySet<PinId>): readonly Pin[] | null {
    if (!isCapped(pin)) return [];
    const { maxTokens, countTokens } = this.#detection;
    let over = this.#used + countTokens(pin.text) - maxTokens;
    if (over <= 0) return [];
    const going: Pin[] = [];
    for (const id of older) {
      const old = this.#live.get(id);
      if (old === undefined || !mayLift(pin.authority, old.authority)) continue;
      going.push(old);
      over -= this.#tokens.get(id) ?? 0;
      if (over <= 0) return going;
    }
    return null;
  }

  #leaveOut(pin: Pin): void {
    const { id: pinId, authority, source } = pin;
    this.leftOut.push(pin);
    this.#remove(pin);
    const reason = "Detected pins have a cap, and newer rules or those of a higher authority go first.";
    this.entries.push({ type: "pin-lifted", pinId, authority, reason, why: "no-room", ...(source && { source }) });
  }

  #count(pin: Pin): void {
    if (!isCapped(pin)) return;
    const tokens = this.#detection.countTokens(pin.text);
    this.#tokens.set(pin.id, tokens);
    this.#used += tokens;
  }

  #remove(pin: Pin): void {
    this.#live.delete(pin.id);
    this.#texts.delete(ruleKey(pin));
    this.#used -= this.#tokens.get(pin.id) ?? 0;
    this.#tokens.delete(pin.id);
  }
}

/** System messages are never folded, so their rules need no room; and what a host pins is up to the host. */
const isCapped = ({ origin, authority }: Pin): boolean => origin === "detector" && authority !== "system";
