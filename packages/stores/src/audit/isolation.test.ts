import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArtifactId,
  asArtifactId,
  asThreadId,
  canonicalJson,
  type SecurityContext,
  type Sensitivity,
  type SummaryCacheStore,
  sensitivitySchema,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { encryptedStore, sealedSummaryCache } from "../encryption/encrypted-store.ts";
import { memoryKeyStore } from "../encryption/subject-keys.ts";
import { openFileArtifacts } from "../filesystem/file-artifacts.ts";
import { entry, metadata, START_MS } from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { migratePostgres } from "../postgres/migrate-postgres.ts";
import { pgliteDriver } from "../postgres/postgres-driver.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { freshPGlite } from "../testing/services.ts";
import { isCleared, journaledAccess } from "./journaled-access.ts";

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TENANTS = 6;
const tenantName = (tenant: number): string => `tenant ${tenant}`;
/** A word that only this tenant ever wrote. */
const secretOf = (tenant: number): string => `secret${tenant}word`;
const requester = (tenant: number): SecurityContext => ({
  requesterId: `agent of ${tenant}`,
  tenantId: tenantName(tenant),
  permissions: [],
});

/** Paths, keys and patterns that a careless store would take for something else. */
const TRICKS = [
  "../",
  "..%2f",
  "%",
  "_",
  "*",
  "' OR 1=1 --",
  "__proto__",
  "\0",
  "\ud800",
  "",
  " ",
  "/etc/passwd",
  "null",
];

