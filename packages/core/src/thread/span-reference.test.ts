import { describe, expect, it } from "vitest";
import { asMessageId } from "../model/ids.ts";
import { spanContains, spanEnd, spanOf, spanReferenceSchema, spanStart } from "./span-reference.ts";

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
    expect(() => spanOf([])).toThrow(RangeError);
    expect(spanReferenceSchema.safeParse({ messageIds: [], firstTurn: 0, lastTurn: 0 }).success).toBe(false);
  });
});
