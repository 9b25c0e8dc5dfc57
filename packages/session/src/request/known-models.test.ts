import type { ModelRow } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { formatById } from "@threadfold/renderer";
import { ladderPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import { handClock, openSession, work } from "../testing/agent-work.ts";

const own: ModelRow = {
  name: "house-",
  windowTokens: 12_000,
  effectiveTokens: 9_000,
  asOf: "2026-11",
  source: "our server",
};
const capOf = async (options: Partial<SessionOptions>) => (await openSession(options)).config.maxInputTokens;
const warned = (warnings: readonly { readonly kind: string }[]) =>
  warnings.some(({ kind }) => kind === "model-unknown");

describe("the model that a session is opened for", () => {
  it("sets the cap when the host does not: its effective window, or its window less room for an answer", async () => {
    expect(await capOf({ model: "gpt-5.6-terra" })).toBe(272_000);
    expect(await capOf({ model: "openai/gpt-4" })).toBe(7_168);
    expect(await capOf({ model: "gpt-4", config: { maxInputTokens: 50_000 } })).toBe(50_000);
    const capped = (maxInputTokens: number) => ({ ...ladderPreset, config: { maxInputTokens } });
    expect(await capOf({ model: "gpt-4", preset: capped(3_000) })).toBe(3_000);
    // A preset's window is that of the models which it was made for.
    expect(await capOf({ model: "gpt-4", preset: capped(30_000) })).toBe(7_168);
    expect(await capOf({ model: "house-7b", models: [own] })).toBe(9_000);
    expect(await capOf({ model: "gpt-4", models: [{ ...own, name: "gpt-4" }] })).toBe(9_000);
  });

  it("is reported as unknown when no row names it and nobody set a cap", async () => {
    const opened = async (options: Partial<SessionOptions>) => {
      const session = await openSession(options);
      await session.append([message("u0", "user", "Hello.")]);
      return session;
    };
    const unknown = await opened({ model: "house-7b" });
    expect(warned((await unknown.prepare()).warnings)).toBe(true);
    expect(unknown.config.maxInputTokens).toBe(100_000);
    unknown.switchModel({ maxInputTokens: 8_000 });
    expect(warned((await unknown.prepare()).warnings)).toBe(false);
    for (const options of [
      {},
      { model: "house-7b", config: { maxInputTokens: 8_000 } },
      { model: "house-7b", models: [own] },
    ]) {
      const session = await opened(options);
      expect(warned((await session.prepare()).warnings)).toBe(false);
    }
    unknown.switchModel({ model: "another-7b" });
    expect(warned((await unknown.prepare()).warnings)).toBe(true);
  });
});

describe("a session that is switched to another model", () => {
  it("folds for the new window before anything is sent, and takes the old cap again when it returns", async () => {
    const session = await openSession({ model: "claude-opus-4-5", config: { maxInputTokens: 150_000 } });
    await session.append([message("u0", "user", "Build it."), ...work(0, 60, 1_000)]);
    expect((await session.prepare()).tokens).toBeGreaterThan(60_000);
    session.switchModel({ model: "gpt-4" });
    const prepared = await session.prepare();
    expect(prepared.outcome?.type).toBe("committed");
    expect(prepared.tokens).toBeLessThanOrEqual(7_168);
    session.switchModel({ model: "claude-opus-4-5" });
    expect(session.config.maxInputTokens).toBe(150_000);
    session.switchModel({ model: "gpt-4", maxInputTokens: 8_000 });
    expect(session.config.maxInputTokens).toBe(8_000);
    session.switchModel({ model: "a-model-of-tomorrow" });
    expect(session.config.maxInputTokens).toBe(8_000);
  });

  it("weighs folds by the prices of the current model, not by those of the format", async () => {
    const clock = handClock();
    const config = { maxInputTokens: 10_000, softThresholdPercent: 0.5, targetPercent: 0.3 } as const;
    const session = await openSession({ clock, format: formatById("openai-chat"), model: "deepseek-chat", config });
    await session.append([message("u0", "user", "Build it."), ...work(0, 14, 400)]);
    await session.render();
    clock.pass(10);
    const reason = async () => (await session.dryRun()).weighing?.reason;
    expect(await reason()).toContain("deepseek's prices");
    session.switchModel({ model: "gpt-4o" });
    expect(await reason()).toContain("openai-4o's prices");
    session.switchModel({ model: "house-7b" });
    expect(await reason()).toContain("openai's prices");
  });

  it("W16 items whose reasoning only the old model can read are left out, and shown again when it returns", async () => {
    const format = formatById("openai-responses");
    const session = await openSession({ format, model: "gpt-5" });
    const reasoning = { type: "reasoning", text: "", provider: "openai", encrypted: "ZW5j" } as const;
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    const text = { type: "text", text: "Found it." } as const;
    const parts = [reasoning, { type: "opaque", provider: "openai", value: search } as const, text];
    const found = { ...message("a0", "assistant", ""), model: "gpt-5", parts };
    await session.append([message("u0", "user", "Look it up."), found, message("u1", "user", "And now?")]);
    const asked = async () => {
      const { payload, warnings } = await session.prepare();
      // As the provider sees it: the host asks for reasoning.
      const refused = format.check({ ...payload, reasoning: { effort: "low" } });
      return { refused, shows: JSON.stringify(payload).includes("ws_1"), told: warnings.map(({ kind }) => kind) };
    };
    const whole = { refused: [], shows: true, told: [] };
    expect(await asked()).toEqual(whole);
    session.switchModel({ model: "gpt-5-mini" });
    const told = ["reasoning-left-out", "opaque-left-out"];
    expect(await asked()).toEqual({ refused: [], shows: false, told });
    session.switchModel({ model: "gpt-5" });
    expect(await asked()).toEqual(whole);
    expect((await session.replay()).map(({ equal }) => equal)).toEqual([true, true, true]);
  });
});
