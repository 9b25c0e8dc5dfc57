import { asMessageId, asPinId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { describeNativeDifference, type NativeDifference } from "./native-edits.ts";

const messageIds = [asMessageId("m1")];
const ALL: readonly NativeDifference[] = [
  { kind: "left-to-rendering", action: "drop", reason: "no-such-edit", messageIds },
  { kind: "cleared-too", messageIds },
  { kind: "key-data-lost", messageIds },
  { kind: "summary-by-provider", messageIds },
  { kind: "summarized-too", messageIds },
  { kind: "pins-at-risk", told: true, pinIds: [asPinId("p")] },
  { kind: "not-due", tokens: 1, threshold: 2 },
  { kind: "threshold-raised", asked: 1, threshold: 2 },
  { kind: "edited-out-of-sight" },
];

describe("describeNativeDifference", () => {
  it("says every kind in a line of its own", () => {
    const lines = ALL.map(describeNativeDifference);
    expect(new Set(lines).size).toBe(ALL.length);
    expect(lines[0]).toBe("drop of 1 message stays with rendering: the provider has no such edit");
    expect(lines.join()).not.toMatch(/undefined|\n/);
  });
});
