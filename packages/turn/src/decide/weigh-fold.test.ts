import { asMessageId, asThreadId, type CompactionPlan, type DropRecord, emptyPlan } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { firstEdit } from "./weigh-fold.ts";

const ordinalOf = (id: string): number | undefined => (id.startsWith("m") ? Number(id.slice(1)) : undefined);

const dropOf = (ids: readonly string[], reason = "to make room"): DropRecord => ({
  action: "drop",
  span: { messageIds: ids.map(asMessageId), firstTurn: 0, lastTurn: 0 },
  strategy: "drop",
  reason,
  sincePlanVersion: 1,
  originalTokens: 10,
  keywords: [],
});

const planOf = (...drops: readonly DropRecord[]): CompactionPlan => ({
  ...emptyPlan(asThreadId("thread"), "policy"),
  drops,
});

describe("firstEdit", () => {
  it.each<[string, CompactionPlan, CompactionPlan, number | null]>([
    ["nothing is folded", planOf(), planOf(), null],
    ["a record was copied", planOf(dropOf(["m1", "m2"])), planOf(dropOf(["m1", "m2"])), null],
    ["the first fold", planOf(), planOf(dropOf(["m4", "m3"])), 3],
    ["a message behind is folded, too", planOf(dropOf(["m1"])), planOf(dropOf(["m1"]), dropOf(["m7"])), 7],
    ["a message is shown again", planOf(dropOf(["m2"]), dropOf(["m5"])), planOf(dropOf(["m5"])), 2],
    [
      "a record says something else",
      planOf(dropOf(["m1"]), dropOf(["m6"])),
      planOf(dropOf(["m1"]), dropOf(["m6"], "now")),
      6,
    ],
    ["one record took the place of two", planOf(dropOf(["m1"]), dropOf(["m2"])), planOf(dropOf(["m1", "m2"])), 1],
    ["the thread does not know the message", planOf(), planOf(dropOf(["x1"])), null],
  ])("%s", (_, before, after, expected) => {
    expect(firstEdit(before, after, ordinalOf)).toBe(expected);
  });
});
