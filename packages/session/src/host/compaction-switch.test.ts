import { message } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";
import { DISABLE_COMPACTION, disabledReason } from "./compaction-switch.ts";

const config = { maxInputTokens: 6_000 };
const talk = [message("u0", "user", "Build it."), ...work(0, 12, 1_000)];

afterEach(() => vi.unstubAllEnvs());

describe("folding switched off", () => {
  it.each([
    ["an option", { compaction: false }],
    ["the environment", { environment: { [DISABLE_COMPACTION]: "1" } }],
    ["the environment, whatever the option says", { compaction: true, environment: { [DISABLE_COMPACTION]: "true" } }],
  ])("by %s renders everything, reports it in the outcome and commits nothing", async (_, options) => {
    const store = createMemoryStore();
    const session = await openSession({ store, config, ...options });
    await session.append(talk);
    const prepared = await session.prepare({ onOverBudget: "send" });
    expect(prepared.outcome).toMatchObject({ type: "disabled", reason: expect.any(String) });
    expect(prepared.tokens).toBeGreaterThan(config.maxInputTokens);
    expect(prepared.manifest.messages.every(({ action }) => action === "include" || action === "pins")).toBe(true);
    expect((await session.compact()).type).toBe("disabled");
    expect((await session.compactInBackground().done).type).toBe("disabled");
    expect(await session.failed("prompt is too long")).toEqual({ kind: "overflow", retry: false });
    expect((await store.plans.getCurrentPlan(session.threadId)).version).toBe(0);
    expect((await session.compact({ force: true })).type).toBe("committed");
  });

  it("by the process's environment works when the host passes no environment", async () => {
    vi.stubEnv(DISABLE_COMPACTION, "1");
    const session = await openSession({ config, onOverBudget: "send" });
    await session.append(talk);
    expect((await session.prepare()).outcome?.type).toBe("disabled");
  });

  it("leaves an existing plan as it is", async () => {
    const store = createMemoryStore();
    const first = await openSession({ store, config });
    await first.append(talk);
    const folded = await first.prepare();
    const off = await openSession({ store, config, compaction: false });
    expect((await off.prepare()).digest).toBe(folded.digest);
  });

  it("is not caused by other values of the variable", () => {
    for (const value of ["0", "false", "", "off", undefined])
      expect(disabledReason(undefined, { [DISABLE_COMPACTION]: value })).toBeNull();
    expect(disabledReason(undefined, { [DISABLE_COMPACTION]: " TRUE " })).toContain(DISABLE_COMPACTION);
  });
});
