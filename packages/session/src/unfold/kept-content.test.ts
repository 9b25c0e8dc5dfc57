import type { ArtifactMetadata, ContextCompactionConfig } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { openSession, threadId, work } from "../testing/agent-work.ts";

/** Long enough that the store's clock, which is the machine's, has not come to its end. */
const LIFE = 3_000_000_000;

/** How what a request brought back is kept for its replay, and how the content was that it came from. */
async function keptAfter(config: Partial<ContextCompactionConfig>) {
  const store = createMemoryStore();
  const session = await openSession({
    store,
    config: {
      maxInputTokens: 12_000,
      autoRehydrateSensitivities: ["confidential"],
      artifactTtlSeconds: LIFE,
      ...config,
    },
  });
  const guarded = work(0, 12, 1_100).map((input) => ({ ...input, metadata: { sensitivity: "confidential" } }));
  await session.append([message("u0", "user", "Build it."), ...guarded]);
  await session.prepare();
  const artifactId = session.plan.externalizations[0]?.artifactId;
  if (artifactId === undefined) throw new Error("Nothing was put away.");
  const source = await store.artifacts.getMetadata(artifactId);
  await session.append([message("ask", "assistant", `I need ${artifactId} again.`)]);
  const prepared = await session.prepare();
  const entries = await store.journal.read(threadId);
  const records = entries.flatMap(({ record }) => (record.type === "request-rendered" ? record.rehydrated : []));
  const kept = await Promise.all(records.map(({ content }) => store.artifacts.getMetadata(content)));
  const replays = await session.replay();
  return { source, asked: artifactId, prepared, records, kept, replays };
}

const handling = (metadata: ArtifactMetadata | null) =>
  metadata && [metadata.sensitivity, metadata.createdAt, metadata.ttlSeconds];

describe("content that is kept for the replay of a request", () => {
  it.each([
    ["a part of it", 200, true],
    ["the whole of it", 4_000, false],
  ])("expires and is guarded like the content that it came from: %s", async (_, tokens, truncated) => {
    const { source, asked, prepared, records, kept, replays } = await keptAfter({
      rehydrationMaxTokensPerArtifact: tokens,
      rehydrationReserveTokens: 3_000,
    });
    expect(prepared.rehydrated).toEqual([asked]);
    expect(records.map((record) => record.truncated)).toEqual([truncated]);
    expect(handling(source)).toEqual(["confidential", source?.createdAt, LIFE]);
    expect(kept.map(handling)).toEqual([handling(source)]);
    expect(replays.every(({ equal }) => equal)).toBe(true);
  });

  it("lives as long as the configuration says when search found it", async () => {
    const { records, kept } = await keptAfter({
      enableRetrieval: true,
      rehydrationEnabled: false,
      rehydrationReserveTokens: 3_000,
    });
    expect(records.length).toBeGreaterThan(0);
    for (const metadata of kept) expect(metadata?.ttlSeconds).toBe(LIFE);
  });
});
