import { detectConstraints, type Message, needCandidates } from "@threadfold/core";
import { pieceText } from "../policy/prompt-policy.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";
import { PatternScanner, SHORTEST_PATTERN } from "./pattern-scanner.ts";

/** Something that a recorded call used and that had been mentioned before. */
export interface Need {
  /** Its index in `SessionNeeds.patterns`. */
  readonly pattern: number;
  /** How many model calls ago it was last seen, in any message. */
  readonly age: number;
  /** True when it was last seen more than {@link COLD_AFTER_CALLS} calls ago. */
  readonly cold: boolean;
}

/** The needs of a session's calls, and the texts to look for in prompts. */
export interface SessionNeeds {
  /** Texts to look for: needs, followed by standing constraints. */
  readonly patterns: readonly string[];
  readonly scanner: PatternScanner;
  /** The needs of each call. */
  readonly byCall: readonly (readonly Need[])[];
  /** The standing constraints stated before each call, as patterns. */
  readonly constraintsByCall: readonly (readonly number[])[];
}

/** Number of model calls within which a need that was seen does not test memory. */
export const COLD_AFTER_CALLS = 10;
/** Texts in a larger share of the session's messages say nothing about any of them. */
const COMMON_SHARE = 0.3;
const MOST_NEEDS_PER_CALL = 40;

/** Finds what each recorded call of a session used of what had been mentioned before (`targets.md`, need). */
export function sessionNeeds(session: RecordedSession): SessionNeeds {
  const candidates = session.calls.map(({ answer }) => needCandidates(answer));
  const constraints = session.messages.flatMap((message) =>
    detectConstraints(message)
      .filter(({ text }) => text.length >= SHORTEST_PATTERN)
      .map(({ text }) => ({ text, ordinal: message.ordinal })),
  );
  const patterns = [...new Set([...candidates.flat(), ...constraints.map(({ text }) => text)])];
  const idOf = new Map(patterns.map((pattern, id) => [pattern, id]));
  const scanner = new PatternScanner(patterns);
  const places = placesOf(session.messages, scanner, patterns.length);
  const seenBefore = callsBefore(session);
  const most = COMMON_SHARE * session.messages.length;
  return {
    patterns,
    scanner,
    byCall: session.calls.map((call, index) => {
      const end = (call.answer[0] as Message).ordinal;
      const needs = (candidates[index] ?? []).flatMap((candidate): readonly RankedNeed[] => {
        const pattern = idOf.get(candidate) as number;
        const all = places[pattern] as readonly number[];
        const earlier = all.filter((ordinal) => ordinal < end);
        const wasGiven = earlier.some((ordinal) => isGiven(session.messages[ordinal] as Message));
        if (!wasGiven || all.length > most) return [];
        const age = call.index - (seenBefore[earlier.at(-1) as number] as number);
        return [{ pattern, age, cold: age > COLD_AFTER_CALLS, messages: all.length }];
      });
      return rarest(needs);
    }),
    constraintsByCall: session.calls.map(({ answer }) => {
      const end = (answer[0] as Message).ordinal;
      return [
        ...new Set(constraints.filter(({ ordinal }) => ordinal < end).map(({ text }) => idOf.get(text) as number)),
      ];
    }),
  };
}

interface RankedNeed extends Need {
  readonly messages: number;
}

/** Checks whether a message was given to the agent, by users or tools; a summary that another tool wrote was not. */
const isGiven = ({ role, origin }: Message): boolean => (role === "user" || role === "tool") && origin !== "compaction";

/** Returns, for each pattern, the ordinals of the messages that contain it, ascending. */
function placesOf(
  messages: readonly Message[],
  scanner: PatternScanner,
  count: number,
): readonly (readonly number[])[] {
  const places: number[][] = Array.from({ length: count }, () => []);
  for (const message of messages)
    for (const pattern of scanner.scan(pieceText(message))) places[pattern]?.push(message.ordinal);
  return places;
}

/** Returns, for each message, the first call whose prompt may contain it. */
function callsBefore({ messages, calls }: RecordedSession): readonly number[] {
  const first = new Array<number>(messages.length).fill(calls.length);
  for (const call of calls) for (const { ordinal } of call.added) first[ordinal] = call.index;
  return first;
}

function rarest(needs: readonly RankedNeed[]): readonly Need[] {
  const ranked = [...needs].sort((a, b) => a.messages - b.messages || a.pattern - b.pattern);
  return ranked.slice(0, MOST_NEEDS_PER_CALL).map(({ pattern, age, cold }) => ({ pattern, age, cold }));
}
