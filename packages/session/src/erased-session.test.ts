import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, encryptedStore, eraseSubject, memoryKeyStore, openSqliteStore } from "@threadfold/stores";
import { afterAll, describe, expect, it } from "vitest";
import { openSession, threadId } from "./testing/agent-work.ts";

const folder = mkdtempSync(join(tmpdir(), "threadfold-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const why = { actor: "test", reason: "user-request", at: "2026-01-01T00:00:00.000Z" } as const;
const stores: readonly (readonly [string, () => Promise<ThreadfoldStore>])[] = [
  ["memory", async () => createMemoryStore()],
  ["SQLite", () => openSqliteStore(join(folder, `${files++}.db`))],
  ["encrypted memory", async () => encryptedStore(createMemoryStore(), memoryKeyStore())],
];

describe.each(stores)("R23 a session whose thread is erased while it is open, in %s", (_name, open) => {
  it.each([true, false])("hands out no request (journal: %s)", async (journal) => {
    const store = await open();
    const session = await openSession({ store, journal });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    expect((await session.prepare()).payloadText).toContain("Zanzibar");
    await eraseSubject(store, threadId, why);
    await expect(session.prepare()).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    await expect(session.render()).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    await session.close();
  });

  it("hands nothing on, and asks no summarizer for it", async () => {
    const store = await open();
    const session = await openSession({ store });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    await eraseSubject(store, threadId, why);
    let asked = false;
    const summarizer = {
      id: "curious@1",
      summarize: async () => {
        asked = true;
        return { changes: [] };
      },
    };
    const fresh = asThreadId("fresh");
    const handedOn = session.handoff({ goal: "Go on", threadId: fresh, summarizer });
    await expect(handedOn).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect(asked).toBe(false);
    expect(await store.threads.load(fresh)).toBeNull();
    await session.close();
  });

  it("hands nothing on when it is erased while the summarizer reads", async () => {
    const store = await open();
    const session = await openSession({ store });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    const summarizer = {
      id: "slow@1",
      summarize: async () => {
        await eraseSubject(store, threadId, why);
        return { changes: [] };
      },
    };
    const fresh = asThreadId("fresh");
    const handedOn = session.handoff({ goal: "Go on", threadId: fresh, summarizer });
    await expect(handedOn).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect(await store.threads.load(fresh)).toBeNull();
    await session.close();
  });
});
