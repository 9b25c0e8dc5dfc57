import type { CompletionModel, MessageInput } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { claudeCodePreset, opencode, opencodePreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

const roomy = { maxInputTokens: 200_000 };
/** A turn with calls whose results take so many tokens each. */
const turn = (number: number, calls: number, tokens: number): readonly MessageInput[] => [
  message(`u${number}`, "user", `Task ${number}.`),
  ...work(number * 100, number * 100 + calls, tokens),
  message(`d${number}`, "assistant", `Task ${number} is done.`),
];

/** Writes prose, and remembers what it was asked. */
function proseModel(text = "All parts were changed and tested.") {
  const asked: { readonly system: string; readonly text: string }[] = [];
  const model: CompletionModel = {
    id: "prose",
    complete: async ({ system, messages }) => {
      asked.push({ system, text: messages.map((message) => message.text).join("\n") });
      return { text, finish: "stop", toolCalls: 0 };
    },
  };
  return { model, asked };
}

describe("OpenCode, by requirement", () => {
  it("opencode-1 fires when the tokens exceed context less output, by the provider's count as well", async () => {
    const config = { maxInputTokens: 20_000, outputReserveTokens: 4_000 };
    for (const [inputTokens, fires] of [
      [15_900, false],
      [16_001, true],
    ] as const) {
      const session = await openSession({ preset: opencodePreset, config });
      await session.append([message("u", "user", "word ".repeat(4_000)), message("a", "assistant", "Yes.")]);
      await session.append([message("v", "user", "word ".repeat(4_000))]);
      await session.prepare();
      await session.complete({ messages: [message("b", "assistant", "Ok.")], usage: { inputTokens } });
      expect((await session.prepare()).outcome?.type).toBe(fires ? "committed" : "no-op");
    }
  });

  it("opencode-2 opencode-14 the summary is an assistant message", async () => {
    const session = await openSession({ preset: opencodePreset, config: roomy });
    await session.append([...turn(0, 4, 500), ...turn(1, 4, 500), message("now", "user", "Go on.")]);
    await session.compact({ force: true });
    const { request } = await session.prepare();
    expect(request.messages.find(({ synthetic }) => synthetic === "summary")?.role).toBe("assistant");
  });

  it("opencode-3 after an automatic compaction the user says Continue if you have next steps", async () => {
    const session = await openSession({ preset: opencodePreset, config: { maxInputTokens: 8_000 } });
    await session.append([...turn(0, 10, 1_000), message("end", "assistant", "More to do.")]);
    const { outcome, request } = await session.prepare();
    expect(outcome?.type).toBe("committed");
    expect(request.messages.at(-1)).toMatchObject({
      role: "user",
      parts: [{ type: "text", text: "Continue if you have next steps" }],
    });
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("opencode-4 opencode-5 the model gets OpenCode's system prompt and, last, its user message", async () => {
    const { model, asked } = proseModel();
    const session = await openSession({ preset: opencodePreset, config: roomy, summaryModel: model });
    await session.append([...turn(0, 4, 500), message("now", "user", "Go on.")]);
    await session.compact({ force: true });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.system).toMatch(/^You are a helpful AI assistant tasked with summarizing conversations\./);
    expect(asked[0]?.text.trimEnd()).toMatch(/Be concise but detailed enough that work can continue seamlessly\.$/);
  });

  describe("opencode-9 pruning", () => {
    const openFor = (options: Parameters<typeof openSession>[0] = {}) => {
      const hooks: string[] = [];
      const hook = { name: "watch", run: () => void hooks.push("pre-compact") };
      return openSession({ preset: opencodePreset, config: roomy, hooks: { preCompact: [hook] }, ...options }).then(
        (session) => ({ session, hooks }),
      );
    };

    it("removes tool output beyond the newest 40 000 tokens between turns, far below the window, without a summary", async () => {
      const { session, hooks } = await openFor();
      await session.append([...turn(0, 10, 10_000), message("u1", "user", "Now the next thing.")]);
      const { outcome, tokens } = await session.prepare();
      expect(outcome?.type).toBe("committed");
      expect(tokens).toBeLessThan(50_000);
      expect(session.plan.summarizations).toEqual([]);
      expect(session.plan.clearings.length + session.plan.externalizations.length).toBeGreaterThanOrEqual(6);
      expect(hooks).toHaveLength(1);
      const again = await session.prepare();
      expect([again.outcome?.type, again.plan.version]).toEqual(["no-op", 1]);
    });

    it("does nothing inside a turn or for 20 000 tokens or less, and then calls no hook", async () => {
      const inside = await openFor();
      await inside.session.append([message("u0", "user", "Go."), ...work(0, 10, 10_000)]);
      expect((await inside.session.prepare()).outcome?.type).toBe("no-op");
      const little = await openFor();
      await little.session.append([...turn(0, 6, 9_900), message("u1", "user", "Now the next thing.")]);
      expect((await little.session.prepare()).outcome?.type).toBe("no-op");
      expect([...inside.hooks, ...little.hooks]).toEqual([]);
    });

    it("uses the configured figures", async () => {
      const preset = opencode({ pruneProtect: 5_000, pruneMinimum: 2_000 });
      const { session } = await openFor({ preset });
      await session.append([...turn(0, 10, 1_500), message("u1", "user", "Now the next thing.")]);
      expect((await session.prepare()).outcome?.type).toBe("committed");
      expect((await session.prepare()).tokens).toBeLessThan(8_500);
    });

    it("is off when automatic folding is off", async () => {
      const { session } = await openFor({ compaction: false });
      await session.append([...turn(0, 10, 10_000), message("u1", "user", "Now the next thing.")]);
      expect((await session.prepare()).outcome?.type).toBe("disabled");
    });
  });

  it("opencode-11 opencode-12 the environment switches automatic compaction off, and a manual one still works", async () => {
    const environment = { THREADFOLD_DISABLE_COMPACTION: "1" };
    const config = { maxInputTokens: 8_000 };
    const session = await openSession({ preset: opencodePreset, config, environment, onOverBudget: "send" });
    await session.append(turn(0, 10, 1_000));
    expect((await session.prepare()).outcome?.type).toBe("disabled");
    expect((await session.compact({ force: true })).type).toBe("committed");
    expect((await session.prepare()).tokens).toBeLessThan(8_000);
  });

  describe("opencode-13 a summary for the user interface, of two sentences at most", () => {
    it("is written by the model and is in no prompt", async () => {
      const { model } = proseModel("Parts were changed.  Tests pass.\nThe rest is open. More could be said.");
      const session = await openSession({ preset: opencodePreset, config: roomy, summaryModel: model });
      await session.append([...turn(0, 2, 100), message("now", "user", "Go on.")]);
      const { digest } = await session.prepare();
      expect(await session.shortSummary()).toBe("Parts were changed. Tests pass.");
      expect((await session.prepare()).digest).toBe(digest);
    });

    it("is made without a model, also when the model fails or says nothing", async () => {
      const failing: CompletionModel = { id: "down", complete: () => Promise.reject(new Error("down")) };
      for (const summaryModel of [undefined, failing, proseModel(" ").model]) {
        const session = await openSession({ config: roomy, ...(summaryModel !== undefined && { summaryModel }) });
        expect(await session.shortSummary()).toBe("");
        await session.append([
          message("u0", "user", "Rewrite the parser. Take care of its tests."),
          message("a0", "assistant", "Done."),
          message("u1", "user", "Now the printer, with key ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789 please."),
        ]);
        const told = await session.shortSummary();
        expect(told).toMatch(/^Rewrite the parser\. Now the printer/);
        expect(told).not.toContain("AbCdEfGhIjKlMnOp");
      }
    });
  });
});

describe("OpenCode, where Threadfold differs", () => {
  it("opencode-6 an answer counts in one piece, and the host's own model may stream it", async () => {
    const told: string[] = [];
    const model: CompletionModel = {
      id: "streaming",
      complete: async () => {
        for (const piece of ["All parts ", "were changed."]) told.push(piece);
        return { text: told.join(""), finish: "stop", toolCalls: 0 };
      },
    };
    const session = await openSession({ preset: opencodePreset, config: roomy, summaryModel: model });
    await session.append([...turn(0, 4, 500), message("now", "user", "Go on.")]);
    await session.compact({ force: true });
    expect(told).toHaveLength(2);
    expect(JSON.stringify((await session.prepare()).request.messages)).toContain("All parts were changed.");
  });

  it("opencode-10 pruned output that cannot be had again is stored, and ephemeral output is cleared", async () => {
    const pruned = async (config: object) => {
      const session = await openSession({ preset: opencodePreset, config: { ...roomy, ...config } });
      await session.append([...turn(0, 10, 10_000), message("u1", "user", "Now the next thing.")]);
      await session.prepare();
      return [session.plan.externalizations.length, session.plan.clearings.length];
    };
    const policy = (durability: "non_replayable" | "ephemeral") => ({
      toolDurabilityOverrides: { bash: { durability, mustPreserveFields: [], replayCost: "cheap" } },
    });
    const [stored, none] = await pruned(policy("non_replayable"));
    expect([stored, none]).toEqual([expect.any(Number), 0]);
    expect(stored).toBeGreaterThan(0);
    expect(await pruned(policy("ephemeral"))).toEqual([0, stored]);
  });

  it("opencode-11 OpenCode's own variable has no effect, unless the host passes it on as an option", async () => {
    const session = (environment: Record<string, string>, compaction = true) =>
      openSession({
        preset: opencodePreset,
        config: { maxInputTokens: 8_000 },
        environment,
        compaction,
        onOverBudget: "send",
      });
    const env: Record<string, string | undefined> = { OPENCODE_DISABLE_AUTOCOMPACT: "1" };
    const outcomeOf = async (opened: ReturnType<typeof session>) => {
      const it = await opened;
      await it.append(turn(0, 10, 1_000));
      return (await it.prepare()).outcome?.type;
    };
    expect(await outcomeOf(session({ OPENCODE_DISABLE_AUTOCOMPACT: "1" }))).toBe("committed");
    expect(await outcomeOf(session({}, env["OPENCODE_DISABLE_AUTOCOMPACT"] === undefined))).toBe("disabled");
  });
});

describe("Claude Code, by requirement", () => {
  it("claude-code-3 claude-code-4 claude-code-7 one call makes one summary of the history, even in the middle of a turn", async () => {
    const { model, asked } = proseModel();
    const session = await openSession({ preset: claudeCodePreset, config: roomy, summaryModel: model });
    await session.append([...turn(0, 4, 500), message("now", "user", "The next task."), ...work(500, 510, 500)]);
    expect((await session.compact({ force: true })).type).toBe("committed");
    expect(asked).toHaveLength(1);
    expect(asked[0]?.text).toContain("Your task is to create a detailed summary of the conversation so far");
    const { request } = await session.prepare();
    expect(request.messages.filter(({ synthetic }) => synthetic === "summary")).toHaveLength(1);
    expect(JSON.stringify(request.messages)).toContain("All parts were changed and tested.");
  });

  it("claude-code-6 instructions are part of the prompt, and the outcome says whether they had an effect", async () => {
    const { model, asked } = proseModel();
    const instructions = "summarize only the TODOs";
    for (const [summaryModel, effect] of [
      [model, "used"],
      [undefined, "no-effect"],
    ] as const) {
      const session = await openSession({
        preset: claudeCodePreset,
        config: roomy,
        ...(summaryModel !== undefined && { summaryModel }),
      });
      await session.append([...turn(0, 4, 500), message("now", "user", "The next task.")]);
      expect(await session.compact({ force: true, instructions })).toMatchObject({
        type: "committed",
        instructions: effect,
      });
    }
    expect(asked[0]?.text).toContain(instructions);
  });
});
