import { message, threadOf } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { compactionQuality, qualityEvent } from "./compaction-quality.ts";
import { dropping, exchange, nothingFolded } from "./testing/recall-thread.ts";

const start = threadOf(message("u", "user", "Find the budget."), ...exchange("a", "read", "budget.txt", "1000"));
const plan = dropping(start, "a", "a-result");

describe("quality after a fold (seed 002)", () => {
  it("spec-144 counts turns, steps, explicit reads and searches since the fold", () => {
    const thread = start.append([
      ...exchange("b", "read_artifact", "artifact_0123456789abcdef", "1000"),
      ...exchange("c", "search_thread", "budget", "1000"),
      message("v", "user", "Go on."),
      message("d", "assistant", "Done."),
    ]);
    expect(compactionQuality(thread, plan, true)).toEqual({
      turnsSinceCompaction: 1,
      stepsSinceCompaction: 3,
      rehydrationRequests: 1,
      recallRequests: 1,
      repeatedCalls: 0,
      agentAskedForContext: false,
      taskCompletionSuccess: true,
    });
  });

  it.each([
    "What was the user's budget again?",
    "Could you please remind me of the deadline?",
    "I no longer see the contents of that file.",
    "Was war nochmal das Budget?",
    "请再提供一次预算",
  ])("notices that the agent asks for lost context: %s", (text) => {
    expect(compactionQuality(start.append([message("b", "assistant", text)]), plan).agentAskedForContext).toBe(true);
  });

  it.each(["What is the weather in Paris?", "I ran the tests again.", "I remember the budget."])(
    "does not take %j for a request for lost context",
    (text) => {
      expect(compactionQuality(start.append([message("b", "assistant", text)]), plan).agentAskedForContext).toBe(false);
    },
  );

  it("counts a folded tool call that the agent repeats", () => {
    const thread = start.append(exchange("b", "read", "budget.txt", "1000"));
    expect(compactionQuality(thread, plan)).toMatchObject({ repeatedCalls: 1, agentAskedForContext: true });
    expect(compactionQuality(thread, nothingFolded(thread))).toMatchObject({
      repeatedCalls: 0,
      turnsSinceCompaction: 0,
    });
  });

  it("is reported as an event without content", () => {
    const event = qualityEvent(plan, 100, compactionQuality(start, plan));
    expect(event).toMatchObject({
      type: "compaction_quality_measured",
      planVersion: 1,
      budgetLimit: 100,
      threadId: start.id,
    });
  });
});
