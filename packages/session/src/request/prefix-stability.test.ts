import { asThreadId, type MessageInput } from "@threadfold/core";
import { messageInputs, patience, runs } from "@threadfold/core/laws";
import { FORMATS, type PrefixDivergence, prefixDiff } from "@threadfold/renderer";
import { PRESETS } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import { ContextSession } from "../loop/context-session.ts";

/** Where the later prompt stops beginning with the earlier one. Tools are the host's, and those that are made up for undeclared calls come before every message. */
function divergence(before: PreparedRequest, now: PreparedRequest): PrefixDivergence | null {
  const spoken = ({ request, manifest }: PreparedRequest) => ({ request: { ...request, tools: [] }, manifest });
  return prefixDiff(spoken(before), spoken(now));
}

/** A system message that comes first joins the system text; later ones would be an edit of it by the log itself. */
const withoutSystem = (messages: readonly MessageInput[]): readonly MessageInput[] =>
  messages.filter(({ role }) => role !== "system");

describe("the prompt between two commits", () => {
  it("P7 begins with the prompt before it, message by message, whatever the trigger, cost model and usage", {
    timeout: patience(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        messageInputs({ maxMessages: 60 }).map(withoutSystem),
        fc.integer({ min: 300, max: 3_000 }),
        fc.constantFrom(...PRESETS),
        fc.constantFrom(...FORMATS),
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 8 }),
        async (messages, maxInputTokens, preset, format, costModelEnabled, pauses) => {
          let seconds = 0;
          const session = await ContextSession.open({
            threadId: asThreadId("growing"),
            preset,
            format,
            clock: { now: () => 1_000 * seconds },
            onOverBudget: "send",
            config: { maxInputTokens, costModelEnabled, minReclaimPercent: 0, rehydrationEnabled: false },
          });
          let before: PreparedRequest | undefined;
          for (const [index, message] of messages.entries()) {
            await session.append([message]);
            if (message.role === "assistant") continue;
            seconds += pauses[index % pauses.length] as number;
            const now = await session.prepare();
            if (before !== undefined && before.plan.version === now.plan.version) {
              // What stands in for what the log had not got yet is for one request alone.
              expect([undefined, "passing"]).toContain(divergence(before, now)?.kind);
            }
            before = now;
            // The provider counts three characters of the body as a token, whatever we make of its reports.
            await session.reportUsage({ inputTokens: Math.ceil(now.payloadText.length / 3) });
          }
        },
      ),
      runs(20, 800),
    );
  });

  it("P7 breaks once for each committed plan, and never without one", async () => {
    const session = await ContextSession.open({
      threadId: asThreadId("growing"),
      clock: { now: () => 0 },
      config: { maxInputTokens: 8_000 },
    });
    let before: PreparedRequest | undefined;
    let breaks = 0;
    for (let index = 0; index < 120; index++) {
      const text = `answer ${index}: ${"word ".repeat(200 + ((index * 37) % 150))}`;
      const base = { createdAt: "2026-01-01T00:00:00.000Z" };
      await session.append([
        { ...base, id: `a${index}` as MessageInput["id"], role: "assistant", parts: [{ type: "text", text }] },
        {
          ...base,
          id: `u${index}` as MessageInput["id"],
          role: "user",
          parts: [{ type: "text", text: `Question ${index}?` }],
        },
      ]);
      const now = await session.prepare();
      if (before !== undefined && divergence(before, now) !== null) breaks++;
      before = now;
    }
    expect(breaks).toBeGreaterThan(3);
    expect(breaks).toBe(session.plan.version);
  });
});
