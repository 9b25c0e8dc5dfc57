import { requestTokens, unreported } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_PAST } from "../journal/session-past.ts";
import {
  afterDeclined,
  afterReading,
  afterRefused,
  afterRequest,
  afterSwitch,
  afterUnmeasured,
  afterUsage,
  emptyMemory,
  type MemoryState,
  usageOf,
} from "./memory-state.ts";

const OTHER = unreported(1.3);
const tokens = fc.integer({ min: 1, max: 200_000 });
/** Everything that may happen between two folds, as what it makes of a state. */
const happenings: fc.Arbitrary<(state: MemoryState) => MemoryState> = fc.oneof(
  fc.tuple(tokens, fc.nat(1e9)).map(([sent, now]) => (state: MemoryState) => {
    return afterRequest(state, { planVersion: 0, counted: sent }, now);
  }),
  fc.tuple(tokens, fc.constantFrom("end", "max-output", "error", "aborted")).map(([inputTokens, stopReason]) => {
    return (state: MemoryState) =>
      afterUsage(state, { report: { inputTokens, stopReason }, shownTokens: undefined }).state;
  }),
  fc
    .constantFrom("end", "max-output", "error", "aborted")
    .map((stopReason) => (state: MemoryState) => afterUnmeasured(state, stopReason)),
  tokens.map((room) => (state: MemoryState) => afterRefused(state, {}, room).state),
  fc.constant(afterDeclined),
  fc.constant((state: MemoryState) => afterSwitch(state, "another", OTHER)),
);
const histories = fc.array(happenings, { maxLength: 30 });

const remembered = (history: readonly ((state: MemoryState) => MemoryState)[]): MemoryState =>
  history.reduce((state, happens) => happens(frozen(state)), emptyMemory());

/** A state that throws when somebody writes to it. */
function frozen(state: MemoryState): MemoryState {
  for (const value of Object.values(state)) Object.freeze(value);
  return Object.freeze(state);
}

describe("the memory of a session", () => {
  it("is a value: the same events make the same state, and no state is changed in place", () => {
    fc.assert(
      fc.property(histories, (history) => {
        expect(remembered(history)).toEqual(remembered(history));
      }),
      runs(300),
    );
  });

  it("L19 the first of several refusals asks for a fold, and another one does only after an answer", () => {
    fc.assert(
      fc.property(histories, tokens, fc.boolean(), (history, sent, isAnswered) => {
        const answered = afterUnmeasured(remembered(history), "end");
        const refused = afterRefused(afterRequest(answered, { planVersion: 0, counted: sent }, 1), {}, 1_000_000).state;
        expect(usageOf(refused).overflow).toBe("pending");
        const { estimate } = usageOf(answered);
        expect(refused.limit.tokens).toBeLessThan(Math.max(2, requestTokens(estimate, sent)));
        const folded = afterDeclined(refused);
        const next = afterRefused(isAnswered ? afterUnmeasured(folded, "end") : folded, {}, 1_000_000).state;
        expect(usageOf(next).overflow).toBe(isAnswered ? "pending" : "exhausted");
      }),
      runs(200),
    );
  });

  it("keeps newer events when an earlier session's journal is read late, and takes over its last fold", () => {
    const usage = { ...NO_PAST.usage, sent: { planVersion: 3, counted: 7 } };
    const read = { ...NO_PAST, attempt: { ...ATTEMPT }, usage, requestedAt: 5 };
    expect(afterReading(emptyMemory(), read).past).toEqual(read);
    const happened = afterRequest(emptyMemory(), { planVersion: 4, counted: 9 }, 6);
    const { past } = afterReading(happened, read);
    expect(past?.attempt).toEqual(ATTEMPT);
    expect(past?.requestedAt).toBe(6);
    expect(past?.usage.sent).toEqual({ planVersion: 4, counted: 9 });
  });
});

const ATTEMPT = {
  type: "fold-attempted",
  outcome: "no-op",
  threadVersion: 1,
  planVersion: 0,
  step: 1,
  failures: 1,
  postponedSince: null,
  notBefore: 0,
} as const;
