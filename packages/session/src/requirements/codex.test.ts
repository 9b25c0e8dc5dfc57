import { type CompletionModel, modelCallError } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { codex } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { openSession } from "../testing/agent-work.ts";

const long = (tokens: number) => "word ".repeat(Math.ceil((4 * tokens) / 5));

/** A model that answers in prose, as Codex's does, and remembers what it was asked. */
function proseModel() {
  const asked: string[] = [];
  const model: CompletionModel = {
    id: "prose",
    complete: async ({ system, messages }) => {
      asked.push([system, ...messages.map(({ text }) => text)].join("\n"));
      return { text: "The parser was rewritten; its tests pass. Next: the printer.", finish: "stop", toolCalls: 0 };
    },
  };
  return { model, asked };
}

/** Turns of a user's request of so many tokens and an answer of so many. */
const turns = (from: number, to: number, asked: number, answered: number) =>
  Array.from({ length: to - from }, (_, index) => [
    message(`u${from + index}`, "user", `Request ${from + index}. ${long(asked)}`),
    message(`a${from + index}`, "assistant", `Answer ${from + index}. ${long(answered)}`),
  ]).flat();

describe("Codex, by requirement", () => {
  it("all-1 codex-1 codex-2 codex-10 codex-11 codex-15 one call with Codex's own prompt makes one summary of all turns", async () => {
    const { model, asked } = proseModel();
    const session = await openSession({ preset: codex(), summaryModel: model, config: { maxInputTokens: 100_000 } });
    await session.append([...turns(0, 20, 400, 4_000), message("now", "user", "Go on.")]);
    const outcome = await session.compact({ force: true });
    expect(outcome.type).toBe("committed");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("You are performing a CONTEXT CHECKPOINT COMPACTION.");
    for (let turn = 0; turn < 20; turn++) expect(asked[0]).toContain(`Answer ${turn}.`);
    const { request } = await session.prepare();
    expect(request.messages.filter(({ synthetic }) => synthetic === "summary")).toHaveLength(1);
    expect(JSON.stringify(request.messages)).toContain("The parser was rewritten; its tests pass.");
  });

  it("codex-3 codex-4 each fold leaves the user messages and the summary, and a working model never counts as failing", async () => {
    const { model } = proseModel();
    const heard: string[] = [];
    const session = await openSession({
      preset: codex(),
      summaryModel: model,
      config: { maxInputTokens: 100_000 },
      onEvent: ({ type }) => heard.push(type),
    });
    const sizes: number[] = [];
    for (let round = 0; round < 6; round++) {
      await session.append(turns(30 * round, 30 * round + 30, 1_000, 1_500));
      const { outcome, tokens } = await session.prepare();
      if (outcome?.type === "summarizer-failed-floor-used") throw new Error(outcome.problem);
      if (outcome?.type === "committed") sizes.push(tokens);
    }
    expect(sizes.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...sizes)).toBeLessThan(28_000);
    expect(heard).not.toContain("summarizer_failing");
  });

  it("codex-5 fires at the limit by the provider's count as well as by the session's", async () => {
    const session = await openSession({ preset: codex(), config: { maxInputTokens: 20_000 } });
    await session.append(turns(0, 4, 100, 1_000));
    expect((await session.prepare()).outcome?.type).toBe("no-op");
    await session.complete({ messages: [message("yes", "assistant", "Yes.")], usage: { inputTokens: 18_000 } });
    expect((await session.prepare()).outcome?.type).toBe("committed");
  });

  it("codex-6 codex-14 the limit can be set up to 95 % of the window, and the configured share is the upper bound", () => {
    const config = { maxInputTokens: 200_000, outputReserveTokens: 0, softThresholdPercent: 0.95 };
    const firesAt = (preset: ReturnType<typeof codex>, share: number, tokens: number) =>
      preset
        .trigger({ ...config, softThresholdPercent: share } as Parameters<typeof preset.trigger>[0])
        .evaluate({ tokens, roomTokens: 200_000, turns: 1, steps: 1, messages: 1 }).level;
    const own = codex({ autoCompactTokenLimit: 60_000 });
    expect([firesAt(own, 0.95, 59_999), firesAt(own, 0.95, 60_000)]).toEqual(["none", "soft"]);
    const late = codex({ autoCompactTokenLimit: 199_000 });
    expect([firesAt(late, 0.95, 189_999), firesAt(late, 0.95, 190_000)]).toEqual(["none", "soft"]);
    expect([firesAt(codex(), 0.5, 99_999), firesAt(codex(), 0.5, 100_000)]).toEqual(["none", "soft"]);
    expect(() => codex({ autoCompactTokenLimit: -1 })).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  it("codex-8 keeps as many tokens of user messages as configured", async () => {
    const kept = async (userMessageTokens: number) => {
      const preset = codex({ userMessageTokens });
      const session = await openSession({ preset, config: { maxInputTokens: 100_000 } });
      await session.append([...turns(0, 20, 1_000, 2_000), message("now", "user", "Go on.")]);
      await session.compact({ force: true });
      const { manifest } = await session.prepare();
      return manifest.messages.filter(({ role, action }) => role === "user" && action === "include").length;
    };
    expect(await kept(20_000)).toBeGreaterThan(15);
    expect(await kept(3_000)).toBe(3);
  });

  it("codex-9 the summary prefix stands in the request exactly once", async () => {
    const session = await openSession({ preset: codex(), config: { maxInputTokens: 100_000 } });
    await session.append([...turns(0, 10, 400, 4_000), message("now", "user", "Go on.")]);
    await session.compact({ force: true });
    const text = JSON.stringify((await session.prepare()).request.messages);
    expect(text.split("Another language model started to solve this problem")).toHaveLength(2);
  });

  it("codex-13 warns the user from the first compaction on, in Codex's words", async () => {
    const warnings: (string | null)[] = [];
    const session = await openSession({
      preset: codex(),
      config: { maxInputTokens: 100_000 },
      onEvent: (event) => event.type === "compaction_boundary" && warnings.push(event.notice.warning),
    });
    await session.append([...turns(0, 10, 400, 4_000), message("now", "user", "Go on.")]);
    await session.compact({ force: true });
    expect(warnings).toEqual([
      expect.stringContaining("Long conversations and multiple compactions can cause the model to be less accurate"),
    ]);
  });

  it("codex-12 a model call that fails once is made again, and the fold commits", async () => {
    const { model } = proseModel();
    let calls = 0;
    const flaky: CompletionModel = {
      id: "flaky",
      complete: async (request) => {
        if (++calls === 1) throw modelCallError("later", { kind: "rate-limited", retryAfterMs: 1 });
        return model.complete(request);
      },
    };
    const session = await openSession({ preset: codex(), summaryModel: flaky, config: { maxInputTokens: 100_000 } });
    await session.append([...turns(0, 10, 400, 4_000), message("now", "user", "Go on.")]);
    expect((await session.compact({ force: true })).type).toBe("committed");
    expect(calls).toBe(2);
  });
});
