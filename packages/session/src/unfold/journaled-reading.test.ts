import { type ArtifactId, asThreadId } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import type { ContextSession } from "../loop/context-session.ts";
import { openSession, threadId, work } from "../testing/agent-work.ts";

const requester = { requesterId: "ada", tenantId: "acme", permissions: [] };
const config = { maxInputTokens: 6_000 };

/** A session that has folded something into artifacts, and the first of them. */
async function folded(options: Parameters<typeof openSession>[0] = {}) {
  const store = createMemoryStore();
  const session = await openSession({ store, config, tenantId: "acme", securityContext: requester, ...options });
  await session.append([message("u0", "user", "Build it."), ...work(0, 6, 1_300)]);
  await session.prepare();
  const artifactId = session.plan.externalizations[0]?.artifactId;
  if (artifactId === undefined) throw new Error("nothing was externalized");
  const accesses = async () =>
    (await store.journal.read(threadId)).flatMap(({ record }) =>
      record.type === "artifact-read" || record.type === "artifact-denied" ? [record] : [],
    );
  return { store, session, artifactId, accesses };
}

describe("content that is read back for a named requester", () => {
  it("R22 is journaled, whether the session brought it back or the model asked for it", async () => {
    const { store, session, artifactId, accesses } = await folded();
    expect(await accesses()).toEqual([]);
    await session.append([message("r", "assistant", `I need ${artifactId}.`)]);
    expect((await session.prepare()).rehydrated).toEqual([artifactId]);
    const [readArtifact] = session.tools();
    expect((await readArtifact.execute({ artifact_id: artifactId })).outcome).toBe("success");
    expect(await accesses()).toEqual([
      { type: "artifact-read", artifactId, requesterId: "ada", automatic: true },
      { type: "artifact-read", artifactId, requesterId: "ada", automatic: false },
    ]);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    expect(await verifyStore(store)).toEqual([]);
  });

  it("R22 is denied to another tenant's requester, and the journal names who asked", async () => {
    const stranger = { requesterId: "eve", tenantId: "other", permissions: [] };
    const { session, artifactId, accesses } = await folded({ securityContext: stranger });
    const [readArtifact] = session.tools();
    expect((await readArtifact.execute({ artifact_id: artifactId })).problem).toBe("not-found");
    expect(await accesses()).toEqual([{ type: "artifact-denied", artifactId, requesterId: "eve" }]);
  });

  it("is not journaled when the journal is off or nobody is named", async () => {
    for (const options of [{ journal: false }, { securityContext: undefined as never }]) {
      const { session, artifactId, accesses } = await folded(options);
      const [readArtifact] = session.tools();
      expect((await readArtifact.execute({ artifact_id: artifactId })).outcome).toBe("success");
      expect(await accesses()).toEqual([]);
    }
  });
});

describe("read_artifact without a requester", () => {
  it("reads artifacts of its own thread and of the thread it came from, and none of other threads", async () => {
    const store = createMemoryStore();
    const nobody = { store, securityContext: undefined as never };
    const { session, artifactId } = await folded(nobody);
    const read = async (reader: ContextSession, id: ArtifactId) =>
      (await reader.tools()[0].execute({ artifact_id: id })).outcome;
    const other = await openSession({ store, config, threadId: asThreadId("other"), tenantId: "acme" });
    await other.append([message("u0", "user", `What is in ${artifactId}?`)]);
    await other.prepare();
    expect([await read(session, artifactId), await read(other, artifactId)]).toEqual(["success", "failure"]);
    const [frame] = await store.artifacts.list(asThreadId("other"));
    expect(frame && [await read(session, frame), await read(other, frame)]).toEqual(["failure", "success"]);

    await session.fork({ threadId: asThreadId("fork") });
    const forked = await openSession({ store, config, threadId: asThreadId("fork"), tenantId: "acme" });
    expect(await read(forked, artifactId)).toBe("success");

    await session.handoff({ goal: "Go on", threadId: asThreadId("next") });
    const next = await openSession({ store, config, threadId: asThreadId("next"), tenantId: "acme" });
    expect(await read(next, artifactId)).toBe("success");
    const foreign = await openSession({ store, config, threadId: asThreadId("next"), tenantId: "corp" });
    expect(await read(foreign, artifactId)).toBe("failure");
  });
});
