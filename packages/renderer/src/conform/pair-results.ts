import {
  type GroupedThread,
  groupMessages,
  type MessageHeader,
  type OpaquePart,
  type Part,
  type TokenLedger,
  type ToolCallId,
  type ToolCallPart,
} from "@threadfold/core";
import type { FormatRequirements, OpaquePair } from "../capabilities/format-requirements.ts";
import { derivation } from "../input/derivation.ts";
import { answersOf, callsOf, type Draft, withParts } from "../neutral/draft.ts";
import type { LeftOutReason } from "../warnings/render-warning.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";
import { type SharedReasoning, sharedReasoning, tieOf, withoutField } from "./parts/reasoning.ts";
import { pairItems, pairKey } from "./provider-items.ts";

/** Body of the placeholder for a result that the log does not have. */
const NO_RESULT = "[no result was recorded]";

/**
 * Answers calls that the log leaves open (aborted, in flight) with a marked failure, so that pairs are complete (A10,
 * W1, W7).
 */
export const answerOpenCalls: Repair = {
  name: "answer-open-calls",
  apply(request, { warnings }) {
    const drafts: Draft[] = [];
    let next = 0;
    for (const draft of request.drafts) {
      if (draft.chat.role === "tool") continue;
      next = request.drafts.indexOf(draft, next) + 1;
      drafts.push(draft);
      if (draft.chat.role !== "assistant") continue;
      for (const part of draft.chat.parts) {
        if (part.type !== "tool-call") continue;
        const result = request.drafts[next];
        const answered = result !== undefined && answersOf(result) === part.callId;
        if (answered) next++;
        else warnings.add("call-unanswered", draft.chat.sources);
        drafts.push(answered ? result : missingResult(part, draft));
      }
    }
    return drafts.length === request.drafts.length ? request : withDrafts(request, drafts);
  },
};

function missingResult(call: ToolCallPart, { ordinal }: Draft): Draft {
  const chat = { role: "tool", parts: missingParts(call, null), sources: [], synthetic: "missing-result" } as const;
  return { chat, action: "missing-result", share: "overhead", record: null, message: null, ordinal };
}

const missingParts = derivation(({ callId, toolName }: ToolCallPart, _key: null): readonly Part[] => {
  const content = { type: "text", text: NO_RESULT } as const;
  return [{ type: "tool-result", result: { toolName, callId, outcome: "failure", content } }];
});

/** Puts every result directly after its call, in the order of the calls, whatever was in between (G2, W3, W4, W6). */
export const moveResultsToCalls: Repair = {
  name: "move-results-to-calls",
  apply(request, { input, warnings }) {
    const pairing = pairResults(request.drafts, input.ledger);
    if (pairing === null) return request;
    const drafts = request.drafts.flatMap((draft) =>
      draft.chat.role === "tool" ? [] : [draft, ...pairing.resultsOf(draft)],
    );
    for (const { chat } of movedResults(request.drafts, drafts)) warnings.add("result-moved", chat.sources);
    return withDrafts(request, drafts);
  },
};

/**
 * Returns the results that now follow a different message than before. Messages that rendering inserted do not count.
 */
function movedResults(before: readonly Draft[], after: readonly Draft[]): readonly Draft[] {
  const logged = (drafts: readonly Draft[]): readonly Draft[] => drafts.filter(({ message }) => message !== null);
  const previous = new Map(logged(before).map((draft, index, all) => [draft, all[index - 1]]));
  return logged(after).filter(
    (draft, index, all) => draft.chat.role === "tool" && previous.get(draft) !== all[index - 1],
  );
}

/**
 * Leaves out results that answer no shown call: orphans, second results for one call, results for an id that is open
 * twice, and results whose call was folded away (A8, A10, L25, W2, W5). The log keeps them.
 */
export const leaveOutStrayResults: Repair = {
  name: "leave-out-stray-results",
  apply(request, { input, warnings }) {
    const pairing = pairResults(request.drafts, input.ledger);
    if (pairing === null) return request;
    const drafts = mapDrafts(request.drafts, (draft) => {
      const reason = pairing.strayReason(draft);
      if (reason === undefined) return draft;
      warnings.leaveOut("result-left-out", reason, draft.chat.sources);
      return null;
    });
    return withDrafts(request, drafts);
  },
};