/** What a tenant works with: its own handle, and ids that really are somebody else's. */
interface World {
  readonly handles: readonly ThreadfoldStore[];
  readonly caches: readonly SummaryCacheStore[];
  readonly artifacts: readonly ArtifactId[];
  /** True when all tenants share a file, so that threads themselves are not apart and artifacts alone are. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

const threadOf = (tenant: number): ThreadId => asThreadId(`thread of ${tenant}`);

async function fill(handles: readonly ThreadfoldStore[], caches: readonly SummaryCacheStore[]): Promise<ArtifactId[]> {
  const ids: ArtifactId[] = [];
  for (const [tenant, store] of handles.entries()) {
    const threadId = threadOf(tenant);
    await store.threads.append(threadId, [entry(0, secretOf(tenant)), entry(3, secretOf(tenant))], {
      expectedVersion: 0,
    });
    const thread = await store.threads.load(threadId);
    if (thread !== null) await store.recall?.index(threadId, thread.messages);
    ids.push(await store.artifacts.store(secretOf(tenant), metadata({ threadId, tenantId: tenantName(tenant) })));
    await caches[tenant]?.set("same key", secretOf(tenant));
  }
  return ids;
}

const clock = { now: () => START_MS };
const worlds: readonly (readonly [string, number, () => Promise<World>])[] = [
  [
    "one memory store of all tenants",
    2_000,
    async () => {
      const store = journaledAccess(createMemoryStore({ clock }), { clock });
      const handles = Array.from({ length: TENANTS }, () => store);
      return { handles, caches: [], artifacts: await fill(handles, []), isShared: true, close: () => store.close() };
    },
  ],
  [
    "one SQLite file of all tenants",
    1_000,
    async () => {
      const store = journaledAccess(await openSqliteStore(join(folder, "shared.db"), { clock }), { clock });
      const handles = Array.from({ length: TENANTS }, () => store);
      return { handles, caches: [], artifacts: await fill(handles, []), isShared: true, close: () => store.close() };
    },
  ],
  [
    "encrypted stores over one store within and one cache",
    3_600,
    async () => {
      const inner = createMemoryStore({ clock });
      const keys = memoryKeyStore();
      const cached = new Map<string, string>();
      const cache: SummaryCacheStore = {
        get: async (key) => cached.get(key) ?? null,
        set: async (key, value) => void cached.set(key, value),
      };
      const options = Array.from({ length: TENANTS }, (_, tenant) => ({
        tenantId: tenantName(tenant),
        isShared: true,
      }));
      for (const { tenantId } of options) await keys.getOrCreate(canonicalJson([tenantId, "same"]));
      const handles = options.map((option) => encryptedStore(inner, keys, option));
      const caches = options.map((option) => sealedSummaryCache(cache, keys, asThreadId("same"), option));
      const artifacts = await fill(handles, caches);
      return { handles, caches, artifacts, isShared: false, close: () => inner.close() };
    },
  ],
  [
    "one PostgreSQL schema",
    400,
    async () => {
      const database = await freshPGlite();
      const driver = pgliteDriver(database);
      await migratePostgres(driver, { schema: "isolation" });
      const handles: ThreadfoldStore[] = [];
      for (let tenant = 0; tenant < TENANTS; tenant++)
        handles.push(await openPostgresStore(driver, { clock, schema: "isolation", tenantId: tenantName(tenant) }));
      const close = async (): Promise<void> => {
        for (const handle of handles) await handle.close();
        await driver.close();
        await database.close();
      };
      return { handles, caches: [], artifacts: await fill(handles, []), isShared: false, close };
    },
  ],
  [
    "one folder of artifacts",
    3_000,
    async () => {
      const handles: ThreadfoldStore[] = [];
      for (let tenant = 0; tenant < TENANTS; tenant++) {
        const options = { clock, tenantId: tenantName(tenant) };
        const artifacts = await openFileArtifacts(join(folder, "artifacts"), options);
        handles.push({ ...createMemoryStore({ clock }), artifacts });
      }
      return { handles, caches: [], artifacts: await fill(handles, []), isShared: false, close: async () => undefined };
    },
  ],
];

/** Everything that an operation gave or threw, as text. */
async function seen(work: () => Promise<unknown>): Promise<string> {
  try {
    const result = await work();
    const entries = (result as { entries?: Iterable<unknown> } | null)?.entries;
    return JSON.stringify([result ?? null, typeof entries === "object" ? [...entries] : null]);
  } catch (error) {
    if (!ThreadfoldError.isInstance(error)) throw error;
    return JSON.stringify([error.code, error.message, error.hint, error.details, String(error.cause ?? "")]);
  }
}

describe("R19 tenants stay isolated (10,000 operations over all kinds of stores)", () => {
  const ARTIFACTS = ["retrieve", "getMetadata", "list"] as const;
  const THREADS = [
    "load",
    "range",
    "find",
    "resume",
    "plan",
    "plans",
    "journal",
    "threads",
    "search",
    "cache",
  ] as const;
  // One file for all tenants keeps artifacts apart; its threads are the host's to guard.
  const operations = (isShared: boolean) =>
    fc.record({
      what: fc.constantFrom(...ARTIFACTS, ...(isShared ? [] : THREADS)),
      who: fc.nat(TENANTS - 1),
      whose: fc.nat(TENANTS - 1),
      trick: fc.option(fc.constantFrom(...TRICKS), { freq: 2 }),
      cut: fc.nat(32),
    });

  it.each(worlds)("%s", async (_name, count, open) => {
    const world = await open();
    let done = 0;
    let own = 0;
    await fc.assert(
      fc.asyncProperty(operations(world.isShared), async ({ what, who, whose, trick, cut }) => {
        const store = world.handles[who] as ThreadfoldStore;
        const real = world.artifacts[whose] as ArtifactId;
        const artifactId = trick === null ? real : asArtifactId(trick + real.slice(cut));
        const threadId = trick === null ? threadOf(whose) : asThreadId(trick + threadOf(whose).slice(cut));
        const asker = requester(who);
        const work: Readonly<Record<typeof what, () => Promise<unknown>>> = {
          retrieve: () => store.artifacts.retrieve(artifactId, asker),
          getMetadata: () => store.artifacts.getMetadata(artifactId, asker),
          list: () => store.artifacts.list(threadId, asker),
          load: () => store.threads.load(threadId),
          range: async () => store.ranges?.loadRange(threadId, { fromVersion: 0 }),
          find: async () => store.ranges?.findMessages(threadId, ["m0" as never]),
          resume: async () => store.ranges?.resume(threadId),
          plan: () => store.plans.getCurrentPlan(threadId),
          plans: () => store.plans.listPlans(threadId),
          journal: () => store.journal.read(threadId),
          threads: () => store.threads.list(),
          search: async () => store.recall?.search(threadId, { text: secretOf(whose) }),
          cache: async () => world.caches[who]?.get("same key"),
        };
        const text = await seen(work[what]);
        for (let tenant = 0; tenant < TENANTS; tenant++) {
          if (tenant === who) continue;
          expect(text).not.toContain(secretOf(tenant));
          // What was asked for may be repeated; nobody else's ids may be.
          if (tenant !== whose && what !== "threads") expect(text).not.toContain(threadOf(tenant));
          expect(text).not.toContain(`"${tenantName(tenant)}"`);
        }
        if (who === whose && trick === null && text.includes(secretOf(who))) own++;
        if (artifactId !== world.artifacts[who]) {
          // Denied and never there look alike.
          if (what === "retrieve" || what === "getMetadata") expect(text).toBe(JSON.stringify([null, null]));
        }
        done++;
      }),
      runs(count),
    );
    expect(own).toBeGreaterThan(0);
    expect(done).toBeGreaterThanOrEqual(count);
    await world.close();
  });
});

describe("R22 sensitivity and access", () => {
  const LEVELS = sensitivitySchema.options;

  it("let nobody read content above their clearance, and journal the outcome of every read", async () => {
    const store = createMemoryStore({ clock });
    let clearance: Sensitivity = "restricted";
    const guarded = journaledAccess(store, { clock, clearance: () => clearance });
    const threadId = asThreadId("t");
    const ids = new Map<Sensitivity, ArtifactId>();
    for (const sensitivity of LEVELS)
      ids.set(
        sensitivity,
        await store.artifacts.store(sensitivity, metadata({ threadId, sensitivity, tenantId: "a" })),
      );
    let expected = 0;
    for (const level of LEVELS) {
      for (const sensitivity of LEVELS) {
        for (const tenantId of ["a", "b", null]) {
          clearance = level;
          const artifactId = ids.get(sensitivity) as ArtifactId;
          const who = { requesterId: "r", tenantId, permissions: ["everything"] };
          const mayRead = tenantId === "a" && LEVELS.indexOf(sensitivity) <= LEVELS.indexOf(level);
          expect(isCleared(sensitivity, level)).toBe(LEVELS.indexOf(sensitivity) <= LEVELS.indexOf(level));
          expect((await guarded.artifacts.retrieve(artifactId, who))?.content ?? null).toBe(
            mayRead ? sensitivity : null,
          );
          expect((await guarded.artifacts.getMetadata(artifactId, who)) !== null).toBe(mayRead);
          expect((await guarded.artifacts.list(threadId, who)).includes(artifactId)).toBe(mayRead);
          const journal = await store.journal.read(threadId);
          expect(journal).toHaveLength(++expected);
          expect(journal.at(-1)?.record).toEqual(
            mayRead
              ? { type: "artifact-read", artifactId, requesterId: "r", automatic: false }
              : { type: "artifact-denied", artifactId, requesterId: "r" },
          );
        }
      }
    }
    expect(expected).toBe(48);
    // The host itself reads without being written down; what was never there is nobody's to hear of.
    await guarded.artifacts.retrieve(ids.get("restricted") as ArtifactId);
    expect(await guarded.artifacts.retrieve(asArtifactId("artifact_0"), requester(0))).toBeNull();
    expect(await store.journal.read(threadId)).toHaveLength(48);
  });

  it("make a read fail when its outcome cannot be journaled", async () => {
    const store = createMemoryStore({ clock });
    const id = await store.artifacts.store("content", metadata({ tenantId: tenantName(0) }));
    const append = async (): Promise<never> => {
      throw new ThreadfoldError("STORE_UNAVAILABLE", "full");
    };
    const journal = { append, read: store.journal.read.bind(store.journal) };
    const guarded = journaledAccess({ ...store, journal }, { clock });
    await expect(guarded.artifacts.retrieve(id, requester(0))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it.each([
    ["store", undefined, {}],
    ["store", {}, {}],
    ["clearance", createMemoryStore(), { clearance: "restricted" }],
    ["audience", createMemoryStore(), { audience: "host" }],
  ])("refuse what they cannot be made of: %s", (name, store, options) => {
    expect(() => journaledAccess(store as ThreadfoldStore, options as object)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }),
    );
  });
});
