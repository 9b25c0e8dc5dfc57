import { keepLaws, recallLaws } from "@threadfold/core/laws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entry, THREAD } from "../laws/sample-data.ts";
import { connectForTests, findPostgres, freshPGlite, freshSchema } from "../testing/services.ts";
import { type PostgresDriver, pgliteDriver } from "./postgres-driver.ts";
import { openPostgresStore } from "./postgres-store.ts";

const service = await findPostgres();

describe(`recall in PostgreSQL${service.isThere ? "" : " (in PGlite, for no server answers)"}`, () => {
  let driver: PostgresDriver;
  let drop: () => Promise<void>;
  let schema: string;
  beforeAll(async () => {
    const database = service.isThere ? undefined : await freshPGlite();
    driver = database === undefined ? connectForTests(service.url) : pgliteDriver(database);
    const place = freshSchema(driver);
    schema = place.schema;
    drop = async () => {
      await place.drop();
      await driver.close();
      await database?.close();
    };
  }, 60_000);
  afterAll(() => drop());

  let tenants = 0;
  const laws = recallLaws(async () => {
    const store = await openPostgresStore(driver, { schema, tenantId: `tenant ${tenants++}` });
    if (store.recall === undefined) throw new Error("a PostgreSQL store has recall");
    return {
      index: store.recall,
      keep: async (thread) => {
        await store.threads.append(thread.id, thread.entriesBetween(0), { expectedVersion: "any" });
      },
    };
  });
  keepLaws("keeps the laws", laws, { describe, it });

  it("finds a word so long that the index cut it in the middle of a character", async () => {
    const store = await openPostgresStore(driver, { schema, tenantId: "long words" });
    const word = `a${"𐌰".repeat(60)}`;
    await store.threads.append(THREAD, [entry(0, `before ${word} after`)], { expectedVersion: 0 });
    await store.recall?.index(THREAD, (await store.threads.load(THREAD))?.messages ?? []);
    expect((await store.recall?.search(THREAD, { text: word }))?.total).toBe(1);
    expect((await store.recall?.search(THREAD, { text: "𐌱".repeat(60) }))?.total).toBe(0);
  });
});
