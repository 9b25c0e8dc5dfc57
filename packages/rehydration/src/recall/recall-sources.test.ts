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

  it("is empty where nothing was dropped", () => expect(droppedSpanIndex(thread, nothingFolded(thread))).toEqual([]));
});
