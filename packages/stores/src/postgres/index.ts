export {
  migratePostgres,
  type PostgresMigration,
  type RowSecurity,
  readRowSecurity,
  schemaName,
  schemaVersionOf,
} from "./migrate-postgres.ts";
export {
  connectPostgres,
  type PGliteDatabase,
  type PostgresDriver,
  type PostgresPoolOptions,
  pgliteDriver,
  type SqlSession,
  type SqlValue,
} from "./postgres-driver.ts";
export { listenToPlans, type PlanNotice, type PlanNoticeListener } from "./postgres-plans.ts";
export { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";
