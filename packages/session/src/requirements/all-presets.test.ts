import type { CompletionModel, CompletionRequest } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { importSession } from "@threadfold/importers";
import { codexPreset, PRESETS, presetByName } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

const AT = "2026-01-01T00:00:00.000Z";
const line = (entry: object) => JSON.stringify({ timestamp: AT, ...entry });
const said = (role: string, content: string) => line({ type: "message", message: { role, content } });

function listening() {
  const asked: CompletionRequest[] = [];
  const model: CompletionModel = {
    id: "prose",
    complete: async (request) => {
      asked.push(request);
      return { text: "All is done.", finish: "stop", toolCalls: 0 };
    },
  };
  return { model, asked };
}

describe("what all presets share, by requirement", () => {
  it("all-3 the model is shown up to 4 000 tokens of a message, and all of it with maxMessageTokens", async () => {
    const shown = async (settings: object) => {
      const { model, asked } = listening();
      const config = { maxInputTokens: 200_000 };
      const session = await openSession({ preset: codexPreset, summaryModel: model, config, ...settings });
      const long = `${"a".repeat(60_000)} MIDDLE ${"b".repeat(60_000)}`;
      await session.append([message("u", "user", "Go."), ...work(0, 1, 10), message("a", "assistant", long)]);
      await session.append([message("now", "user", "Go on.")]);
      await session.compact({ force: true });
      return asked.map(({ messages }) => messages.map(({ text }) => text).join()).join();
    };
    expect(await shown({})).not.toContain("MIDDLE");
    expect(await shown({ summaryModelSettings: { maxMessageTokens: 1_000_000 } })).toContain("MIDDLE");
  });

  it.each(PRESETS.map(({ name }) => name))("all-6 %s folds above the configured share of the window", async (name) => {
    const preset = presetByName(name);
    const foldsAt = async (softThresholdPercent: number) => {
      const config = {
        maxInputTokens: 100_000,
        softThresholdPercent,
        targetPercent: 0.01,
        costModelEnabled: false,
        minReclaimPercent: 0,
      };
      const session = await openSession({ preset, config });
      await session.append(
        Array.from({ length: 30 }, (_, n) => message(`m${n}`, n % 2 ? "assistant" : "user", "x".repeat(440))),
      );
      return (await session.compact()).type;
    };
    expect([await foldsAt(0.03), await foldsAt(0.8)]).toEqual(["committed", "no-op"]);
  });

  it("all-7 an import shows the whole history, or the log's own compactions once they are applied", async () => {
    const log = [
      line({ type: "session", id: "s", cwd: "/" }),
      said("user", "first"),
      said("assistant", "one"),
      said("user", "second"),
      line({ type: "compaction", summary: "They began.", keepLastMessages: 1, tokensBefore: 9 }),
      said("assistant", "two"),
    ];
    const imported = await importSession(new TextEncoder().encode(log.join("\n")));
    const session = await openSession({ preset: presetByName("pi"), config: { maxInputTokens: 100_000 } });
    await session.append(imported.messages);
    const shown = async () => JSON.stringify((await session.prepare()).request.messages);
    expect(await shown()).toContain("first");
    expect((await session.applyCompactions(imported.compactions)).type).toBe("committed");
    expect(await shown()).not.toContain("first");
    expect(await shown()).toMatch(/They began\..*second.*two/);
  });
});

describe("Claude Code, by requirement", () => {
  const open = () => openSession({ preset: presetByName("claude-code"), config: { maxInputTokens: 50_000 } });

  it("claude-code-3 the newest request and the newest call with its result stay beside the summary", async () => {
    const session = await open();
    await session.append([
      message("u0", "user", "The first task."),
      ...work(0, 9, 900),
      message("d0", "assistant", "Done."),
    ]);
    await session.append([message("u1", "user", "The next task."), ...work(9, 12, 900)]);
    await session.compact({ force: true });
    const kept = (await session.prepare()).manifest.messages.filter(({ action }) => action === "include");
    expect(kept.flatMap(({ sources }) => sources)).toEqual(["u1", "a11", "t11"]);
  });

  it("claude-code-3 a fold right after the next request puts everything before it into the summary", async () => {
    const session = await open();
    await session.append([message("u0", "user", "The task."), ...work(0, 9, 900), message("d0", "assistant", "Done.")]);
    await session.append([message("u1", "user", "The next task.")]);
    expect((await session.compact({ force: true })).type).toBe("committed");
    const { manifest } = await session.prepare();
    const kept = manifest.messages.filter(({ action }) => action === "include");
    expect(kept.flatMap(({ sources }) => sources)).toEqual(["u1"]);
    expect(session.plan.summarizations[0]?.span.messageIds).toHaveLength(20);
  });

  it("claude-code-8 claude-code-9 compacts repeatedly, with at most two summaries, and the history stays readable", async () => {
    const session = await open();
    for (let round = 0; round < 4; round++) {
      await session.append([message(`u${round}`, "user", `Task ${round}.`), ...work(10 * round, 10 * round + 9, 900)]);
      expect((await session.compact({ force: true })).type).toBe("committed");
      expect(session.plan.summarizations.length).toBeLessThanOrEqual(2);
    }
    expect(session.thread.length).toBe(4 * 19);
    expect((await session.revert(0)).type).toBe("committed");
    const { manifest } = await session.render();
    expect(manifest.messages.every(({ action }) => action === "include")).toBe(true);
    expect(JSON.stringify(session.thread.messageAt(1))).toContain("make step-0");
  });
});
