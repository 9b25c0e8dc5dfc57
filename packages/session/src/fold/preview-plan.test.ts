import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { asThreadId } from "@threadfold/core";
import { message, messageInputs, pinnedClock, runs } from "@threadfold/core/laws";
import { importSessionFile } from "@threadfold/importers";
import { createMemoryStore } from "@threadfold/stores";
import { PRESETS } from "@threadfold/strategies";
import { HIDDEN_KINDS } from "@threadfold/turn";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const threadId = asThreadId("session-1");
const data = resolve(process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../../shared/data"));
const recorded = join(data, "pi/before-compaction.jsonl.gz");

/** A store that counts what is written to it after `seal`. */
function watchedStore() {
  const store = createMemoryStore();
  const writes: string[] = [];
  const watch = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, key) => {
        if (["append", "store", "commitPlan"].includes(String(key))) writes.push(`${name}.${String(key)}`);
        const value = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const { threads, plans, artifacts, journal } = store;
  const watched = {
    threads: watch("threads", threads),
    plans: watch("plans", plans),
    artifacts: watch("artifacts", artifacts),
    journal: watch("journal", journal),
    close: () => store.close(),
  };
  return { store: watched, writes };
}

describe("a dry run", () => {
  it("gives the very plan that a fold then commits, and stores nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        messageInputs({ malformed: true, maxMessages: 40 }),
        fc.integer({ min: 200, max: 4_000 }),
        fc.constantFrom(...PRESETS),
        fc.boolean(),
        async (messages, maxInputTokens, preset, force) => {
          const { store, writes } = watchedStore();
          const session = await ContextSession.open({
            threadId,
            store,
            preset,
            clock: pinnedClock(0),
            config: { maxInputTokens },
          });
          await session.append(messages);
          const before = writes.length;
          const preview = await session.dryRun({ force });
          expect(writes.slice(before)).toEqual([]);
          expect(session.plan.version).toBe(0);
          const outcome = await session.compact({ force });
          expect(preview.outcome.tokens).toEqual(outcome.tokens);
          if (preview.outcome.type === "would-commit") expect(session.plan.planId).toBe(preview.plan.planId);
          else expect(outcome.type).toBe(preview.outcome.type);
        },
      ),
      runs(30, 1_200),
    );
  });

  it("lists what the request would no longer say, by kind, and nothing that it still says", async () => {
    const session = await ContextSession.open({
      threadId,
      clock: pinnedClock(0),
      config: { maxInputTokens: 2_000, detectPins: false, enableSummarization: false, summaryMaxTokens: 1 },
    });
    const filler = (index: number) => message(`f${index}`, "assistant", `${"All is well and quiet here. ".repeat(40)}`);
    await session.append([
      message(
        "u0",
        "user",
        "Keep latency below 417 ms and look at src/queue/worker.ts. Never touch the billing tables.",
      ),
      message(
        "a0",
        "assistant",
        "We decided to use a ring buffer because it is bounded. The limit is 73.5 % of 1,234,567.",
      ),
      ...Array.from({ length: 12 }, (_, index) => filler(index)),
      message("u1", "user", "Is 42 the limit? Look at src/main.ts."),
    ]);
    const { hidden, outcome } = await session.dryRun({ force: true });
    expect(outcome.type).toBe("would-commit");
    const numbers = hidden.numbers.items.map(({ text }) => text);
    expect(numbers).toEqual(expect.arrayContaining(["417 ms", "73.5 %", "1,234,567"]));
    expect(hidden.files.items.concat(hidden.identifiers.items).map(({ text }) => text)).not.toContain("src/main.ts");
    expect(hidden.constraints.items[0]).toMatchObject({ messageId: "u0" });
    for (const kind of HIDDEN_KINDS) {
      expect(hidden[kind].items.length).toBeLessThanOrEqual(40);
      expect(hidden[kind].total).toBeGreaterThanOrEqual(hidden[kind].items.length);
    }
  });

  it.skipIf(!existsSync(recorded))(
    "weighs a recorded session with prices, and lists the same hidden items again",
    async () => {
      const { messages, system, tools } = await importSessionFile(recorded);
      const options = {
        threadId,
        clock: pinnedClock(0),
        frame: { system, tools },
        config: { maxInputTokens: 100_000 },
      };
      const session = await ContextSession.open(options);
      await session.append(messages);
      const preview = await session.dryRun();
      expect(preview.outcome.type).toBe("would-commit");
      expect(preview.weighing).toMatchObject({ price: { id: "anthropic" }, temperature: "cold", pays: true });
      expect(preview.weighing?.suffix).toBeLessThanOrEqual(preview.outcome.tokens.after);
      const sent = JSON.stringify((await session.prepare()).request);
      for (const { text } of preview.hidden.files.items) expect(sent).not.toContain(JSON.stringify(text).slice(1, -1));
      const again = await ContextSession.open(options);
      await again.append(messages);
      expect((await again.dryRun()).hidden).toEqual(preview.hidden);
    },
  );
});
