import type { ContextCompactionEvent } from "@threadfold/core";
import { message, threadOf } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { NO_REHYDRATIONS } from "../artifacts/rehydration-state.ts";
import { FoldedThread } from "../testing/folded-thread.ts";
import { GuardedStore } from "../testing/guarded-store.ts";
import { countTokens, dropping, exchange, nothingFolded } from "../testing/recall-thread.ts";
import { MemoryRecallIndex, MemoryVectorStore } from "./memory-index.ts";
import { type RetrieveRequest, RetrieveStrategy } from "./retrieve-strategy.ts";

const thread = threadOf(
  message("u", "user", "Make retries configurable."),
  ...exchange("a", "read", "src/retry_policy.ts", "export const retryPolicy = { maxAttempts: 5 };"),
  ...Array.from({ length: 8 }, (_, number) => message(`n${number}`, "assistant", `Step ${number} is done.`)),
  message("z", "assistant", "Now I change the retryPolicy."),
);
const request = (more: Partial<RetrieveRequest> = {}): RetrieveRequest => ({
  index: new MemoryRecallIndex(),
  thread,
  plan: dropping(thread, "a", "a-result"),
  countTokens,
  artifacts: new GuardedStore(),
  currentTurn: 10,
  ttlSeconds: null,
  state: NO_REHYDRATIONS,
  tenantId: null,
  at: "2025-01-01T00:00:00.000Z",
  availableTokens: 5_000,
  ...more,
});
const retrieve = new RetrieveStrategy({ enabled: true });

describe("automatic retrieval", () => {
  it("spec-14 brings back folded content that the last messages are about, stores it as an artifact and reports it", async () => {
    const events: ContextCompactionEvent[] = [];
    const artifacts = new GuardedStore();
    const watched = new RetrieveStrategy({ enabled: true }, undefined, (event) => void events.push(event));
    const { results, state } = await watched.retrieve(request({ artifacts }));
    expect(results).toMatchObject([{ trigger: "recall-match", truncated: false }]);
    const [{ content, tokenCount, artifactId }] = results as [(typeof results)[number]];
    expect(content).toContain("export const retryPolicy = { maxAttempts: 5 };");
    expect(tokenCount).toBe(countTokens(content));
    expect((await artifacts.retrieve(artifactId))?.content).toBe(content);
    expect(events).toMatchObject([{ type: "compaction_recalled", tokens: tokenCount }]);
    expect(Object.keys(state.lastTurns)).toContain("a-result");
  });

  it("does not bring the same content back again within the cooldown turns", async () => {
    const { state } = await retrieve.retrieve(request());
    expect((await retrieve.retrieve(request({ state, currentTurn: 11 }))).results).toEqual([]);
    expect((await retrieve.retrieve(request({ state, currentTurn: 12 }))).results).toHaveLength(1);
  });

  it("stays within its own token budget and the request's free tokens", async () => {
    for (const availableTokens of [-5, 0, 50, 200, 300]) {
      const { results } = await retrieve.retrieve(request({ availableTokens }));
      for (const { tokenCount } of results) expect(tokenCount).toBeLessThanOrEqual(availableTokens);
    }
    const narrow = new RetrieveStrategy({ enabled: true, maxTokens: 250 });
    const [result] = (await narrow.retrieve(request())).results;
    expect(result?.tokenCount).toBeLessThanOrEqual(250);
  });

  it("does nothing when it is disabled, nothing is folded or nothing matches", async () => {
    expect((await new RetrieveStrategy().retrieve(request())).results).toEqual([]);
    expect((await retrieve.retrieve(request({ plan: nothingFolded(thread) }))).results).toEqual([]);
    const other = threadOf(
      message("u", "user", "alpha"),
      message("a", "assistant", "beta"),
      ...Array.from({ length: 6 }, (_, n) => message(`m${n}`, "assistant", "gamma")),
    );
    expect((await retrieve.retrieve(request({ thread: other, plan: dropping(other, "u", "a") }))).results).toEqual([]);
  });

  it("never brings back sensitive content on its own, or content the requester may not read", async () => {
    for (const metadata of [{ sensitivity: "confidential" as const }, { tenantId: "other" }]) {
      const externalized = new FoldedThread();
      await externalized.externalize("the secret launch_code", metadata);
      const own = threadOf(
        message("m0", "user", "the secret launch_code"),
        ...Array.from({ length: 6 }, (_, n) => message(`n${n}`, "assistant", "the launch_code?")),
      );
      const { results } = await retrieve.retrieve(
        request({ thread: own, plan: externalized.plan, artifacts: externalized.store }),
      );
      expect(results).toEqual([]);
    }
  });

  it("spec-126 never brings back on its own a message marked as sensitive, however it was folded", async () => {
    const guarded = (sensitivity: string) =>
      threadOf(
        ...[...thread.messages].map(({ id, role, parts, createdAt }) => {
          const own = id === "a-result" ? { metadata: { sensitivity } } : {};
          return { id, role, parts, createdAt, ...own };
        }),
      );
    const secret = guarded("restricted");
    const ask = request({ thread: secret, plan: dropping(secret, "a", "a-result") });
    for (const { content } of (await retrieve.retrieve(ask)).results) expect(content).not.toContain("maxAttempts");
    const open = new RetrieveStrategy({ enabled: true, sensitivities: ["internal", "restricted"] });
    const [result] = (await open.retrieve(ask)).results;
    expect(result?.content).toContain("maxAttempts");
    expect((await ask.artifacts.getMetadata(result?.artifactId as never))?.sensitivity).toBe("restricted");
  });

  it("spec-125 spec-147 also finds content by meaning when vectors are configured", async () => {
    const vectors = {
      store: new MemoryVectorStore(),
      embed: async (texts: readonly string[]) => texts.map(() => [1, 0]),
    };
    const [source] = [thread.messageAt(2)];
    await vectors.store.upsert(thread.id, [
      { id: "1", vector: [1, 0.1], text: "attempts are limited to five", sources: source ? [source.id] : [] },
    ]);
    const [result] = (await new RetrieveStrategy({ enabled: true }, vectors).retrieve(request())).results;
    expect(result?.content).toContain("--- near in meaning, of a-result\nattempts are limited to five");
  });
});
