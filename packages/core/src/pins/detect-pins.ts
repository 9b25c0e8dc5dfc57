import type { PinId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import { mayLift, type Pin, type PinEntry, type PinLiftedEntry } from "../thread/thread-entry.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import { type LiftedPin, type RuleCandidate, ruleKey, saidRulesInSteps } from "./detect-constraints.ts";

/** The limits of detection, and what it knows beforehand. */
export interface PinDetection {
  /** The most tokens that all pins detected in what users said may take together. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/** What new messages change about the rules of their thread. */
export interface DetectedRules {
  /** Pins and liftings to append behind the messages, in this order. */
  readonly entries: readonly (PinEntry | PinLiftedEntry)[];
  /** Rules that are not, or no longer, pinned because the cap is reached. */
  readonly leftOut: readonly Pin[];
  readonly candidates: readonly RuleCandidate[];
}

/**
 * What new messages say about rules, as entries for the thread: pins for standing constraints, no text twice, and
 * liftings for those that were taken back, with the words that did it. Where the cap is reached, the rule of higher
 * authority stays, and of equal ones the newer: what has to go is lifted for want of room, which no prompt mentions,
 * since nobody took it back. Rules of the system take no part in the cap: system messages are never folded.
 */
export function detectPins(messages: Iterable<Message>, live: readonly Pin[], detection: PinDetection): DetectedRules {
  return finishSteps(detectPinsInSteps(messages, live, detection));
}

/** The same as {@link detectPins}, in steps. */
export function* detectPinsInSteps(
  messages: Iterable<Message>,
  live: readonly Pin[],
  detection: PinDetection,
): Steps<DetectedRules> {
  const rules = new RuleLedger(live, detection);
  const candidates: RuleCandidate[] = [];
  for (const message of messages) {
    yield;
    const said = yield* saidRulesInSteps(message, () => rules.live);
    for (const lifted of said.lifted) rules.takeBack(lifted);
    yield* rules.make(said.made);
    for (const candidate of said.candidates) candidates.push(candidate);
  }
  return { entries: rules.entries, leftOut: rules.leftOut, candidates };
}

/** The longest reason that a log keeps of a retraction; its source says where the rest stands. In UTF-16 code units. */
const LONGEST_REASON = 300;
/** How many rules of one message that find no room go into the log; the others stand in the message alone. */
const MOST_RECORDED = 100;

/** The rules that hold, as they change from message to message. */
class RuleLedger {
  readonly entries: (PinEntry | PinLiftedEntry)[] = [];
  readonly leftOut: Pin[] = [];
  readonly #detection: PinDetection;
  readonly #live: Map<PinId, Pin>;
  readonly #texts: Set<string>;
  /** Tokens of those that the cap is for. */
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

  /** Pins the rules of one message, as far as there is room. */
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

  /** The older rules that have to go for a new one; null when they do not make enough room. */
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

/** System messages are never folded, so their rules need no room; and what a host pins is the host's affair. */
const isCapped = ({ origin, authority }: Pin): boolean => origin === "detector" && authority !== "system";
