import { type GroupedThread, groupMessages, type MessageHeader, type TokenLedger } from "@threadfold/core";
import { derivation } from "../neutral/derivation.ts";
import { answersOf, callsOf, type Draft } from "../neutral/draft.ts";
import type { LeftOutReason } from "../warnings/render-warning.ts";

/** Which results answer which calls among the messages that are shown. */
export interface Pairing {
  /** The results of a calling message, in the order of its calls; empty when it makes no call. */
  resultsOf(caller: Draft): readonly Draft[];
  /** Why a result answers nothing; undefined when it answers a call. */
  strayReason(result: Draft): LeftOutReason["result-left-out"] | undefined;
}

/**
 * Pairs the shown messages by core's grouping rules; null when every result stands in place already: directly behind its
 * call, in the order of the calls. Calls may stay open, as long as no later call has their id.
 */
export function pairResults(drafts: readonly Draft[], ledger: TokenLedger): Pairing | null {
  return pairing(drafts, ledger);
}

const pairing = derivation((drafts: readonly Draft[], ledger: TokenLedger): Pairing | null =>
  isRegular(drafts) ? null : new GroupedPairing(drafts, ledger),
);

function isRegular(drafts: readonly Draft[]): boolean {
  const open = new Set<string>();
  for (let index = 0; index < drafts.length; index++) {
    const draft = drafts[index] as Draft;
    if (draft.chat.role === "tool") return false;
    for (const call of callsOf(draft)) {
      if (open.has(call)) return false;
      const next = drafts[index + 1];
      if (next !== undefined && answersOf(next) === call) index++;
      else open.add(call);
    }
  }
  return true;
}

class GroupedPairing implements Pairing {
  /** By ordinal of the calling message and by call id, oldest first. */
  readonly #results = new Map<number, Map<string, Draft[]>>();
  readonly #strays = new Map<number, LeftOutReason["result-left-out"]>();

  constructor(drafts: readonly Draft[], ledger: TokenLedger) {
    const shown = drafts.filter(({ message }) => message !== null);
    const grouped = groupMessages(shown.map(({ ordinal }) => ledger.header(ordinal) as MessageHeader));
    this.#noteStrays(grouped);
    const callers = callersByGroup(shown, grouped);
    for (const draft of shown) {
      const callId = answersOf(draft);
      const caller = callers.get(grouped.groupOf[draft.ordinal] as number);
      if (callId === undefined || caller === undefined || this.#strays.has(draft.ordinal)) continue;
      const results = this.#resultsAt(caller.ordinal);
      const same = results.get(callId);
      if (same === undefined) results.set(callId, [draft]);
      else same.push(draft);
    }
  }

  resultsOf(caller: Draft): readonly Draft[] {
    const results = caller.message === null ? undefined : this.#results.get(caller.ordinal);
    if (results === undefined) return [];
    const taken = new Map<string, number>();
    return callsOf(caller).flatMap((callId) => {
      const place = taken.get(callId) ?? 0;
      taken.set(callId, place + 1);
      return results.get(callId)?.[place] ?? [];
    });
  }

  strayReason({ chat, ordinal }: Draft): LeftOutReason["result-left-out"] | undefined {
    return chat.role === "tool" ? this.#strays.get(ordinal) : undefined;
  }

  #resultsAt(ordinal: number): Map<string, Draft[]> {
    const known = this.#results.get(ordinal) ?? new Map<string, Draft[]>();
    this.#results.set(ordinal, known);
    return known;
  }

  /** Core reports a result for an id that is open twice as an orphan; here the difference is worth a word. */
  #noteStrays({ groups, issues }: GroupedThread): void {
    const ambiguous = new Set(issues.filter(({ kind }) => kind === "ambiguous-call").map(({ callId }) => callId));
    const duplicates = new Set(issues.filter(({ kind }) => kind === "duplicate-result").map(({ ordinal }) => ordinal));
    const callIds = new Map(issues.map(({ ordinal, callId }) => [ordinal, callId]));
    for (const ordinal of groups.flatMap(({ strays }) => strays)) {
      const callId = callIds.get(ordinal);
      const isAmbiguous = callId !== undefined && ambiguous.has(callId);
      this.#strays.set(
        ordinal,
        duplicates.has(ordinal) ? "answered-already" : isAmbiguous ? "ambiguous-call" : "no-call",
      );
    }
  }
}

function callersByGroup(shown: readonly Draft[], { groupOf }: GroupedThread): ReadonlyMap<number, Draft> {
  const callers = shown.filter((draft) => callsOf(draft).length > 0);
  return new Map(callers.map((draft) => [groupOf[draft.ordinal] as number, draft]));
}
