import { asMessageId, asThreadId, type CompletionModel } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { presetByName } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { openSession, work } from "../testing/agent-work.ts";

const talk = [
  message("u1", "user", "Build the importer. Never write to the production database."),
  message("a1", "assistant", "The importer streams rows, because the export has 40 GB."),
  message("u2", "user", "The VAT_RATE in reports/billing.sql is wrong."),
  message("a2", "assistant", "The figure comes from the table tax_rates_v2, column rate_percent."),
  ...work(10, 14, 200),
];
const fresh = asThreadId("fresh");

describe("Amp, by requirement", () => {
  it("amp-1 amp-2 amp-3 the session's own model writes a handoff for its goal, and its text is kept", async () => {
    const asked: string[] = [];
    const chosen = "Fix the rate: it is read from tax_rates_v2. The importer streams rows. Step 3 was made last.";
    const summaryModel: CompletionModel = {
      id: "secondary",
      complete: async ({ messages }) => {
        asked.push(messages.map(({ text }) => text).join("\n"));
        return { text: chosen, finish: "stop", toolCalls: 0 };
      },
    };
    const session = await openSession({ summaryModel });
    await session.append(talk);
    const { briefing, thread, problem } = await session.handoff({
      goal: "Correct the billing report",
      threadId: fresh,
    });
    expect(problem).toBeNull();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("Correct the billing report");
    expect(briefing).toContain(chosen);
    expect(JSON.stringify([...thread.messages].at(-1))).toContain("Correct the billing report");
  });

  it("amp-4 forks at a message, even with pins before it", async () => {
    const session = await openSession();
    await session.append(talk);
    expect(session.thread.version).toBeGreaterThan(session.thread.length);
    const { thread } = await session.fork({ threadId: fresh, atMessage: asMessageId("u2") });
    expect([...thread.messages].map(({ id }) => id)).toEqual(["u1", "a1", "u2"]);
    const again = { threadId: asThreadId("again"), atMessage: asMessageId("no") };
    await expect(session.fork(again)).rejects.toMatchObject({ code: "MESSAGE_NOT_FOUND" });
    const twice = { threadId: asThreadId("again"), atMessage: asMessageId("u1"), atVersion: 1 };
    await expect(session.fork(twice)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("amp-5 edits a message in a fork by one call, and leaves the source unchanged", async () => {
    const session = await openSession();
    await session.append(talk);
    const edited = message("u2b", "user", "The currency in reports/billing.sql is wrong.");
    await session.fork({ threadId: fresh, beforeMessage: asMessageId("u2"), append: [edited] });
    const other = await session.openOther(fresh);
    expect([...other.thread.messages].map(({ id }) => id)).toEqual(["u1", "a1", "u2b"]);
    expect((await other.prepare()).violations).toEqual([]);
    expect(session.thread.length).toBe(talk.length);
  });

  it("amp-6 search_thread finds what the new thread was not told, over several handoffs", async () => {
    const store = createMemoryStore();
    const session = await openSession({ store });
    await session.append(talk);
    await session.handoff({ goal: "Write the release notes", threadId: fresh, maxTokens: 100 });
    const second = await ContextSession.open({ store, threadId: fresh });
    await second.append([message("a", "assistant", "The notes are written.")]);
    await second.handoff({ goal: "Publish them", threadId: asThreadId("third"), maxTokens: 60 });
    for (const threadId of [fresh, asThreadId("third")]) {
      const there = await ContextSession.open({ store, threadId });
      const [, search] = there.tools();
      const found = await search.execute({ query: "rate_percent" });
      expect(found).toMatchObject({ outcome: "success", problem: null });
      expect(found.text).toContain("tax_rates_v2, column rate_percent");
      expect(found.text).toMatch(/^\[From thread (session-1|fresh), which this one refers to\]/);
      const read = await search.execute({ message_id: "a2" });
      expect(read.text).toContain("rate_percent");
      expect((await search.execute({ query: "kangaroo" })).problem).toBe("no-match");
    }
  });

  it("amp-7 folds nothing by itself while the request has room", async () => {
    const session = await openSession({ preset: presetByName("amp-handoff"), config: { maxInputTokens: 100_000 } });
    await session.append([message("u", "user", "Go."), ...work(0, 90, 1_000)]);
    expect((await session.prepare()).outcome?.type).toBe("no-op");
    const over = [message("u", "user", "Go."), ...work(0, 20, 1_000)];
    const small = { preset: presetByName("amp-handoff"), config: { maxInputTokens: 10_000 } };
    const folding = await openSession(small);
    await folding.append(over);
    expect((await folding.prepare()).outcome?.type).toBe("committed");
    const never = await openSession({ ...small, compaction: false });
    await never.append(over);
    await expect(never.prepare()).rejects.toMatchObject({ code: "BUDGET_INFEASIBLE" });
  });
});
