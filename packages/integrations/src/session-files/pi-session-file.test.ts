import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import {
  AgentThread,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  emptyPlan,
  NO_RECORDS,
  type PlanRecords,
  sealPlan,
  spanOf,
} from "@threadfold/core";
import { exportSession, importSession } from "@threadfold/importers";
import { planWindow } from "@threadfold/session";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectedWindow,
  type FoldedSession,
  foldedSession,
  NOON,
  saying,
  sessionFileCases,
} from "../testing/sessions.ts";

const AT = new Date(NOON).toISOString();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-pi-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function exported({ imported }: FoldedSession, thread: AgentThread, plan: CompactionPlan) {
  const source = imported.format === "pi" ? { source: imported.source.text } : {};
  return exportSession("pi", { thread, plan, window: planWindow(thread, plan), at: AT, ...source });
}

/** What pi itself sends to a model when it opens a session file. */
async function piWindow(text: string) {
  const path = join(folder, "session.jsonl");
  writeFileSync(path, text);
  const { messages } = SessionManager.open(path, folder, folder).buildSessionContext();
  const summaries = messages.flatMap((message) => (message.role === "compactionSummary" ? [message.summary] : []));
  const said = messages.filter(({ role }) => role !== "compactionSummary");
  const header = { type: "session", id: "s", version: 1, timestamp: AT, cwd: folder };
  const log = [header, ...said.map((message) => ({ type: "message", timestamp: AT, message }))];
  const read = await importSession(new TextEncoder().encode(log.map((line) => JSON.stringify(line)).join("\n")));
  return { summaries, said: saying(read.messages) };
}

describe("a session file that pi opens", () => {
  it.each(sessionFileCases())("shows what the plan shows: $name", async ({ file, preset, maxInputTokens }) => {
    const folded = await foldedSession(file, { preset, config: { maxInputTokens } });
    const { thread, plan } = folded.session;
    const { inSummary, behind } = expectedWindow(planWindow(thread, plan), thread);
    const { text } = exported(folded, thread, plan);
    const shown = await piWindow(text);
    expect(shown.summaries).toHaveLength(inSummary.length === 0 ? 0 : 1);
    for (const part of inSummary) expect(shown.summaries[0]).toContain(part);
    expect(shown.said).toEqual(saying(behind));
    expect(exported(folded, thread, plan).text).toBe(text);
  });

  it("starts with the original log byte for byte and ends with the compaction", async () => {
    const folded = await foldedSession();
    const { thread, plan } = folded.session;
    const { text, added } = exported(folded, thread, plan);
    const { text: source } = folded.imported.source;
    expect(text.startsWith(source)).toBe(true);
    const lines = text.slice(source.length).trimEnd().split("\n");
    expect(lines).toHaveLength(added);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      type: "compaction",
      fromHook: true,
      tokensBefore: plan.originalTokens,
      details: { threadfold: { planId: plan.planId, planVersion: 1, tokensAfter: plan.compactedTokens } },
    });
    const again = await importSession(new TextEncoder().encode(text));
    expect(again.threadId).toBe(folded.imported.threadId);
    expect(again.messages.slice(0, -1)).toEqual(folded.imported.messages);
    expect(again.warnings).toEqual(folded.imported.warnings);
  });

  it("omits what the plan drops and shows cleared content as cleared, without a summary", async () => {
    const folded = await foldedSession(undefined, { config: { maxInputTokens: 400_000 } });
    const { thread } = folded.session;
    const plan = planOf(thread, {
      drops: [{ ...record(thread, 1, 4), action: "drop", keywords: [] }],
      clearings: [{ ...record(thread, 6, 6), action: "clear", targets: ["tool-result"], preservedFields: {} }],
    });
    const { behind } = expectedWindow(planWindow(thread, plan), thread);
    const { text } = exported(folded, thread, plan);
    const { summaries, said } = await piWindow(text);
    expect(summaries).toEqual([]);
    expect(said).toEqual(saying(behind));
    expect(said).toHaveLength(saying([...thread.messages]).length - 4);
    expect(JSON.stringify(said[2])).not.toContain(JSON.stringify(thread.messageAt(6)?.parts).slice(60, 200));
  });

  it("equals the original log when nothing is folded", async () => {
    const folded = await foldedSession(undefined, { config: { maxInputTokens: 400_000 } });
    const { thread } = folded.session;
    const { text, added } = exported(folded, thread, emptyPlan(thread.id, "none"));
    expect([text, added]).toEqual([folded.imported.source.text, 0]);
  });

  it("includes messages appended since the log was read", async () => {
    const folded = await foldedSession();
    const { session } = folded;
    await session.append([
      {
        id: asMessageId("later"),
        role: "user",
        parts: [{ type: "text", text: "And now the tests." }],
        createdAt: AT,
      },
    ]);
    const { text } = exported(folded, session.thread, session.plan);
    const { said } = await piWindow(text);
    expect(said.at(-1)).toEqual({ role: "user", parts: [{ type: "text", text: "And now the tests." }] });
  });

  it("rejects a source that is not a pi session", () => {
    const thread = AgentThread.empty(asThreadId("t"));
    const session = { thread, plan: emptyPlan(thread.id, "none"), window: [], at: AT, source: '{"messages":[]}\n' };
    expect(() => exportSession("pi", session)).toThrow(expect.objectContaining({ code: "WRONG_FORMAT" }));
  });
});

const record = (thread: AgentThread, first: number, last: number) => ({
  span: spanOf([...thread.messagesBetween(first, last + 1)]),
  strategy: "test",
  reason: "for the test",
  sincePlanVersion: 1,
  originalTokens: 1,
});

const planOf = (thread: AgentThread, records: Partial<PlanRecords>): CompactionPlan =>
  sealPlan({
    ...NO_RECORDS,
    ...records,
    threadId: thread.id,
    threadVersion: thread.version,
    version: 1,
    policyVersion: "test",
    createdAt: AT,
    originalTokens: 10,
    compactedTokens: 5,
  });
