import { message } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { openSession, threadId, work } from "../testing/agent-work.ts";

const config = { maxInputTokens: 20_000 };
const said = [message("u0", "user", "Build it."), ...work(0, 8, 1_000)];

/** A session that is gone without having been closed, and its store. */
async function crashed(before: (session: Awaited<ReturnType<typeof openSession>>) => Promise<unknown>, model = "m") {
  const store = createMemoryStore();
  const session = await openSession({ store, config, model });
  await session.append(said);
  await session.prepare();
  await before(session);
  return { store, session };
}

describe("what a session learned", () => {
  it("outlives a crash after a refusal: the next request keeps to the learned limit", async () => {
    const { store, session } = await crashed((open) =>
      open.failed(new Error("prompt is too long: 9000 tokens > 6000 maximum")),
    );
    const next = await openSession({ store, config, model: "m" });
    const prepared = await next.prepare();
    expect(prepared.outcome?.type).toBe("committed");
    expect(prepared.tokens).toBeLessThanOrEqual(6_000);
    const { learnedLimit } = session.stats();
    expect(next.stats().learnedLimit).toBe(learnedLimit);
    expect((learnedLimit ?? 0) / 6_000).toBeCloseTo(1, 1);
    const records = (await store.journal.read(threadId)).map(({ record }) => record);
    expect(records).toContainEqual(
      expect.objectContaining({ type: "request-overflowed", inputTokens: 9_000, limitTokens: 6_000 }),
    );
  });

  it("about the provider's count holds from the first request of the next session", async () => {
    const { store, session } = await crashed(async (open) => {
      const { tokens } = open.stats();
      await open.reportUsage({ inputTokens: Math.round(1.6 * tokens) });
    });
    const next = await openSession({ store, config, model: "m" });
    expect((await next.prepare()).tokens).toBe((await session.prepare()).tokens);
  });

  it("is found again behind many messages that came one by one", async () => {
    const { store, session } = await crashed(async (open) => {
      await open.reportUsage({ inputTokens: Math.round(1.6 * open.stats().tokens) });
    });
    for (let index = 0; index < 100; index++) await session.append([message(`later-${index}`, "user", "And this.")]);
    const next = await openSession({ store, config, model: "m" });
    expect((await next.prepare()).tokens).toBe((await session.prepare()).tokens);
  });

  it("about one model is not applied to another", async () => {
    const { store } = await crashed(async (open) => {
      await open.reportUsage({ inputTokens: 2 * open.stats().tokens });
      await open.reportOverflow({ inputTokens: 9_000, limitTokens: 6_000 });
    });
    const next = await openSession({ store, config, model: "n" });
    expect((await next.prepare()).outcome?.type).toBe("no-op");
    expect(next.stats().learnedLimit).toBeNull();
  });

  it("about a refusal causes no further fold once one has answered it", async () => {
    const { store } = await crashed(async (open) => {
      await open.reportOverflow();
      await open.prepare();
    });
    const next = await openSession({ store, config, model: "m" });
    expect((await next.prepare()).outcome?.type).toBe("no-op");
  });
});
