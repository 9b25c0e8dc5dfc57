import { describe, expect, it } from "vitest";
import { smallIndex } from "../testing/small-index.ts";
import { messagesAt } from "./messages-at.ts";
import { lastShownPlan, trailOf } from "./trail.ts";

/** Message 0 is cleared by plan 2, shown again by plan 3, and summarized with message 1 by plan 4. */
const index = smallIndex(
  [
    { shared: 0, own: [["include", 0, 0, -1, 10]], messages: 1, plan: 0 },
    {
      shared: 0,
      own: [
        ["clear", 0, 0, 0, 2],
        ["include", 1, 1, -1, 10],
      ],
      messages: 2,
      plan: 2,
    },
    {
      shared: 0,
      own: [
        ["include", 0, 0, -1, 10],
        ["include", 1, 1, -1, 10],
      ],
      messages: 2,
      plan: 3,
    },
    {
      shared: 0,
      own: [
        ["summarize", 0, 1, 1, 5],
        ["include", 2, 2, -1, 10],
      ],
      messages: 3,
      plan: 4,
    },
  ],
  [
    { action: "clear", fromPlan: 2, toPlan: 2, runs: [0, 0] },
    { action: "summarize", fromPlan: 4, toPlan: 4, runs: [0, 1] },
  ],
);

describe("the trail of a message", () => {
  it("says what each plan did with it, and from which call on", () => {
    const steps = trailOf(index, 0).map(({ action, plan, call, tokens }) => [action, plan, call, tokens]);
    expect(steps).toEqual([
      ["include", 0, 0, 10],
      ["clear", 2, 1, 2],
      ["include", 3, 2, 10],
      ["summarize", 4, 3, 5],
    ]);
    expect(trailOf(index, 2).map(({ action, call }) => [action, call])).toEqual([["include", 3]]);
  });

  it("knows the newest plan that showed it", () => {
    expect([0, 1, 2].map((ordinal) => lastShownPlan(index, ordinal))).toEqual([3, 3, 4]);
  });
});

it("messagesAt says what a call did with each message, and where it stands", () => {
  const at = (call: number) => {
    const view = messagesAt(index, call);
    return Array.from({ length: view.length }, (_, one) => `${view.actionOf(one)} ${view.positionOf(one)}`);
  };
  expect([0, 1, 2, 3].map(at)).toEqual([
    ["include 0"],
    ["clear 0", "include 1"],
    ["include 0", "include 1"],
    ["summarize 0", "summarize 0", "include 1"],
  ]);
});
