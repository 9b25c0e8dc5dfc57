import type { CompletionModel, ContextCompactionEvent, Summarizer } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import {
  presetByName,
  recursiveSummarization,
  shownTurnCountTrigger,
  slidingWindow,
  springSessionPreset,
  threadfoldPreset,
  turnWindow,
} from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import { openSession, work } from "../testing/agent-work.ts";

const chat = (from: number, to: number, tokens = 50) =>
  Array.from({ length: to - from }, (_, index) => [
    message(`u${from + index}`, "user", `Question ${from + index}? ${"word ".repeat(tokens)}`),
    message(`a${from + index}`, "assistant", `Answer ${from + index}. ${"word ".repeat(tokens)}`),
  ]).flat();

/** How many messages of the thread a request shows. */
const shownOf = ({ manifest }: PreparedRequest): number =>
  manifest.messages.filter(({ action }) => action === "include").length;

const always = { name: "always", evaluate: () => ({ level: "soft", reason: "asked" }) as const };
const never = { name: "never", evaluate: () => ({ level: "none" }) as const };

describe("Spring AI Session, by requirement", () => {
  it.each(["spring-session", "spring-session-sliding", "spring-session-turns", "spring-session-tokens"])(
    "spring-1 %s keeps folding: a trigger that finds nothing to do is no failure",
    async (name) => {
      const heard: string[] = [];
      const session = await openSession({
        preset: presetByName(name),
        config: { maxInputTokens: 100_000 },
        onEvent: ({ type }) => heard.push(type),
      });
      const folds = [0, 0, 0, 0];
      for (let turn = 0; turn < 80; turn++) {
        await session.append(chat(turn, turn + 1, 250));
        const { outcome } = await session.prepare();
        if (outcome?.type === "committed") folds[Math.floor(turn / 20)] = (folds[Math.floor(turn / 20)] ?? 0) + 1;
      }
      expect(Math.min(...folds.slice(1)), `${folds}`).toBeGreaterThan(0);
      expect(heard).not.toContain("compaction_breaker_opened");
    },
  );

  it("spring-2 strategy and trigger can be given per call, under any preset", async () => {
    const session = await openSession({ preset: threadfoldPreset, config: { maxInputTokens: 100_000 } });
    await session.append(chat(0, 21));
    const strategy = slidingWindow({ maxEvents: 10 });
    expect((await session.compact({ trigger: shownTurnCountTrigger(21), strategy })).type).toBe("no-op");
    expect((await session.compact({ trigger: never, strategy })).type).toBe("no-op");
    expect((await session.compact({ trigger: shownTurnCountTrigger(20), strategy })).type).toBe("committed");
    expect(shownOf(await session.prepare())).toBe(10);
    // The same trigger finds that five turns are left.
    expect((await session.compact({ trigger: shownTurnCountTrigger(20), strategy })).type).toBe("no-op");
  });

  it("spring-2 spring-3 another strategy in the next call acts, although the previous one found nothing to do", async () => {
    const session = await openSession({ preset: threadfoldPreset, config: { maxInputTokens: 100_000 } });
    await session.append(chat(0, 12));
    expect((await session.compact({ trigger: always, strategy: slidingWindow({ maxEvents: 40 }) })).type).toBe("no-op");
    expect((await session.compact({ trigger: always, strategy: turnWindow({ maxTurns: 3 }) })).type).toBe("committed");
    expect(shownOf(await session.prepare())).toBe(6);
  });

  it("spring-2 refuses an invalid trigger and an invalid strategy", async () => {
    const session = await openSession();
    for (const [name, value] of [
      ["trigger", 20],
      ["strategy", "sliding-window"],
    ])
      await expect(session.compact({ [name as string]: value })).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        details: { name },
      });
  });

  it("spring-8 the token trigger counts events, but neither system text nor tools", async () => {
    const session = await openSession({
      preset: presetByName("spring-session-sliding"),
      config: { maxInputTokens: 100_000 },
      frame: { system: [`Be kind. ${"word ".repeat(5_000)}`] },
    });
    await session.append(chat(0, 12, 100));
    expect((await session.prepare()).outcome).toMatchObject({
      type: "no-op",
      reason: expect.stringContaining("below"),
    });
    await session.append(chat(12, 18, 400));
    expect((await session.prepare()).outcome?.type).toBe("committed");
  });

  it("spring-14 the turn window drops old turns before the floor clears newer ones", async () => {
    const session = await openSession({
      preset: presetByName("spring-session-turns"),
      config: { maxInputTokens: 20_000 },
    });
    for (let turn = 0; turn < 14; turn++)
      await session.append([
        message(`u${turn}`, "user", `Task ${turn}.`),
        ...work(turn * 10, turn * 10 + 5, 500),
        message(`d${turn}`, "assistant", `Task ${turn} is done.`),
      ]);
    const { outcome, tokens, request } = await session.prepare();
    expect(outcome).toMatchObject({ type: "committed", floor: true });
    expect(tokens).toBeLessThanOrEqual(20_000);
    const shown = JSON.stringify(request.messages);
    for (const turn of [0, 1, 2, 3]) expect(shown).not.toContain(`Task ${turn}.`);
    for (const turn of [4, 13]) expect(shown).toContain(`Task ${turn}.`);
    expect(session.plan.drops.length).toBeGreaterThan(0);
  });

  it("spring-18 the overlap is as large as configured, and its events are shown whole", async () => {
    const asked: string[] = [];
    const model: CompletionModel = {
      id: "prose",
      complete: async ({ messages }) => {
        asked.push(messages.map(({ text }) => text).join("\n"));
        return { text: "They talked about questions.", finish: "stop", toolCalls: 0 };
      },
    };
    const strategy = recursiveSummarization({ maxEventsToKeep: 20, overlapSize: 15 });
    const session = await openSession({
      preset: springSessionPreset,
      summaryModel: model,
      config: { maxInputTokens: 200_000 },
    });
    await session.append(chat(0, 20, 800));
    expect((await session.compact({ trigger: always, strategy })).type).toBe("committed");
    expect(asked).toHaveLength(1);
    // Ten turns are archived; the 15 events behind them are those of turns 10 to 16 and the question of turn 17.
    for (const text of ["Answer 10.", "Answer 16.", "Question 17?"]) expect(asked[0]).toContain(text);
    expect(asked[0]).not.toContain("Answer 17.");
    const [, answer = ""] = asked[0]?.split("Answer 16.") ?? [];
    expect(answer.split("word").length).toBeGreaterThan(800);
  });

  it("spring-21 the shadow prompt can be set", async () => {
    const session = await openSession({
      preset: springSessionPreset,
      config: { maxInputTokens: 100_000, summaryWording: { question: "Summarize our conversation so far." } },
    });
    await session.append(chat(0, 21));
    await session.compact({ force: true });
    const [shadow, summary] = (await session.prepare()).request.messages;
    expect(shadow).toMatchObject({
      role: "user",
      parts: [{ type: "text", text: "Summarize our conversation so far." }],
    });
    expect(summary).toMatchObject({ role: "assistant", synthetic: "summary" });
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });

  describe("spring-22 spring-23 a summary that fails", () => {
    const failing: Readonly<Record<string, Summarizer>> = {
      blank: { id: "blank", summarize: async () => ({ changes: [] }) },
      throwing: {
        id: "throwing",
        summarize: async () => {
          throw new Error("no model today");
        },
      },
    };
    it.each(Object.keys(failing))(
      "with keep leaves the history unchanged and is reported each time: %s",
      async (name) => {
        const events: ContextCompactionEvent[] = [];
        const session = await openSession({
          preset: springSessionPreset,
          summarizer: failing[name] as Summarizer,
          onSummaryFailure: "keep",
          config: { maxInputTokens: 100_000 },
          onEvent: (event) => events.push(event),
        });
        await session.append(chat(0, 21));
        for (let round = 0; round < 5; round++) {
          const outcome = await session.compact({ force: true });
          expect(outcome).toMatchObject({
            type: "failed",
            problem: expect.stringContaining(name === "blank" ? "no summary" : "no model"),
          });
        }
        expect(session.plan.version).toBe(0);
        expect(shownOf(await session.prepare())).toBe(42);
        const failures = events.filter(
          (event) => event.type === "compaction_completed" && event.outcome.type === "failed",
        );
        expect(failures.length).toBeGreaterThanOrEqual(5);
      },
    );

    it("with keep leaves the history unchanged when the model says nothing; above the room the floor folds", async () => {
      const model: CompletionModel = { id: "mute", complete: async () => ({ text: "", finish: "stop", toolCalls: 0 }) };
      const open = (maxInputTokens: number) =>
        openSession({
          preset: springSessionPreset,
          summaryModel: model,
          onSummaryFailure: "keep",
          config: { maxInputTokens },
        });
      const roomy = await open(100_000);
      await roomy.append(chat(0, 21));
      expect((await roomy.prepare()).outcome?.type).toBe("failed");
      expect((await roomy.dryRun({ force: true })).outcome.type).toBe("failed");
      expect(roomy.plan.version).toBe(0);
      const narrow = await open(3_000);
      await narrow.append(chat(0, 60));
      const { tokens, plan } = await narrow.prepare();
      expect(tokens).toBeLessThanOrEqual(3_000);
      expect(plan.version).toBe(1);
    });

    it("is replaced by a summary without the model by default", async () => {
      const session = await openSession({
        preset: springSessionPreset,
        summarizer: failing["blank"] as Summarizer,
        config: { maxInputTokens: 100_000 },
      });
      await session.append(chat(0, 21));
      expect((await session.compact({ force: true })).type).toBe("summarizer-failed-floor-used");
    });
  });
});
