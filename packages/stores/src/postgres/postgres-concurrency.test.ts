import type { ThreadfoldError } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { dropPlan, entry, message, THREAD, transcript } from "../laws/sample-data.ts";
import { connectForTests, findPostgres, freshSchema, type TestSchema } from "../testing/services.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import type { PostgresDriver } from "./postgres-driver.ts";
import type { PlanNotice } from "./postgres-plans.ts";
import { openPostgresStore, type PostgresStore } from "./postgres-store.ts";

const service = await findPostgres();
const COMMITTERS = 16;

describe.skipIf(!service.isThere)(`stores that share one PostgreSQL database${service.note}`, () => {
  let owner: PostgresDriver;
  let place: TestSchema;
  const stores: PostgresStore[] = [];
  beforeAll(async () => {
    owner = connectForTests(service.url);
    place = freshSchema(owner);
    for (let number = 0; number < COMMITTERS; number++)
      stores.push(await openPostgresStore(service.url, { schema: place.schema, maxConnections: 2 }));
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await place.drop();
    await owner.close();
  });
  const first = (): PostgresStore => stores[0] as PostgresStore;

  it("R4 have exactly one winner for each plan version, and never lose an append (16 stores × 100 rounds)", async ({
    task,
  }) => {
    const { numRuns: rounds } = runs(100);
    Object.assign(task.meta, { figures: { backend: "PostgreSQL", committers: COMMITTERS, rounds } });
    const created = await Promise.allSettled(
      stores.map((store) => store.threads.append(THREAD, [entry(0)], { expectedVersion: "no-thread" })),
    );
    expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (let version = 1; version <= rounds; version++) {
      const plans = stores.map((store, author) =>
        store.plans.commitPlan(
          THREAD,
          dropPlan([{ id: message(0).id, turn: 1 }], { version, threadVersion: 1, author: `${author}` }),
          version - 1,
        ),
      );
      const appends = stores.map((store, author) =>
        store.threads.append(
          THREAD,
          [{ type: "message", message: { ...message(0), id: `${author}-${version}` as never } }],
          { expectedVersion: author === 0 ? 1 + (version - 1) * COMMITTERS : "any" },
        ),
      );
      const [committed, [expecting, ...others]] = await Promise.all([Promise.all(plans), Promise.allSettled(appends)]);
      const outcomes = committed.map(({ status }) => status).sort();
      expect(outcomes).toEqual(["committed", ...Array<string>(COMMITTERS - 1).fill("conflict")]);
      expect(others.every(({ status }) => status === "fulfilled")).toBe(true);
      if (expecting?.status === "rejected") {
        expect((expecting.reason as ThreadfoldError).code).toBe("VERSION_CONFLICT");
        const again = [{ type: "message" as const, message: { ...message(0), id: `0-${version}` as never } }];
        await first().threads.append(THREAD, again, { expectedVersion: "any" });
      }
    }
    expect((await first().threads.load(THREAD))?.version).toBe(1 + rounds * COMMITTERS);
    expect((await first().plans.listPlans(THREAD)).map(({ version }) => version)).toEqual(
      Array.from({ length: rounds }, (_, index) => index + 1),
    );
    expect(await verifyStore(first())).toEqual([]);
  });

  it("P8 append while a commit is under way and commit while an append is, without waiting", async () => {
    const store = first();
    const threadId = "waiting" as typeof THREAD;
    await store.threads.append(threadId, transcript(4), { expectedVersion: 0 });
    for (const guarded of ["plans", "log"] as const) {
      const held = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const holder = new PostgresConnection(owner, { schema: place.schema, tenantId: null, isSecured: false });
      const holding = holder.write(guarded, threadId, async () => {
        held.resolve();
        await released.promise;
      });
      await held.promise;
      if (guarded === "plans") await store.threads.append(threadId, [entry(4)], { expectedVersion: 4 });
      else {
        const plan = dropPlan([], { version: 1, threadVersion: 4, threadId });
        expect((await store.plans.commitPlan(threadId, plan, 0)).status).toBe("committed");
      }
      released.resolve();
      await holding;
    }
  });

  it("R8 return the first result when an append or a commit is repeated after its answer was lost (100 times)", async ({
    task,
  }) => {
    const { numRuns } = runs(100);
    Object.assign(task.meta, { figures: { backend: "PostgreSQL", "lost answers": numRuns } });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.boolean(), async (count, isCommit) => {
        const threadId = `unknown-${number++}` as typeof THREAD;
        const losing = await openPostgresStore(losingAnswers(owner), { schema: place.schema });
        if (isCommit) await first().threads.append(threadId, transcript(count), { expectedVersion: 0 });
        const plan = dropPlan([], { version: 1, threadVersion: count, threadId });
        const work = (store: PostgresStore): Promise<unknown> =>
          isCommit
            ? store.plans.commitPlan(threadId, plan, 0)
            : store.threads.append(threadId, transcript(count), { expectedVersion: 0, idempotencyKey: "key" });
        await expect(work(losing)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
        expect(await work(first())).toEqual(
          isCommit ? { status: "committed", version: 1 } : { version: count, appended: count },
        );
        expect((await first().threads.load(threadId))?.version).toBe(count);
        expect((await first().plans.getCurrentPlan(threadId)).version).toBe(isCommit ? 1 : 0);
      }),
      { numRuns },
    );
  });

  it("R1 apply an append completely or not at all when the server ends the connection, and go on with a new one", async () => {
    const store = await openPostgresStore(service.url, { schema: place.schema, maxConnections: 1 });
    const threadId = "ended" as typeof THREAD;
    await store.threads.append(threadId, transcript(1), { expectedVersion: 0 });
    for (let round = 1; round <= 5; round++) {
      const append = (): Promise<unknown> =>
        store.threads
          .append(threadId, [entry(round)], { expectedVersion: "any" })
          .catch((error: ThreadfoldError) => error);
      const appending = append();
      await owner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND query LIKE '%' || $1 || '%' AND query NOT LIKE '%pg_stat_activity%'`,
        [place.schema],
      );
      let outcome = await appending;
      // A connection that was ended while it was idle is noticed by who uses it next, and the error says to try again.
      for (let attempt = 0; attempt < 3 && outcome instanceof Error; attempt++) {
        expect(outcome).toMatchObject({ code: "STORE_UNAVAILABLE", retryable: true });
        outcome = await append();
      }
      expect(outcome).toMatchObject({ version: round + 1 });
      const version = await store.threads.load(threadId).then(
        (thread) => thread?.version,
        async () => (await store.threads.load(threadId))?.version,
      );
      expect(version).toBe(round + 1);
    }
    await store.close();
  });

  it("C3 are notified of a plan that another store committed, and not of other tenants' plans", async () => {
    const notices: PlanNotice[] = [];
    const heard = Promise.withResolvers<void>();
    const stop = await first().onPlanCommitted((notice) => {
      notices.push(notice);
      heard.resolve();
    });
    const stranger = await openPostgresStore(owner, { schema: place.schema, tenantId: "stranger" });
    for (const store of [stranger, stores[1] as PostgresStore]) {
      const threadId = "noticed" as typeof THREAD;
      await store.threads.append(threadId, transcript(2), { expectedVersion: 0 });
      await store.plans.commitPlan(threadId, dropPlan([], { version: 1, threadVersion: 2, threadId }), 0);
    }
    await heard.promise;
    await stop();
    expect(notices).toEqual([{ type: "plan-committed", threadId: "noticed", version: 1 }]);
  });
});

/** Connections whose transactions are committed, and whose answer then never comes. */
function losingAnswers(driver: PostgresDriver): PostgresDriver {
  return {
    ...driver,
    transaction: async (opening, work) => {
      await driver.transaction(opening, work);
      throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
    },
    close: async () => undefined,
  };
}
