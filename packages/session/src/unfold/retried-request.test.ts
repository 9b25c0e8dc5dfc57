import type { Artifact, ContextCompactionConfig, ContextCompactionEvent, MessageInput } from "@threadfold/core";
import { message, patience, runs } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextSession } from "../loop/context-session.ts";
import { openSession, work } from "../testing/agent-work.ts";

const CAP = 12_000;

/** The agent's next step, in which it names what it wants to see again. */
function stepThatNames(session: ContextSession, index: number, count: number, tokens: number): readonly MessageInput[] {
  const names = session.plan.externalizations.slice(0, count).map(({ artifactId }) => artifactId);
  const [call, result] = work(index, index + 1, tokens) as [MessageInput, MessageInput];
  const text = names.length === 0 ? "I go on." : `I still need ${names.join(" and ")}.`;
  return [{ ...call, parts: [{ type: "text", text }, ...call.parts] }, result];
}

const tooMany = Object.assign(new Error("Too many requests"), { status: 429 });

describe("a request that is repeated after a failed call", () => {
  it("spec-78 is the same byte for byte, with what was brought back, until it is answered", {
    timeout: patience(120_000),
  }, async () => {
    let shown = 0;
    const tried = runs(12, 600);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            count: fc.integer({ min: 0, max: 4 }),
            tokens: fc.integer({ min: 50, max: 2_500 }),
            retries: fc.integer({ min: 0, max: 3 }),
          }),
          { minLength: 10, maxLength: 24 },
        ),
        fc.boolean(),
        fc.integer({ min: 0, max: 3 }),
        async (steps, enableRetrieval, rehydrationCooldownTurns) => {
          const config = { maxInputTokens: CAP, enableRetrieval, rehydrationCooldownTurns };
          const [failing, lucky] = [await openSession({ config }), await openSession({ config })];
          for (const session of [failing, lucky]) await session.append([message("u0", "user", "Build it.")]);
          for (const [index, { count, tokens, retries }] of steps.entries()) {
            for (const session of [failing, lucky]) await session.append(stepThatNames(session, index, count, tokens));
            const first = await failing.prepare();
            for (let retry = 0; retry < retries; retry++) {
              await failing.failed(tooMany);
              const again = await failing.prepare();
              expect([again.payloadText, again.rehydrated]).toEqual([first.payloadText, first.rehydrated]);
            }
            // What failed in between has left nothing behind either.
            expect((await lucky.prepare()).payloadText).toBe(first.payloadText);
            shown += first.rehydrated.length;
          }
          expect((await failing.replay()).every(({ equal }) => equal)).toBe(true);
        },
      ),
      tried,
    );
    // A few tries may bring nothing back.
    if (tried.numRuns >= 12) expect(shown).toBeGreaterThan(0);
  });

  it("spec-69 shows the same artifacts as the first, when more were asked for than one request may show", async () => {
    const session = await openSession({ config: { maxInputTokens: 24_000, costModelEnabled: false } });
    await session.append([message("u0", "user", "Build it."), ...work(0, 20, 1_100)]);
    await session.prepare();
    await session.append(stepThatNames(session, 20, 5, 50));
    const first = await session.prepare();
    expect(first.rehydrated).toHaveLength(3);
    expect((await session.prepare()).rehydrated).toEqual(first.rehydrated);
  });

  it("leaves out an artifact that has since become too sensitive", async () => {
    const store = createMemoryStore();
    const session = await openSession({ store, config: { maxInputTokens: 24_000, costModelEnabled: false } });
    await session.append([message("u0", "user", "Build it."), ...work(0, 20, 1_100)]);
    await session.prepare();
    await session.append(stepThatNames(session, 20, 1, 50));
    const { rehydrated } = await session.prepare();
    expect(rehydrated).toHaveLength(1);
    for (const artifactId of rehydrated) {
      const { content, metadata } = (await store.artifacts.retrieve(artifactId)) as Artifact;
      await store.artifacts.store(content, { ...metadata, sensitivity: "restricted" });
    }
    expect((await session.prepare()).rehydrated).toEqual([]);
  });
});

describe("the reserve for rehydrated content", () => {
  const TOKENS = 1_500;
  /** Tokens that a named result of 1 500 takes in each request of an agent's work, up to the most that it may take. */
  async function shownIn(config: Partial<ContextCompactionConfig>): Promise<readonly number[]> {
    const events: ContextCompactionEvent[] = [];
    const session = await openSession({
      onEvent: (event) => events.push(event),
      config: {
        maxInputTokens: CAP,
        costModelEnabled: false,
        softThresholdPercent: 1,
        rehydrationCooldownTurns: 0,
        ...config,
      },
    });
    await session.append([message("u0", "user", "Build it."), ...work(0, 12, TOKENS)]);
    await session.prepare();
    const shown: number[] = [];
    for (let index = 12; index < 60; index++) {
      await session.append(stepThatNames(session, index, 1, 200));
      events.length = 0;
      const { planId, externalizations } = session.plan;
      const { plan } = await session.prepare();
      // A fold may have put the artifact into a summary, together with its name.
      const named = plan.planId === planId && externalizations.length > 0;
      const back = events.flatMap((event) => (event.type === "compaction_rehydrated" ? [event.tokens] : []));
      if (named) shown.push(back.reduce((sum, tokens) => sum + tokens, 0));
    }
    return shown;
  }

  it("spec-79 spec-87 holds in every request, however full; without it a full request shows little or nothing", async () => {
    const [reserved, bare] = [
      await shownIn({ rehydrationReserveTokens: 2_200 }),
      await shownIn({ rehydrationReserveTokens: 0 }),
    ];
    expect(reserved.length).toBeGreaterThan(20);
    expect(Math.min(...reserved)).toBeGreaterThanOrEqual(TOKENS);
    expect(Math.min(...bare)).toBeLessThan(TOKENS / 3);
  });
});
