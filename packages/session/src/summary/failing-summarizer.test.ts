import { type CompletionModel, type ContextCompactionEvent, modelCallError } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { threadfoldPreset } from "@threadfold/strategies";
import { SUMMARIZER_FAILURE_LIMIT, SUMMARIZER_REST } from "@threadfold/turn";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

/** A model that can be brought down, and counts what it is asked. */
class Model implements CompletionModel {
  readonly id = "model";
  isDown = true;
  asked = 0;

  async complete() {
    this.asked++;
    if (this.isDown) throw modelCallError("no such key", { kind: "rejected", status: 401 });
    return {
      text: JSON.stringify({ add: { facts: [{ text: "All went well.", sources: [1] }] } }),
      finish: "stop",
      toolCalls: 0,
    } as const;
  }
}

/** Gives the summarizer of each fold's newest summary. */
async function foldsWith(model: CompletionModel, more: Parameters<typeof openSession>[0] = {}) {
  const events: ContextCompactionEvent[] = [];
  const session = await openSession({
    config: { maxInputTokens: 8_000 },
    summaryModel: model,
    onEvent: (event) => events.push(event),
    ...more,
  });
  await session.append([message("u", "user", "Build it.")]);
  let step = 0;
  return {
    session,
    events,
    /** Works until something was summarized. */
    async fold(options: { readonly force?: boolean } = {}): Promise<string | undefined> {
      for (;;) {
        await session.append([
          message(`n${step}`, "assistant", `Note ${step}. ${"word ".repeat(500)}`),
          ...work(step, step + 1, 300),
        ]);
        step++;
        const before = session.plan.version;
        await session.compact(options);
        const fresh = session.plan.summarizations.find(
          ({ sincePlanVersion }) => sincePlanVersion === session.plan.version,
        );
        if (session.plan.version > before && fresh !== undefined) return fresh.summarizer;
      }
    },
  };
}

describe("R30 a model that keeps failing", () => {
  it("is left alone for a while after three failed folds, then asked once, and folds are extractive meanwhile", async () => {
    const model = new Model();
    const { fold, events } = await foldsWith(model);
    for (let failed = 0; failed < SUMMARIZER_FAILURE_LIMIT; failed++) expect(await fold()).toContain("extractive");
    const asked = model.asked;
    expect(asked).toBe(SUMMARIZER_FAILURE_LIMIT);
    for (let rest = 0; rest < SUMMARIZER_REST; rest++) expect(await fold()).toContain("extractive");
    expect(model.asked).toBe(asked);
    await fold();
    expect(model.asked).toBe(asked + 1);
    await fold();
    expect(model.asked).toBe(asked + 1);
    expect(events.filter(({ type }) => type === "summarizer_failing")).toHaveLength(1);
  });

  it("is asked again for a forced fold, and for every fold from then on when it works", async () => {
    const model = new Model();
    const { fold } = await foldsWith(model);
    for (let failed = 0; failed < SUMMARIZER_FAILURE_LIMIT; failed++) await fold();
    model.isDown = false;
    expect(await fold()).toContain("extractive");
    expect(await fold({ force: true })).toContain("llm");
    expect(await fold()).toContain("llm");
  });

  it("counts as failed even in folds that commit nothing", async () => {
    const model = new Model();
    const { session } = await foldsWith(model, {
      config: { maxInputTokens: 8_000, minReclaimPercent: 0.99, breakerFailures: 100 },
    });
    for (let step = 0; step < 40; step++) {
      await session.append([message(`n${step}`, "assistant", "word ".repeat(250))]);
      await session.compact();
    }
    expect(model.asked).toBeGreaterThan(0);
    expect(model.asked).toBeLessThanOrEqual(SUMMARIZER_FAILURE_LIMIT + Math.ceil(40 / SUMMARIZER_REST));
  });

  it("delays a request no longer than summaryTimeLimitMs", async () => {
    const model: CompletionModel = { id: "hanging", complete: () => new Promise(() => undefined) };
    // Twice as long ends the summary that is made without the model as well, so it is enough for that on a busy machine.
    const { fold, session } = await foldsWith(model, { summaryTimeLimitMs: 1_500 });
    expect(await fold()).toContain("extractive");
    expect(session.plan.version).toBe(1);
    await expect(foldsWith(model, { summaryTimeLimitMs: 0 })).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("is waited for once per fold, however often the fold asks, whoever provides the summary", async () => {
    let asked = 0;
    const hang = (): Promise<never> => {
      asked++;
      return new Promise(() => undefined);
    };
    const hanging: Record<string, Parameters<typeof openSession>[0]> = {
      "a model": { summaryModel: { id: "hanging", complete: hang } },
      "a summarizer": { summarizer: { id: "hanging", summarize: hang } },
      "a hook": { hooks: { preCompact: [{ name: "own", run: () => ({ summary: hang }) }] } },
    };
    for (const [who, options] of Object.entries(hanging)) {
      asked = 0;
      const config = { maxInputTokens: 8_000 };
      const session = await openSession({ ...options, preset: threadfoldPreset, config, summaryTimeLimitMs: 300 });
      for (let task = 0; task < 12; task++)
        await session.append([
          message(`u${task}`, "user", `Task ${task}: never delete file${task}.`),
          ...work(task, task + 1, 1_000),
          message(`d${task}`, "assistant", "done ".repeat(200)),
        ]);
      const { outcome } = await session.prepare();
      expect(outcome, who).toMatchObject({ type: "summarizer-failed-floor-used" });
      expect(asked, who).toBe(1);
    }
  });
});
