import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { AgentThread, asMessageId, asThreadId, emptyPlan, type MessageInput } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { importSessionFile } from "@threadfold/importers";
import { createMemoryStore } from "@threadfold/stores";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../context-session.ts";
import { referencedThread, referenceOf } from "../thread/thread-reference.ts";
import { type HandoffOptions, handoff } from "./handoff.ts";

const fresh = asThreadId("fresh");
const say = (id: string, role: "user" | "assistant", text: string): MessageInput => ({
  id: asMessageId(id),
  role,
  parts: [{ type: "text", text }],
  createdAt: "2026-01-01T00:00:00.000Z",
});
const countTokens = (text: string): number => heuristicTokenizer().countTokens(text);

async function longSession(): Promise<ContextSession> {
  const session = await ContextSession.open({ threadId: asThreadId("old"), clock: pinnedClock(0) });
  await session.append([
    say("u1", "user", "Build the importer in src/importer.ts. Never write to the production database."),
    say("a1", "assistant", "I decided to stream rows because the export is 40 GB. I created src/importer.ts."),
    say("u2", "user", "The billing report in reports/billing.sql is wrong, the VAT_RATE is 19 there."),
    say("a2", "assistant", "The VAT_RATE in reports/billing.sql comes from the table tax_rates_v2."),
    ...Array.from({ length: 10 }, (_, number) => say(`n${number}`, "assistant", `Nothing new, step ${number}.`)),
  ]);
  return session;
}
const options = (more: Partial<HandoffOptions> = {}): HandoffOptions => ({
  goal: "Fix the VAT_RATE in reports/billing.sql",
  threadId: fresh,
  clock: pinnedClock(0),
  ...more,
});

describe("handoff (seed 001)", () => {
  it("begins a thread with what the goal needs, pins as pins, the goal word for word, and a reference back", async () => {
    const session = await longSession();
    const { thread, briefing, reference } = await handoff(session, options());
    expect(briefing).toContain("tax_rates_v2");
    expect(briefing).toContain("[Handoff from thread old at version");
    expect(briefing).not.toContain("Nothing new, step 3");
    expect(thread.livePins.map(({ text }) => text)).toEqual(session.thread.livePins.map(({ text }) => text));
    expect(thread.livePins.length).toBeGreaterThan(0);
    const [told, asked] = [...thread.messages];
    expect(told).toMatchObject({ origin: "harness", turn: 0 });
    expect(asked).toMatchObject({
      role: "user",
      turn: 1,
      parts: [{ text: "Fix the VAT_RATE in reports/billing.sql" }],
    });
    expect(told && referenceOf(told)).toEqual(reference);
    expect((await referencedThread(session.store, reference))?.digest).toBe(session.thread.digest);
    expect(await referencedThread(session.store, { ...reference, threadDigest: "0".repeat(64) })).toBeNull();
  });

  it("opens as a session whose first request is legal", async () => {
    const session = await longSession();
    await handoff(session, options());
    const next = await ContextSession.open({ threadId: fresh, store: session.store, clock: pinnedClock(0) });
    const { violations, missingPins, payloadText } = await next.prepare();
    expect({ violations, missingPins }).toEqual({ violations: [], missingPins: [] });
    expect(payloadText).toContain("tax_rates_v2");
  });

  it("refuses an empty goal, an empty thread and an id that is taken", async () => {
    const session = await longSession();
    const empty = asThreadId("empty");
    await expect(handoff(session, options({ goal: " " }))).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    const nothing = { thread: AgentThread.empty(empty), plan: emptyPlan(empty, "none"), store: createMemoryStore() };
    await expect(handoff(nothing, options())).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    await expect(handoff(session, options({ threadId: asThreadId("old") }))).rejects.toMatchObject({
      code: "VERSION_CONFLICT",
    });
  });
});

const recorded = resolve(
  process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../../shared/data"),
  "pi/large-session.jsonl.gz",
);
describe.skipIf(!existsSync(recorded))("handoff of a recorded session (needs THREADFOLD_DATA)", () => {
  it("stays within its tokens and speaks of the goal", { timeout: 60_000 }, async () => {
    const imported = await importSessionFile(recorded);
    const session = await ContextSession.open({ threadId: imported.threadId, journal: false });
    await session.append(imported.messages);
    const goal = "Fix the wrapping of ANSI codes in packages/tui/src/components/text.ts";
    const { briefing } = await handoff(session, options({ goal, maxTokens: 3_000 }));
    expect(countTokens(briefing)).toBeLessThanOrEqual(3_200);
    expect(briefing).toContain("packages/tui/src/components/text.ts");
  });
});
