import { ThreadfoldError } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { replayableSession } from "../memory/session-memory.ts";
import { noCompaction } from "../policies/naive-policies.ts";
import { scriptedSession } from "../testing/scripted-log.ts";
import { recallQueries, replayPolicy } from "./replay-policy.ts";

const session = scriptedSession([
  { user: "Fix parse_line." },
  { says: "I look at the reader first." },
  { calls: "read", id: "a", input: { path: "src/reader.ts" } },
  { result: "export function readLine() {}", id: "a" },
  { calls: "grep", id: "b", input: { pattern: "zeppelin" } },
]);

describe("the recall queries before a call", () => {
  it("use the last messages, the agent's last words and the call itself", () => {
    const call = session.calls.at(-1);
    const { own, ownWords, callWords } = recallQueries(session.messages, { answer: call?.answer ?? [] });
    expect(own).toContain("readLine");
    expect(own).not.toContain("zeppelin");
    expect(ownWords).toBe("I look at the reader first.");
    expect(callWords).toContain("zeppelin");
  });
});

describe("a replay", () => {
  it("can be aborted while it adds up the bills of its calls", async () => {
    const long = scriptedSession([
      { user: "Go on." },
      ...Array.from({ length: 800 }, (_, index) => [{ says: `Step ${index}.` }, { user: "Go on." }]).flat(),
    ]);
    const interrupt = new AbortController();
    let isOver = false;
    const policy = {
      ...noCompaction,
      begin: async (...given: Parameters<typeof noCompaction.begin>) => {
        const run = await noCompaction.begin(...given);
        // Like Ctrl-C that comes once all calls are replayed: it is heard as soon as the event loop turns.
        const end = async (): Promise<void> => {
          isOver = true;
          setImmediate(() => interrupt.abort());
        };
        return { prompt: run.prompt.bind(run), end };
      },
    };
    const summarizer = { id: "none", text: async () => "" };
    const options = { budgetTokens: 1_000, summarizer: summarizer as never, signal: interrupt.signal };
    await expect(replayPolicy(replayableSession(long), policy, options)).rejects.toSatisfy(
      (error) => isOver && ThreadfoldError.isInstance(error) && error.code === "ABORTED",
    );
  });
});