/**
 * Moves a provider item's call, and its reasoning (W16), to its answer if other messages came between them (W1, W2). A
 * request in between was made without the call, so the prefix that it sent stays unchanged. Only a call that cannot do
 * without reasoning that was sent before changes that prefix: it is shown where its reasoning is.
 */
export const moveCallsToLateAnswers: Repair = {
  name: "move-calls-to-late-answers",
  apply(request, { requirements, warnings }) {
    const { opaquePairs = [], opaquePairsInLoop } = requirements;
    if (opaquePairs.length === 0 || opaquePairsInLoop === true) return request;
    const late = lateCalls(request.drafts, requirements);
    if (late.length === 0) return request;
    const { shownAt, moved } = movesOf(late, request.drafts, requirements);
    const drafts = mapDrafts(request.drafts, (draft) => {
      const { parts, sources } = draft.chat;
      const isLeft = parts.some((part) => moved.has(part));
      if (isLeft) warnings.add("call-moved", sources);
      if (!isLeft && !parts.some((part) => shownAt.has(part))) return draft;
      const shown = parts.flatMap((part) => (moved.has(part) ? [] : [...(shownAt.get(part) ?? []), part]));
      return shown.length === 0 ? null : withParts(draft, shown);
    });
    return withDrafts(request, drafts);
  },
};

/** A call among a provider's items that was answered late. */
interface LateCall {
  readonly call: OpaquePart;
  readonly answer: Part;
  /** The message that has the answer. */
  readonly answeredIn: Draft;
}

/**
 * Returns the calls, in the order of their answers, with more in between than calls of the same message and their
 * answers.
 */
function lateCalls(drafts: readonly Draft[], requirements: FormatRequirements): readonly LateCall[] {
  const { opaquePairs = [] } = requirements;
  const { callOf } = pairItems(
    drafts.map(({ chat }) => chat),
    requirements,
  );
  if (callOf.size === 0) return [];
  const places = placesOf(drafts, opaquePairs);
  return [...callOf].flatMap(([answer, call]): readonly LateCall[] => {
    const [from, to] = [places.get(call) as Place, places.get(answer) as Place];
    const mayBeLate = from.index !== to.index && pairKey(call, opaquePairs)?.mayBeOpen !== true;
    if (call.type !== "opaque" || !mayBeLate || (from.endsInCalls && to.spokenIn <= from.index)) return [];
    return [{ call, answer, answeredIn: drafts[to.index] as Draft }];
  });
}

interface Place {
  /** Index of the message. */
  readonly index: number;
  /** True when only calls come after it in its message. */
  readonly endsInCalls: boolean;
  /** Index of the message with the last part before it that is no answer. */
  readonly spokenIn: number;
}

function placesOf(drafts: readonly Draft[], pairs: readonly OpaquePair[]): ReadonlyMap<Part, Place> {
  const isCall = (part: Part): boolean => part.type === "tool-call" || pairKey(part, pairs)?.isCall === true;
  const isAnswer = (part: Part): boolean => part.type === "tool-result" || pairKey(part, pairs)?.isCall === false;
  const places = new Map<Part, Place>();
  let spokenIn = -1;
  for (const [index, { chat }] of drafts.entries()) {
    const end = chat.parts.findLastIndex((part) => !isCall(part));
    for (const [at, part] of chat.parts.entries()) {
      places.set(part, { index, endsInCalls: at > end, spokenIn });
      if (!isAnswer(part)) spokenIn = index;
    }
  }
  return places;
}

interface Moves {
  /** What is shown before an answer. */
  readonly shownAt: Map<Part, readonly Part[]>;
  /** What is no longer shown where the log has it. */
  readonly moved: Set<Part>;
}

function movesOf(late: readonly LateCall[], drafts: readonly Draft[], requirements: FormatRequirements): Moves {
  const moves: Moves = { shownAt: new Map(), moved: new Set() };
  const calls = new Set<Part>(late.map(({ call }) => call));
  const sharedBy = new Map<Part, SharedReasoning>();
  for (const { chat } of drafts) {
    if (!chat.parts.some((part) => calls.has(part))) continue;
    for (const shared of sharedReasoning(chat.parts)) for (const part of shared.behind) sharedBy.set(part, shared);
  }
  for (const [shared, own] of Map.groupBy(late, ({ call }) => sharedBy.get(call)))
    if (shared !== undefined) addMoves(moves, shared, own, requirements);
  return moves;
}

