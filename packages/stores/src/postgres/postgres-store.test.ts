import { keepLaws } from "@threadfold/core/laws";
import { afterAll, describe, it } from "vitest";
import { storeLaws } from "../laws/store-laws.ts";
import { connectForTests, createRole, findPostgres, freshPGlite, freshSchema } from "../testing/services.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { type PostgresDriver, pgliteDriver } from "./postgres-driver.ts";
import { openPostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";

const service = await findPostgres();
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

let tenants = 0;

/** Runs the suite in one schema, as a new tenant for every law: to be alone is what tenants are promised. */
function keepStoreLaws(title: string, driver: PostgresDriver, options: PostgresStoreOptions): void {
  const open = (clock: PostgresStoreOptions["clock"]) =>
    openPostgresStore(driver, { ...options, tenantId: `tenant "${tenants}"`, ...(clock !== undefined && { clock }) });
  keepLaws(
    `${title} store`,
    storeLaws({
      open: async ({ clock }) => {
        tenants++;
        return open(clock);
      },
      reopen: async ({ clock }) => open(clock),
    }),
    { describe, it },
  );
}

if (service.isThere) {
  const owner = connectForTests(service.url);
  closing.push(() => owner.close());
  const plain = freshSchema(owner);
  closing.push(() => plain.drop());
  keepStoreLaws("PostgreSQL", owner, { schema: plain.schema });

  const role = await createRole(owner, service.url);
  closing.push(() => role.drop());
  const secured = freshSchema(owner);
  closing.push(() => secured.drop());
  await migratePostgres(owner, { schema: secured.schema, applicationRole: role.name });
  const application = connectForTests(role.url);
  closing.push(() => application.close());
  keepStoreLaws("PostgreSQL with row-level security", application, { schema: secured.schema, rowLevelSecurity: true });
} else {
  describe(`PostgreSQL store${service.note}; the same laws ran in PGlite`, () => it.skip("keeps every law", () => {}));
  const database = await freshPGlite();
  closing.push(() => database.close());
  keepStoreLaws("PostgreSQL in PGlite", pgliteDriver(database), {});
}
