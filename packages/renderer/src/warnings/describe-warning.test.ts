import { asMessageId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { describeWarning } from "./describe-warning.ts";
import { isLossy } from "./render-warning.ts";
import { WarningLog } from "./warning-log.ts";

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
    expect(log.warnings).toEqual([
      { kind: "call-unanswered", messageIds: [m1] },
      { kind: "reasoning-left-out", reason: "not-signed", messageIds: [m1, m2] },
      { kind: "reasoning-left-out", reason: "behind-an-edit", messageIds: [m2] },
      { kind: "tools-declared", names: ["read", "write"], messageIds: [] },
    ]);
    expect(log.warnings.map(describeWarning)).toEqual([
      "calls without a result were answered with a marker",
      "messages are sent without their reasoning: no provider signed it (2 messages)",
      "messages are sent without their reasoning: it is bound to a prefix that was folded",
      "tools that the thread uses were declared: read, write",
    ]);
    expect(log.warnings.map(isLossy)).toEqual([false, true, true, false]);
  });
});
