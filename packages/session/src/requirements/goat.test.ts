import { type CompletionModel, modelCallError } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { goatPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { openSession } from "../testing/agent-work.ts";

/** A message of exactly so many tokens: a quarter of its characters, and four. */
const sized = (id: string, role: "user" | "assistant", tokens: number) =>
  message(id, role, "x".repeat((tokens - 4) * 4));
const ten = (tokens: number) =>
  Array.from({ length: 10 }, (_, index) => sized(`m${index}`, index % 2 === 0 ? "user" : "assistant", tokens / 10));

async function goatWith(tokens: number, options: Parameters<typeof openSession>[0] = {}) {
  const session = await openSession({ preset: goatPreset, ...options });
  await session.append(ten(tokens));
  return session;
}

describe("Goat, by requirement", () => {
  it("goat-2 fires when messages take more than 80 % of what system prompt and output leave, and not before", async () => {
    const frame = { system: ["y".repeat(4 * 40_000)] };
    for (const [wanted, fires] of [
      [114_000, false],
      [115_000, true],
    ] as const) {
      const session = await goatWith(wanted, { frame });
      await session.append([sized("now", "user", 100)]);
      const { budget, tokens } = session.stats();
      const used = (tokens - budget.systemPromptTokens) / (200_000 - budget.systemPromptTokens - 16_384);
      expect(used > 0.8).toBe(fires);
      expect((await session.prepare()).outcome?.type).toBe(fires ? "committed" : "no-op");
    }
  });

  it("goat-3 goat-8 the output figure comes from the configuration, and the session's utilization is then Goat's", async () => {
    const session = await goatWith(140_000, { config: { outputReserveTokens: 16_384 } });
    await session.append([sized("now", "user", 1_000)]);
    expect(session.stats().utilization).toBeCloseTo(141_000 / 183_616, 2);
    expect((await session.prepare()).outcome?.type).toBe("no-op");
    const more = await goatWith(140_000, { config: { outputReserveTokens: 64_000 } });
    expect((await more.prepare()).outcome?.type).toBe("committed");
  });

  it("goat-4 the context limit is 200 000 by default", async () => {
    const session = await goatWith(100);
    expect(session.config.maxInputTokens).toBe(200_000);
  });

  it("all-6 softThresholdPercent is the share above which it compacts", async () => {
    const session = await goatWith(100_000, { config: { softThresholdPercent: 0.5 } });
    expect((await session.prepare()).outcome?.type).toBe("committed");
    expect((await (await goatWith(100_000)).prepare()).outcome?.type).toBe("no-op");
  });

  it.each([
    [150_000, true],
    [156_000, true],
    [170_000, true],
    [140_000, false],
    [120_000, false],
  ])(
    "goat-14 goat-15 after an answer cut off at %i tokens retry is %s, and the next prepare does the same",
    async (tokens, retry) => {
      const session = await openSession({ preset: goatPreset, compaction: true });
      await session.append(ten(60_000));
      expect((await session.prepare()).outcome?.type).toBe("no-op");
      const answer = sized("cut", "assistant", tokens - 60_000);
      expect((await session.complete({ messages: [answer], stopReason: "max-output" })).retry).toBe(retry);
      expect((await session.prepare()).outcome?.type).toBe(retry ? "committed" : "no-op");
    },
  );

  it("goat-19 the summary is the model's text behind [COMPACT SUMMARY], answered by Understood.", async () => {
    const summaryModel: CompletionModel = {
      id: "prose",
      complete: async () => ({ text: "The code was refactored and a bug fixed.", finish: "stop", toolCalls: 0 }),
    };
    const session = await goatWith(150_000, { summaryModel });
    expect((await session.prepare()).outcome?.type).toBe("committed");
    const [summary, answer] = (await session.prepare()).request.messages;
    expect(JSON.stringify(summary)).toMatch(/\[COMPACT SUMMARY\].*The code was refactored and a bug fixed\./);
    expect(answer).toMatchObject({ role: "assistant", parts: [{ text: "Understood." }] });
  });

  it("goat-20 goat-25 when the model fails, a placeholder and the last 40 % are sent, and the loop goes on", async () => {
    const summaryModel: CompletionModel = {
      id: "down",
      complete: async () => {
        throw modelCallError("no such key", { kind: "rejected", status: 401 });
      },
    };
    const session = await goatWith(150_000, { summaryModel });
    const { outcome, request } = await session.prepare();
    expect(outcome?.type).toBe("summarizer-failed-floor-used");
    expect(request.messages.filter(({ synthetic }) => synthetic === undefined)).toHaveLength(4);
    expect(request.messages[0]?.synthetic).toBe("summary");
  });

  it("goat-1 goat-24 goat-26 checks before each call, folds only under pressure, and keeps recent messages word for word", async () => {
    const session = await goatWith(100_000);
    const calm = await session.prepare();
    const shown = calm.request.messages.filter(({ synthetic }) => synthetic === undefined);
    expect([calm.outcome?.type, shown.length]).toEqual(["no-op", 10]);
    await session.append([sized("more", "user", 60_000)]);
    const folded = await session.prepare();
    expect(folded.outcome?.type).toBe("committed");
    expect(folded.request.messages.slice(-2)).toEqual(
      [...session.thread.messages].slice(-2).map(({ role, parts }) => expect.objectContaining({ role, parts })),
    );
  });

  it("goat-5 the window is the effective one of the model's row, or a million when that is configured", async () => {
    const open = (config = {}) => openSession({ preset: goatPreset, model: "claude-sonnet-4-5", config });
    expect((await open()).config.maxInputTokens).toBe(200_000);
    const beta = await open({ maxInputTokens: 1_000_000 });
    await beta.append(ten(786_000));
    expect((await beta.prepare()).outcome?.type).toBe("no-op");
    await beta.append([sized("more", "user", 1_000)]);
    expect((await beta.prepare()).outcome?.type).toBe("committed");
  });

  it("goat-21 a model that fails is replaced by a summary without it, and a failing summarizer by a placeholder with figures", async () => {
    const down = () => Promise.reject(modelCallError("down", { kind: "rejected", status: 401 }));
    const textWith = async (options: Parameters<typeof openSession>[0]) => {
      const session = await openSession({ preset: goatPreset, config: { maxInputTokens: 20_000 }, ...options });
      await session.append([message("task", "user", "Rewrite src/parser.ts."), ...ten(17_000)]);
      expect((await session.prepare()).outcome?.type).toBe("summarizer-failed-floor-used");
      return JSON.stringify((await session.prepare()).request.messages[0]);
    };
    expect(await textWith({ summaryModel: { id: "down", complete: down } })).toContain("src/parser.ts");
    expect(await textWith({ summarizer: { id: "down", summarize: down } })).toMatch(/held \d+ messages/);
  });

  it("goat-27 no model is asked unless the host passes one", async () => {
    expect((await (await goatWith(150_000)).prepare()).outcome?.type).toBe("committed");
    let calls = 0;
    const complete: CompletionModel["complete"] = async () => {
      calls++;
      return { text: "The code was refactored.", finish: "stop", toolCalls: 0 };
    };
    await (await goatWith(150_000, { summaryModel: { id: "agent", complete } })).prepare();
    expect(calls).toBe(1);
  });
});
