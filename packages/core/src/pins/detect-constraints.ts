import { sha256 } from "../json/sha256.ts";
import { asPinId, type PinId } from "../model/ids.ts";
import { type Message, visibleText } from "../model/message.ts";
import type { Authority, Pin, PinSource } from "../thread/thread-entry.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import { type RuleDoubt, type RuleReading, readRulesInSteps } from "./read-rules.ts";
import { takenBack } from "./taken-back.ts";

/** Something that may be a rule, or may take one back: for a host, or a model, to decide. */
export type RuleCandidate = {
  /** The id of the pin that it would be. */
  readonly id: PinId;
  readonly text: string;
  readonly authority: Authority;
  readonly source: PinSource;
} & (
  | { readonly kind: "rule"; readonly doubt: RuleDoubt }
  /** `pinIds` are the live pins that may be meant; empty when none is named. */
  | { readonly kind: "retraction"; readonly pinIds: readonly PinId[] }
);

type RetractionCandidate = RuleCandidate & { readonly kind: "retraction" };

/** A pin that a message takes back, and the place in the message that does. */
export interface LiftedPin {
  readonly pin: Pin;
  readonly text: string;
  readonly authority: Authority;
  readonly source: PinSource;
}

/** What one message says about rules, given those that hold. */
export interface SaidRules {
  readonly made: readonly Pin[];
  readonly lifted: readonly LiftedPin[];
  readonly candidates: readonly RuleCandidate[];
}

/** A message that takes back more was not written by a person, and comparing costs. */
const MOST_RETRACTIONS = 32;

const NOTHING_SAID: SaidRules = { made: [], lifted: [], candidates: [] };

/**
 * Finds what a message says about rules: standing constraints, with the exact text and where it stands, and retractions
 * of those that hold. Users and systems alone have a say: tool output, assistants, summaries, harnesses and side branches
 * neither make nor lift a rule. A rule that its own message takes back is never made. Deterministic, linear in the text.
 *
 * @param live returns the pins that hold before the message; asked when the message takes something back.
 */
export function saidRules(message: Message, live: () => readonly Pin[]): SaidRules {
  return finishSteps(saidRulesInSteps(message, live));
}

/** The same as {@link saidRules}, in steps. */
export function* saidRulesInSteps(message: Message, live: () => readonly Pin[]): Steps<SaidRules> {
  if (message.role !== "user" && message.role !== "system") return NOTHING_SAID;
  if (message.origin !== undefined || message.branch !== undefined) return NOTHING_SAID;
  const authority = message.role === "system" ? "system" : "user";
  const made = new Map<PinId, Pin>();
  const lifted = new Map<PinId, LiftedPin>();
  const candidates = new Map<PinId, RuleCandidate>();
  const unsure: { readonly candidate: RetractionCandidate; readonly isNamed: boolean }[] = [];
  let retractions = 0;
  let isTakenBack = false;
  for (const { source, ...reading } of yield* readingsOf(message)) {
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
      if (!made.delete(pin.id)) lifted.set(pin.id, { pin, text, authority, source });
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

/** The rule that ends where a retraction begins: "Never do x. Hm, forget that." */
function ruleBefore({ start }: PinSource, last: Pin | undefined): Pin | undefined {
  const end = last?.source?.end;
  return end !== undefined && start - end <= 2 ? last : undefined;
}

/** The standing constraints of one message, as pins; see {@link saidRules}. */
export function detectConstraints(message: Message): readonly Pin[] {
  return saidRules(message, () => []).made;
}

/**
 * The rules that hold behind a run of messages, oldest first: those of before that none of them takes back, and those
 * that they make.
 */
export function rulesBehind(messages: Iterable<Message>, before: readonly Pin[] = []): readonly Pin[] {
  return finishSteps(rulesBehindInSteps(messages, before));
}

/** Messages that were read before and are looked at again in one step: a millisecond or less. */
const MESSAGES_A_STEP = 512;

/** The same as {@link rulesBehind}, in steps. */
export function* rulesBehindInSteps(messages: Iterable<Message>, before: readonly Pin[] = []): Steps<readonly Pin[]> {
  const live = new Map(before.map((pin) => [ruleKey(pin), pin]));
  let looked = 0;
  for (const message of messages) {
    if (++looked % MESSAGES_A_STEP === 0) yield;
    const { made, lifted } = yield* saidRulesInSteps(message, () => [...live.values()]);
    for (const { pin } of lifted) live.delete(ruleKey(pin));
    for (const pin of made) {
      yield;
      if (!live.has(ruleKey(pin))) live.set(ruleKey(pin), pin);
    }
  }
  return [...live.values()];
}

/** Equal for rules that say the same in the same words, whatever their punctuation. */
export const ruleKey = ({ text }: { readonly text: string }): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/_.@-]+/gu, " ")
    .replace(/[ .]+$/, "")
    .trim();

type PlacedReading = RuleReading & { readonly source: PinSource };

/** Messages never change, and folds ask for the rules of the same ones again and again. */
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
  for (const part of message.parts) {
    if (part.type !== "text") {
      offset += visibleText({ parts: [part] }).length + 1;
      continue;
    }
    for (const reading of yield* readRulesInSteps(part.text, message.role === "system")) {
      const source = { messageId: message.id, start: offset + reading.start, end: offset + reading.end };
      into.push({ ...reading, source });
    }
    offset += part.text.length + 1;
  }
}

function uniqueOf<Item extends { readonly id: PinId }>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
