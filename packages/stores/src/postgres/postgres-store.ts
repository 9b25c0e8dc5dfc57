import { ThreadfoldError } from "@threadfold/core";
import { refuseErased } from "../erasure/refuse-erased.ts";
import type { ErasableStore } from "../erasure/store-eraser.ts";
import type { InspectableStore } from "../inspection/stored-rows.ts";
import { isPlainText } from "../rules/checked-arguments.ts";
import type { StoreOptions } from "../store-options.ts";
import { systemClock } from "../system-clock.ts";
import { migratePostgres, schemaName, schemaVersionOf } from "./migrate-postgres.ts";
import { connectPostgres, type PostgresPoolOptions } from "./node-postgres-driver.ts";
import { listenToPlans, type PlanNoticeListener } from "./plan-notices.ts";
import { PostgresArtifacts } from "./postgres-artifacts.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import type { PostgresDriver } from "./postgres-driver.ts";
import { PostgresEraser } from "./postgres-eraser.ts";
import { asStoreError } from "./postgres-errors.ts";
import { PostgresInspector } from "./postgres-inspector.ts";
import { PostgresJournal } from "./postgres-journal.ts";
import { PostgresPlans } from "./postgres-plans.ts";
import { PostgresRanges } from "./postgres-ranges.ts";
import { PostgresRecall } from "./postgres-recall.ts";
import { PostgresThreads } from "./postgres-threads.ts";
import { readRowSecurity, requireRowSecurity } from "./row-level-security.ts";
import { SCHEMA_VERSION } from "./schema.ts";

/** How a store in PostgreSQL is opened. */
export interface PostgresStoreOptions extends StoreOptions, PostgresPoolOptions {
  /** The schema that holds the tables; `threadfold` by default. */
  readonly schema?: string;
  /** Whose threads these are. Stores of different tenants in one schema see nothing of each other; null by default. */
  readonly tenantId?: string | null;
  /**
   * Asks for proof that the server keeps tenants apart, whatever this process sends it: tables with row-level security,
   * and a role that it binds. It guards against a statement that forgets whose rows it means; who can send SQL of his own
   * as this role can name any tenant. Without it, tenants are kept apart by the store's own statements.
   */
  readonly rowLevelSecurity?: boolean;
}

/** A store in PostgreSQL. */
export interface PostgresStore extends InspectableStore, ErasableStore {
  /** Hears of plans that anybody commits to this tenant's threads; see `listenToPlans`. */
  onPlanCommitted(listener: PlanNoticeListener): Promise<() => Promise<void>>;
}

/** Index rows end at 2 704 bytes, and a tenant and a thread share one. */
const LONGEST_TENANT = 128;

/**
 * Opens a store in PostgreSQL. Any number of processes may use one schema: writers of one thread take turns, appends never
 * wait for commits, readers never wait. Tables are made and brought up to date when the role may do so; with
 * `rowLevelSecurity` it may not, and `migratePostgres` does it as their owner.
 *
 * @param server an address, or connections by `connectPostgres`, which stay open when the store is closed.
 * @throws ThreadfoldError `STORE_UNAVAILABLE` when the server cannot be reached or the tables are not up to date,
 * `STORE_FOREIGN` for tables of another program or a newer version, `STORE_UNSAFE_ROLE` when row-level security is asked
 * for and would not hold, `INVALID_CONFIG`.
 */
export async function openPostgresStore(
  server: string | PostgresDriver,
  options: PostgresStoreOptions = {},
): Promise<PostgresStore> {
  const schema = schemaName(options.schema);
  const tenantId = checkTenant(options.tenantId ?? null);
  const driver = typeof server === "string" ? connectPostgres(server, options) : server;
  try {
    const isSecured = await prepare(driver, schema, options.rowLevelSecurity === true);
    const connection = new PostgresConnection(driver, { schema, tenantId, isSecured });
    return storeOn(connection, options, typeof server === "string" ? () => driver.close() : async () => undefined);
  } catch (error) {
    if (typeof server === "string") await driver.close();
    throw error;
  }
}

/** Sees to it that the tables are there, and says whether the server keeps tenants apart. */
async function prepare(driver: PostgresDriver, schema: string, mustSecure: boolean): Promise<boolean> {
  const version = await schemaVersionOf(driver, schema);
  if (version !== SCHEMA_VERSION) {
    if (mustSecure) throw outdated(schema, version);
    await migratePostgres(driver, { schema });
  }
  const security = await readRowSecurity(driver, schema).catch((cause: unknown) => {
    throw asStoreError(cause);
  });
  if (mustSecure) requireRowSecurity(security, schema);
  return security.isOn;
}

function storeOn(
  connection: PostgresConnection,
  options: PostgresStoreOptions,
  closeDriver: () => Promise<void>,
): PostgresStore {
  const clock = options.clock ?? systemClock;
  const listeners = new Set<() => Promise<void>>();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    connection.close();
    await Promise.all([...listeners].map((stop) => stop()));
    await closeDriver();
  };
  const eraser = new PostgresEraser(connection);
  const parts = {
    threads: new PostgresThreads(connection, clock),
    plans: new PostgresPlans(connection, clock),
    artifacts: new PostgresArtifacts(connection, clock),
    ranges: new PostgresRanges(connection),
    recall: new PostgresRecall(connection),
    journal: new PostgresJournal(connection),
  };
  return Object.freeze({
    ...refuseErased(parts, (threadId) => eraser.isErased(threadId), false),
    eraser,
    inspector: new PostgresInspector(connection),
    onPlanCommitted: async (listener: PlanNoticeListener) => {
      const stop = await listenToPlans(connection, listener);
      listeners.add(stop);
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    close: () => (closing ??= close()),
  });
}

function checkTenant(tenantId: string | null): string | null {
  if (tenantId === null) return null;
  if (typeof tenantId === "string" && tenantId.length > 0 && tenantId.length <= LONGEST_TENANT && isPlainText(tenantId))
    return tenantId;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `tenantId has to be a well-formed text of 1 to ${LONGEST_TENANT} characters without NUL.`,
  );
}

function outdated(schema: string, version: number | null): ThreadfoldError {
  const found = version === null ? "has no tables" : `is at version ${version}`;
  return new ThreadfoldError(
    "STORE_UNAVAILABLE",
    `The schema ${schema} ${found}; this store needs version ${SCHEMA_VERSION}.`,
    {
      hint: "Run migratePostgres as the tables' owner; a store with row-level security may not change tables.",
      details: { schema },
    },
  );
}
