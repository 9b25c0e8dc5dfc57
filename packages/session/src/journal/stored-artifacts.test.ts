import type { ThreadfoldStore } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { handClock, openSession, threadId, work } from "../testing/agent-work.ts";

const clock = handClock();

/** A thread whose large results lie in artifacts for an hour, and whose requests were prepared. */
async function folded(store: ThreadfoldStore): Promise<void> {
  const session = await openSession({ store, clock, config: { maxInputTokens: 11_500, artifactTtlSeconds: 3_600 } });
  await session.append([message("u0", "user", "Go on until you are done.")]);
  for (const at of [0, 12]) {
    await session.append(work(at, at + 12, 2_000));
    await session.compact({ force: true });
    await session.prepare();
  }
}

describe("the artifacts that a session stores", () => {
  it("are journaled with their retention terms, before the plan or request that needs them", async () => {
    const store = createMemoryStore({ clock });
    await folded(store);
    const records = (await store.journal.read(threadId)).map(({ record }) => record);
    const recorded = new Map<string, number>();
    for (const [at, record] of records.entries()) {
      if (record.type !== "artifacts-stored") continue;
      for (const { artifactId, ...terms } of record.artifacts) {
        expect(await store.artifacts.getMetadata(artifactId)).toMatchObject(terms);
        recorded.set(artifactId, recorded.get(artifactId) ?? at);
      }
    }
    expect([...recorded.keys()].sort()).toEqual([...(await store.artifacts.list(threadId))].sort());
    expect(recorded.size).toBeGreaterThan(3);
    for (const [at, record] of records.entries()) {
      if (record.type === "request-rendered") expect(recorded.get(record.frame)).toBeLessThan(at);
      if (record.type !== "plan-committed") continue;
      const plan = await store.plans.getPlan(threadId, record.planVersion);
      for (const { artifactId } of plan?.externalizations ?? []) expect(recorded.get(artifactId)).toBeLessThan(at);
    }
    expect(await verifyStore(store, threadId, { clock })).toEqual([]);
  });

  it("are reported missing before they expire, and not afterwards", async () => {
    const store = createMemoryStore({ clock });
    await folded(store);
    const stored = await store.artifacts.list(threadId);
    const ttls = await Promise.all(stored.map(async (id) => (await store.artifacts.getMetadata(id))?.ttlSeconds));
    const gone = stored.filter((_, index) => ttls[index] === 3_600).slice(0, 1);
    const without: ThreadfoldStore = {
      threads: store.threads,
      plans: store.plans,
      journal: store.journal,
      artifacts: {
        store: (content, metadata) => store.artifacts.store(content, metadata),
        getMetadata: (id) => store.artifacts.getMetadata(id),
        retrieve: (id) => store.artifacts.retrieve(id),
        list: async (id) => (await store.artifacts.list(id)).filter((artifactId) => !gone.includes(artifactId)),
      },
      close: () => store.close(),
    };
    const [finding, ...others] = await verifyStore(without, threadId, { clock });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ family: "artifacts", at: gone[0] });
    expect(finding?.problem).toMatch(/^it is missing: journal entry \d+ says that it was stored$/);
    const kept = await store.artifacts.getMetadata(gone[0] as NonNullable<(typeof gone)[0]>);
    const expiry = Date.parse(kept?.createdAt ?? "") + 3_600_000;
    for (const [now, found] of [
      [expiry - 1, [finding]],
      [expiry, []],
    ] as const)
      expect(await verifyStore(without, threadId, { clock: { now: () => now } })).toEqual(found);
  });

  it("are reported when their terms were changed outside the session", async () => {
    const store = createMemoryStore({ clock });
    await folded(store);
    const [artifactId] = (await store.artifacts.list(threadId)).slice(-1);
    const artifact = artifactId === undefined ? null : await store.artifacts.retrieve(artifactId);
    if (artifact === null) throw new Error("the artifact is there");
    await store.artifacts.store(artifact.content, { ...artifact.metadata, sensitivity: "restricted" });
    expect(await verifyStore(store, threadId, { clock })).toEqual([
      {
        family: "artifacts",
        threadId,
        at: artifactId,
        problem: "its sensitivity is not the one in the journal, internal",
      },
    ]);
  });
});
