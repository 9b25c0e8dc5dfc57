import { compactionConfig, roomTokens, ThreadfoldError } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TriggerInput } from "../triggers/compaction-trigger.ts";
import { aiSdk } from "./ai-sdk.ts";
import { codex, codexAutoCompactLimit } from "./codex.ts";
import { aboveReserves, outputReserve, policyWith, presetFigures } from "./compaction-preset.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { PRESETS, presetByName } from "./preset-by-name.ts";

const presets = fc.constantFrom(...PRESETS);
/** Windows from small ones to large ones, in tokens. */
const windows = fc.integer({ min: 2_000, max: 2_000_000 });

function errorOf(act: () => unknown): ThreadfoldError {
  try {
    act();
  } catch (error) {
    if (error instanceof ThreadfoldError) return error;
  }
  throw new Error("It did not fail with an error of ours.");
}

describe("a preset", () => {
  it("is found by its exact name, and the error for an unknown name lists all presets", () => {
    for (const preset of PRESETS) expect(presetByName(preset.name)).toBe(preset);
    const error = errorOf(() => presetByName("thredfold"));
    expect([error.code, error.message]).toEqual(["INVALID_CONFIG", "There is no preset thredfold."]);
    for (const { name } of PRESETS) expect(error.hint).toContain(name);
  });

  it("has its own policy version, name and description, so plans and caches tell presets apart", () => {
    for (const { name, config } of PRESETS) expect(config.policyVersion).toMatch(new RegExp(`^${name}-v\\d+$`));
    expect(new Set(PRESETS.map(({ name }) => name)).size).toBe(PRESETS.length);
    expect(new Set(PRESETS.map(({ description }) => description)).size).toBe(PRESETS.length);
  });

  it("never folds an empty session, and always folds one over its limit or on request", () => {
    fc.assert(
      fc.property(presets, windows, fc.integer({ min: 1, max: 1_000_000 }), (preset, maxInputTokens, over) => {
        const config = compactionConfig({ ...preset.config, maxInputTokens });
        const room = roomTokens(config);
        const idle: TriggerInput = { tokens: 0, roomTokens: room, turns: 0, steps: 0, messages: 0 };
        const level = (input: Partial<TriggerInput>) => preset.trigger(config).evaluate({ ...idle, ...input }).level;
        expect(level({})).toBe("none");
        expect(level({ tokens: room + over })).toBe("hard");
        expect(level({ overflowed: true })).toBe("hard");
        expect(level({ requested: true })).not.toBe("none");
      }),
      runs(500, 10_000),
    );
  });

  it("that folds a request folds every larger one", () => {
    fc.assert(
      fc.property(presets, windows, fc.nat(2_000_000), fc.nat(500_000), (preset, maxInputTokens, tokens, more) => {
        const config = compactionConfig({ ...preset.config, maxInputTokens });
        const trigger = preset.trigger(config);
        const rest = { roomTokens: roomTokens(config), turns: 0, steps: 0, messages: 0 };
        const levels = [tokens, tokens + more].map((size) => trigger.evaluate({ ...rest, tokens: size }).level);
        const strength = levels.map((level) => ["none", "soft", "hard"].indexOf(level));
        expect(strength[1]).toBeGreaterThanOrEqual(strength[0] as number);
      }),
      runs(500, 10_000),
    );
  });
});

describe("preset figures", () => {
  it("are the preset's defaults, replaced by the caller's values", () => {
    const defaults = { kept: 10, reserve: 400 };
    expect(presetFigures("any", defaults, {})).toEqual(defaults);
    expect(presetFigures("any", defaults, { kept: 0 })).toEqual({ kept: 0, reserve: 400 });
    expect(Object.isFrozen(presetFigures("any", defaults, {}))).toBe(true);
  });

  it("are rejected by name if unknown, or if not a whole number of at least 0", () => {
    const defaults: Readonly<Record<string, number>> = { kept: 10, reserve: 400 };
    const unknown = errorOf(() => presetFigures("any", defaults, { kpet: 1 }));
    expect([unknown.code, unknown.message]).toEqual(["INVALID_CONFIG", "kpet: any has no such figure."]);
    expect(unknown.hint).toContain("kept");
    for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const error = errorOf(() => presetFigures("any", defaults, { kept: value }));
      expect([error.code, error.message]).toEqual([
        "INVALID_CONFIG",
        `kept: ${value} is not a whole number of at least 0.`,
      ]);
    }
  });

  it.each<[string, () => unknown]>([
    ["settings", () => aiSdk(null as never)],
    ["settings", () => codex(42 as never)],
    ["settings", () => opencode([] as never)],
    ["settings", () => pi(null as never)],
    ["splitTurns", () => pi({ splitTurns: "no" as never })],
    ["config", () => codexAutoCompactLimit(undefined as never)],
  ])("are refused as %s when they are of the wrong kind", (name, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }));
  });

  it("leave at least half of a small room, and reserve for the answer what the configuration says", () => {
    const config = compactionConfig({ maxInputTokens: 10_000 });
    const half = Math.ceil(roomTokens(config) / 2);
    expect([aboveReserves(half - 1, config), aboveReserves(half + 1, config)]).toEqual([half, half + 1]);
    expect(outputReserve({ ...config, outputReserveTokens: 0 }, 300)).toBe(300);
    expect(outputReserve({ ...config, outputReserveTokens: 1 }, 300)).toBe(1);
  });

  it("appear in the policy version when they differ from the defaults", () => {
    expect(policyWith("v1", {})).toBe("v1");
    expect(policyWith("v1", { kept: 0, reserve: undefined, words: 5 })).toBe("v1 kept=0 words=5");
  });
});
