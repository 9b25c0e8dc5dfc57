export { migratePostgres, type PostgresMigration, schemaName, schemaVersionOf } from "./migrate-postgres.ts";
export { connectPostgres, type PostgresPoolOptions } from "./node-postgres-driver.ts";
export { type PGliteDatabase, pgliteDriver } from "./pglite-driver.ts";
export { listenToPlans, type PlanNotice, type PlanNoticeListener } from "./plan-notices.ts";
export type { PostgresDriver, SqlSession, SqlValue } from "./postgres-driver.ts";
export { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";
export { type RowSecurity, readRowSecurity } from "./row-level-security.ts";
