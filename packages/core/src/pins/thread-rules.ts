import type { PinId } from "../model/ids.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import type { Pin, PinLiftedEntry, PinSource } from "../thread/thread-entry.ts";
import { AskedQuestions, type RuleCandidate, ruleKey, saidRules } from "./detect-constraints.ts";

/** A rule that is in force. */
export interface LiveRule {
  readonly pin: Pin;
  /** The thread version that pinned it; `since` is the time of the message that it quotes, null when it quotes none. */
  readonly sinceVersion: number;
  readonly since: string | null;
}

/** A rule that was in force and no longer is. */
export interface LiftedRule {
  readonly pin: Pin;
  readonly reason: string;
  readonly authority: PinLiftedEntry["authority"];
  /** The thread version that lifted it. */
  readonly atVersion: number;
  /** The message that took it back; null when a host lifted it. */
  readonly source: PinSource | null;
}

/** The rules of a thread: in force, lifted, doubtful, and left out by the cap. */
export interface ThreadRules {
  readonly live: readonly LiveRule[];
  readonly lifted: readonly LiftedRule[];
  /** Possible rules and retractions that a host has yet to confirm or drop. */
  readonly candidates: readonly RuleCandidate[];
  /** Rules that detection found but the cap on detected pins left out. */
  readonly unpinned: readonly Pin[];
}

/**
 * Reads the rules of a whole thread. Those in force and those that were lifted come from its log; those that are
 * doubtful or found no room come from running the detector on its messages. Linear in the length of the thread.
 *
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` when part of the thread is not in memory.
 */
export function threadRules(thread: AgentThread): ThreadRules {
  const live = new Map<PinId, LiveRule>();
  const lifted: LiftedRule[] = [];
  const settled = new Set<string>();
  const answered = new Set<string>();
  const candidates = new Map<PinId, RuleCandidate>();
  const unpinned = new Map<string, Pin>();
  const asked = new AskedQuestions();
  let version = 0;
  for (const entry of thread.entries) {
    version++;
    if (entry.type === "message") {
      const pins = (): readonly Pin[] => [...live.values()].map(({ pin }) => pin);
      const said = saidRules(entry.message, pins, asked.answeredBy(entry.message));
      for (const candidate of said.candidates) candidates.set(candidate.id, candidate);
      for (const pin of said.made) unpinned.set(ruleKey(pin), pin);
      for (const { pin } of said.lifted) unpinned.delete(ruleKey(pin));
    } else if (entry.type === "pin") {
      const since = sinceOf(entry.pin, thread);
      live.set(entry.pin.id, { pin: entry.pin, sinceVersion: version, since });
      settled.add(ruleKey(entry.pin));
    } else {
      const rule = live.get(entry.pinId);
      live.delete(entry.pinId);
      if (entry.source !== undefined) answered.add(placeOf(entry.source));
      if (rule === undefined) continue;
      const { pin } = rule;
      if (entry.why === "no-room") unpinned.set(ruleKey(pin), pin);
      else unpinned.delete(ruleKey(pin));
      if (entry.why === "no-room" || entry.why === "not-a-rule") continue;
      const { reason, authority, source = null } = entry;
      lifted.push({ pin, reason, authority, atVersion: version, source });
    }
  }
  for (const { pin } of live.values()) unpinned.delete(ruleKey(pin));
  return {
    live: [...live.values()],
    lifted,
    candidates: [...candidates.values()].filter(
      (candidate) => !settled.has(ruleKey(candidate)) && !answered.has(placeOf(candidate.source)),
    ),
    unpinned: [...unpinned.values()],
  };
}

/** Returns the pins of a thread that are no longer in force, and that nothing may assert any more. */
export function liftedPins(thread: AgentThread): readonly Pin[] {
  const made = new Map<PinId, Pin>();
  const lifted = new Map<PinId, Pin>();
  for (const { entry } of thread.pinEntries()) {
    if (entry.type === "pin") {
      made.set(entry.pin.id, entry.pin);
      lifted.delete(entry.pin.id);
    }
    const pin = entry.type === "pin-lifted" && entry.why !== "no-room" ? made.get(entry.pinId) : undefined;
    if (pin !== undefined) lifted.set(pin.id, pin);
  }
  if (lifted.size === 0) return [];
  const holding = new Set(thread.livePins.map(ruleKey));
  return [...lifted.values()].filter((pin) => !holding.has(ruleKey(pin)));
}

/** The pins that, at a version of a thread, are lifted for lack of room: their rules exist only in messages. */
export interface UnpinnedRules {
  readonly version: number;
  readonly rules: readonly Pin[];
  /** The same rules by their words, so that what is new can be compared with them. */
  readonly byKey: ReadonlyMap<string, Pin>;
  /** Every pin made up to that version, by id. */
  readonly made: ReadonlyMap<PinId, Pin>;
}

/** Finds the rules that are not pinned. Given an earlier result for the same thread, looks only at newer entries. */
export function unpinnedRules(thread: AgentThread, before?: UnpinnedRules): UnpinnedRules {
  if (before?.version === thread.version) return before;
  const entries =
    before === undefined
      ? [...thread.pinEntries()].map(({ entry }) => entry)
      : thread.entriesBetween(before.version).filter(({ type }) => type !== "message");
  if (before !== undefined && entries.length === 0) return { ...before, version: thread.version };
  const made = new Map(before?.made);
  const left = new Map(before?.byKey);
  for (const entry of entries) {
    if (entry.type === "message") continue;
    const pin = entry.type === "pin" ? entry.pin : made.get(entry.pinId);
    if (pin === undefined) continue;
    made.set(pin.id, pin);
    if (entry.type === "pin-lifted" && entry.why === "no-room") left.set(ruleKey(pin), pin);
    else left.delete(ruleKey(pin));
  }
  return { version: thread.version, rules: [...left.values()], byKey: left, made };
}

const sinceOf = ({ source }: Pin, thread: AgentThread): string | null =>
  source === undefined ? null : (thread.message(source.messageId)?.createdAt ?? null);

const placeOf = ({ messageId, start }: PinSource): string => `${messageId}\n${start}`;