/**
 * Adds what moves of the parts that share their reasoning. The reasoning moves only if all of them do. Calls that do not
 * move with it move without what ties them to it; those that cannot do without it stay with reasoning that stays.
 */
function addMoves(
  { shownAt, moved }: Moves,
  { reasoning, behind }: SharedReasoning,
  own: readonly LateCall[],
  { opaqueReasoned }: FormatRequirements,
): void {
  const tie = ({ call }: LateCall) =>
    opaqueReasoned === undefined || reasoning.length === 0 ? undefined : tieOf(call, opaqueReasoned);
  const stays = own.length < behind.length;
  const along = stays || reasoning.length === 0 ? [] : callsAlong(own, behind, tie);
  const [first] = along;
  const moving = new Set<Part>(along.map(({ call }) => call));
  if (first !== undefined) {
    const calls = behind.filter((part) => moving.has(part));
    shownAt.set(first.answer, [...reasoning, ...calls]);
    for (const part of [...reasoning, ...calls]) moved.add(part);
  }
  for (const one of own) {
    const tied = tie(one);
    if (moving.has(one.call) || tied === "required") continue;
    const isFree = tied === undefined || opaqueReasoned === undefined;
    shownAt.set(one.answer, [isFree ? one.call : withoutField(one.call, opaqueReasoned.field)]);
    moved.add(one.call);
  }
}

/**
 * Returns the calls that reasoning moves with, in the order of their answers: the one that is answered first, and all
 * that are tied to it up to the last one that cannot do without it.
 */
function callsAlong(
  own: readonly LateCall[],
  behind: readonly Part[],
  tie: (one: LateCall) => ReturnType<typeof tieOf>,
): readonly LateCall[] {
  const together = own.filter(({ answeredIn }) => answeredIn === own[0]?.answeredIn);
  const calls = new Set<Part>(together.map(({ call }) => call));
  const first = behind.find((part) => calls.has(part));
  const end = own.findLastIndex((one) => tie(one) === "required");
  return own.filter((one, index) => one.call === first || (index <= end && tie(one) !== undefined));
}

/** Which results answer which calls among the messages that are shown. */
interface Pairing {
  /** Returns the results of a calling message, in the order of its calls; empty when it makes no call. */
  resultsOf(caller: Draft): readonly Draft[];
  /** Returns why a result answers nothing; undefined when it answers a call. */
  strayReason(result: Draft): LeftOutReason["result-left-out"] | undefined;
}

/**
 * Pairs the shown messages by core's grouping rules; null when every result is already in place: directly after its
 * call, in the order of the calls. Calls may stay open, as long as no later call has their id.
 */
function pairResults(drafts: readonly Draft[], ledger: TokenLedger): Pairing | null {
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
  /** Keyed by ordinal of the calling message, then by call id; oldest first. */
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
      if (callId === undefined || this.#strays.has(draft.ordinal)) continue;
      // A provider's own item may replace only a part of the message: then the log has the result's call but it is not
      // shown.
      if (caller === undefined || !caller.calls.has(callId)) {
        this.#strays.set(draft.ordinal, "no-call");
        continue;
      }
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

  /**
   * Core reports a result for an id that is open twice as an orphan; here the difference is worth reporting. What is
   * reported behind a result came after it.
   */
  #noteStrays({ issues }: GroupedThread): void {
    const ambiguous = new Set<ToolCallId>();
    for (const { kind, ordinal, callId } of issues) {
      if (kind === "ambiguous-call") ambiguous.add(callId);
      else if (kind === "duplicate-result") this.#strays.set(ordinal, "answered-already");
      else this.#strays.set(ordinal, ambiguous.has(callId) ? "ambiguous-call" : "no-call");
    }
  }
}

function callersByGroup(shown: readonly Draft[], { groupOf }: GroupedThread) {
  const callers = shown.map((draft) => ({ ordinal: draft.ordinal, calls: new Set(callsOf(draft)) }));
  const calling = callers.filter(({ calls }) => calls.size > 0);
  return new Map(calling.map((caller) => [groupOf[caller.ordinal] as number, caller]));
}
