import { asMessageId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { describeWarning } from "./describe-warning.ts";
import { isLossy } from "./render-warning.ts";
import { SettledWarnings, WarningLog } from "./warning-log.ts";

const [m1, m2] = [asMessageId("m1"), asMessageId("m2")];

describe("warnings", () => {
  it("are one entry per kind and reason, with each message listed once", () => {
    const log = new WarningLog();
    log.add("call-unanswered", [m1]);
    log.leaveOut("reasoning-left-out", "not-signed", [m1]);
    log.leaveOut("reasoning-left-out", "behind-an-edit", [m2]);
    log.leaveOut("reasoning-left-out", "not-signed", [m2, m1]);
    log.named("tools-declared", ["read"]);
    log.named("tools-declared", ["write"]);
    const warnings = SettledWarnings.none().followedBy(log);
    expect(warnings).toEqual([
      { kind: "call-unanswered", messageIds: [m1] },
      { kind: "reasoning-left-out", reason: "not-signed", messageIds: [m1, m2] },
      { kind: "reasoning-left-out", reason: "behind-an-edit", messageIds: [m2] },
      { kind: "tools-declared", names: ["read", "write"], messageIds: [] },
    ]);
    expect(warnings.map(describeWarning)).toEqual([
      "calls without a result were answered with a marker",
      "messages are sent without their reasoning: no provider signed it (2 messages)",
      "messages are sent without their reasoning: it is bound to a prefix that was folded",
      "tools that the thread uses were declared: read, write",
    ]);
    expect(warnings.map(isLossy)).toEqual([false, true, true, false]);
  });

  it("are listed once even if both what is settled and the rest have them, and settling changes no earlier value", () => {
    const [before, after] = [new WarningLog(), new WarningLog()];
    before.add("call-id-changed", [m1]);
    before.named("field-left-out", ["openai.itemId"], [m1]);
    after.add("call-id-changed", [m1, m2]);
    after.named("field-left-out", ["anthropic.note", "openai.itemId"], [m2]);
    const settled = SettledWarnings.none().append(before);
    const expected = [
      { kind: "call-id-changed", messageIds: [m1, m2] },
      { kind: "field-left-out", names: ["openai.itemId", "anthropic.note"], messageIds: [m1, m2] },
    ];
    expect(settled.followedBy(after)).toEqual(expected);
    expect(settled.append(after).followedBy(new WarningLog())).toEqual(expected);
    expect(settled.followedBy(new WarningLog())).toEqual([
      { kind: "call-id-changed", messageIds: [m1] },
      { kind: "field-left-out", names: ["openai.itemId"], messageIds: [m1] },
    ]);
  });
});
