import { message, threadOf } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { dropping, exchange, nothingFolded } from "../testing/recall-thread.ts";
import { droppedSpanIndex } from "./recall-sources.ts";

describe("the index of dropped spans (seed 002)", () => {
  const thread = threadOf(
    message("u", "user", "Find the retry policy."),
    ...exchange("a", "read", "src/retry_policy.ts", "export const maxAttempts = 5;"),
    message("z", "user", "Go on."),
  );

  it("spec-142 gives each span's keywords, a summary with its messages and turn, and its time", () => {
    const [dropped, ...rest] = droppedSpanIndex(thread, dropping(thread, "a", "a-result"));
    expect(rest).toEqual([]);
    expect(dropped?.keywords).toEqual(["oldest", "src/retry_policy.ts", "maxAttempts"]);
    expect(dropped?.summary).toBe('2 messages of turn 1, beginning: read({"path":"src/retry_policy.ts"})');
    expect(dropped?.timestamp).toBe("2026-01-01T00:00:00.000Z");
    expect(dropped?.span.messageIds).toEqual(["a", "a-result"]);
  });

  it("has an entry for each turn of a drop, with the keywords that occur in it or in none", () => {
    const thread = threadOf(
      message("u", "user", "Find the retry policy."),
      ...exchange("a", "read", "src/retry_policy.ts", "export const maxAttempts = 5;"),
      message("v", "user", "Now the time limit."),
      ...exchange("b", "read", "src/time_limit.ts", "export const limitMs = 5;"),
      message("z", "user", "Go on."),
    );
    const plan = dropping(thread, "u", "a", "a-result", "v", "b", "b-result");
    const drops = plan.drops.map((record) => ({ ...record, keywords: ["oldest", "policy", "limit"] }));
    expect(
      droppedSpanIndex(thread, { ...plan, drops }).map(({ span, keywords, summary }) => [
        span.messageIds,
        keywords,
        summary,
      ]),
    ).toEqual([
      [
        ["u", "a", "a-result"],
        ["oldest", "policy", "src/retry_policy.ts", "maxAttempts"],
        "3 messages of turn 1, beginning: Find the retry policy.",
      ],
      [
        ["v", "b", "b-result"],
        ["oldest", "limit", "src/time_limit.ts", "limitMs"],
        "3 messages of turn 2, beginning: Now the time limit.",
      ],
    ]);
  });

  it("is empty where nothing was dropped", () => expect(droppedSpanIndex(thread, nothingFolded(thread))).toEqual([]));
});
