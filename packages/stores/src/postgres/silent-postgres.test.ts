import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entry, THREAD, transcript } from "../laws/sample-data.ts";
import { openStore } from "../open-store.ts";
import {
  connectForTests,
  findPostgres,
  freshSchema,
  type SilencingProxy,
  startSilencingProxy,
  startSilentServer,
  type TestSchema,
} from "../testing/services.ts";
import type { PostgresDriver } from "./postgres-driver.ts";
import { openPostgresStore, type PostgresStore } from "./postgres-store.ts";

const service = await findPostgres();
// Nothing here answers, so that a limit is what ends it, however slow the machine is.
const SHORT = 50;
/** Long enough for a server that answers; the tests wait for it side by side. */
const LIMIT = 5_000;
const PATIENT = 60_000;

interface BehindProxy {
  readonly proxy: SilencingProxy;
  readonly open: (tenantId?: string) => Promise<PostgresStore>;
}

describe("a PostgreSQL server that accepts connections but never answers", () => {
  it("makes opening a store fail with an error that names connectTimeoutMs", async () => {
    for (const half of ["", "N"]) {
      const server = await startSilentServer(half);
      const open = openStore(`postgres://me:secret@127.0.0.1:${server.port}/db`, {
        postgres: { connectTimeoutMs: SHORT },
      });
      await expect(open).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        hint: expect.stringContaining("connectTimeoutMs"),
      });
      await server.close();
    }
  });

  it("cannot be given a time limit of 0: the error names the option", async () => {
    for (const option of ["connectTimeoutMs", "queryTimeoutMs", "longQueryTimeoutMs"])
      await expect(openPostgresStore("postgres://127.0.0.1:1/db", { [option]: 0 })).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.stringContaining(option),
      });
  });
});

describe
  .skipIf(!service.isThere)
  .concurrent(`a PostgreSQL server behind a proxy that falls silent${service.note}`, () => {
    let owner: PostgresDriver;
    let place: TestSchema;
    beforeAll(async () => {
      owner = connectForTests(service.url);
      place = freshSchema(owner);
      await (await openPostgresStore(service.url, { schema: place.schema })).close();
    });
    afterAll(async () => {
      await place.drop();
      await owner.close();
    });

    let tenants = 0;
    /** Runs a test with a proxy of its own, and closes what it has opened. */
    async function behindProxy(test: (behind: BehindProxy) => Promise<void>): Promise<void> {
      const { hostname: host, port } = new URL(service.url);
      const proxy = await startSilencingProxy({ host, port: Number(port) });
      const url = new URL(service.url);
      url.host = `127.0.0.1:${proxy.port}`;
      const limits = { queryTimeoutMs: LIMIT, longQueryTimeoutMs: LIMIT, connectTimeoutMs: PATIENT };
      const opened: PostgresStore[] = [];
      const open = async (tenantId = `tenant ${++tenants}`) => {
        const store = await openPostgresStore(url.href, { schema: place.schema, tenantId, ...limits });
        opened.push(store);
        return store;
      };
      try {
        await test({ proxy, open });
      } finally {
        for (const store of opened) await store.close();
        await proxy.close();
      }
    }

    it("makes reads, appends and erasures fail with the time limit and its option, and recovers afterwards", () =>
      behindProxy(async ({ proxy, open }) => {
        const calls = [
          (store: PostgresStore) => store.threads.append(THREAD, [entry(2)], { expectedVersion: 2 }),
          (store: PostgresStore) => store.threads.load(THREAD),
          (store: PostgresStore) => store.eraser.erase(THREAD),
        ];
        const stores = await Promise.all(calls.map(() => open()));
        for (const store of stores) await store.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
        proxy.silence(true);
        const failed = calls.map((call, index) =>
          call(stores[index] as PostgresStore).catch((error: unknown) => error),
        );
        for (const error of await Promise.all(failed))
          expect(error).toMatchObject({
            code: "STORE_UNAVAILABLE",
            retryable: true,
            details: { waitedFor: "PostgreSQL", milliseconds: LIMIT, option: expect.stringMatching(/ueryTimeoutMs$/) },
          });
        // Connections of the time before are gone, and those that are made now are answered.
        proxy.silence(false);
        for (const store of stores) expect((await store.threads.load(THREAD))?.version).toBe(2);
      }));

    it("has committed an append whose answer was lost: repeating it with its idempotency key appends nothing twice", () =>
      behindProxy(async ({ proxy, open }) => {
        const tenantId = `tenant ${++tenants}`;
        const store = await open(tenantId);
        await store.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
        const direct = await openPostgresStore(service.url, { schema: place.schema, tenantId });
        const append = () =>
          store.threads.append(THREAD, transcript(4).slice(2), { expectedVersion: 2, idempotencyKey: "key" });
        proxy.loseAnswerTo("COMMIT\0");
        await expect(append()).rejects.toMatchObject({
          code: "STORE_UNAVAILABLE",
          hint: expect.stringContaining("the same idempotency key"),
        });
        expect((await direct.threads.load(THREAD))?.version).toBe(4);
        proxy.silence(false);
        expect(await append()).toEqual({ version: 4, appended: 2 });
        expect((await direct.threads.load(THREAD))?.length).toBe(4);
        await direct.close();
      }));

    it("does not hold up closing the store or stopping a plan listener", () =>
      behindProxy(async ({ proxy, open }) => {
        const store = await open();
        const stop = await store.onPlanCommitted(() => undefined);
        await store.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
        proxy.silence(true);
        const append = store.threads.append(THREAD, [entry(2)], { expectedVersion: 2 });
        append.catch(() => undefined);
        await stop();
        await store.close();
        await expect(append).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
      }));
  });
