import { describe, expect, it } from "vitest";
import { asMessageId } from "../model/ids.ts";
import {
  knownRunsOf,
  outlinedSpan,
  placeIds,
  runsOfSpan,
  type SpanReference,
  spanContains,
  spanEnd,
  spanIdsInMemory,
  spanLength,
  spanOf,
  spanReferenceSchema,
  spanStart,
} from "./span-reference.ts";

const at = (id: string, turn: number) => ({ id: asMessageId(id), turn });

describe("spanOf", () => {
  it("spec-15 spec-19 spec-20 names messages by their ids in order, and turns for display", () => {
    const span = spanOf([at("a", 1), at("b", 2), at("c", 4)]);
    expect(span).toEqual({ messageIds: ["a", "b", "c"], firstTurn: 1, lastTurn: 4 });
    expect([spanStart(span), spanEnd(span)]).toEqual(["a", "c"]);
    expect(spanReferenceSchema.parse(span)).toEqual(span);
    expect([spanContains(span, asMessageId("b")), spanContains(span, asMessageId("d"))]).toEqual([true, false]);
  });

  it("spec-16 refuses to be empty", () => {
    expect(() => spanOf([])).toThrow(new RangeError("A span holds at least one message."));
    expect(spanReferenceSchema.safeParse({ messageIds: [], firstTurn: 0, lastTurn: 0 }).success).toBe(false);
  });
});

describe("runsOfSpan", () => {
  const ordinalOf = (id: string): number | undefined => {
    const ordinal = "abcdefgh".indexOf(id);
    return ordinal < 0 ? undefined : ordinal;
  };
  const over = (...ids: readonly string[]): SpanReference => spanOf(ids.map((id) => at(id, 1)));

  it("gives contiguous runs", () => {
    expect(runsOfSpan(over("c"), ordinalOf)).toEqual([{ from: 2, to: 2 }]);
    expect(runsOfSpan(over("a", "b", "d", "f", "g"), ordinalOf)).toEqual([
      { from: 0, to: 1 },
      { from: 3, to: 3 },
      { from: 5, to: 6 },
    ]);
  });

  it("is undefined for messages that are unknown or out of order", () => {
    for (const span of [over("a", "x"), over("x"), over("b", "a"), over("a", "a"), over("a", "b", "b")])
      expect(runsOfSpan(span, ordinalOf)).toBeUndefined();
  });

  it("is looked up once per id list, and verified again for another thread", () => {
    const span = over("b", "c", "e");
    expect(knownRunsOf(span)).toBeUndefined();
    const runs = runsOfSpan(span, ordinalOf);
    expect(knownRunsOf({ ...span })).toBe(runs);
    const asked: string[] = [];
    const again = runsOfSpan(span, (id) => {
      asked.push(id);
      return ordinalOf(id);
    });
    expect([again, asked]).toEqual([runs, ["b", "e"]]);
    for (const other of ["b", "e"])
      expect(runsOfSpan(span, (id) => (id === other ? 7 : ordinalOf(id)))).toBeUndefined();
  });

  it("is known for an id list with given positions", () => {
    const span = over("f", "g");
    const runs = [{ from: 5, to: 6 }];
    placeIds(span.messageIds, runs);
    expect([knownRunsOf(span), runsOfSpan(span, ordinalOf)]).toEqual([runs, runs]);
  });
});

describe("spanIdsInMemory", () => {
  it("gives all ids, or the first and last of an outlined span", () => {
    const whole = spanOf([at("a", 1), at("b", 2), at("c", 4)]);
    expect([spanIdsInMemory(whole), spanLength(whole)]).toEqual([["a", "b", "c"], 3]);
    const runs = [{ fromVersion: 1, toVersion: 9, fromOrdinal: 0, toOrdinal: 8 }];
    const outlined = outlinedSpan(whole, { first: asMessageId("a"), last: asMessageId("i"), count: 9, runs });
    expect([spanIdsInMemory(outlined), spanLength(outlined)]).toEqual([["a", "i"], 9]);
    expect([spanStart(outlined), spanEnd(outlined), outlined.firstTurn, outlined.lastTurn]).toEqual(["a", "i", 1, 4]);
    expect(() => outlined.messageIds).toThrow(expect.objectContaining({ code: "HISTORY_NOT_LOADED" }));
  });
});
