export * from "./migrate-postgres.ts";
export * from "./node-postgres-driver.ts";
export * from "./pglite-driver.ts";
export * from "./plan-notices.ts";
export * from "./postgres-driver.ts";
export * from "./postgres-store.ts";
export { type RowSecurity, readRowSecurity } from "./row-level-security.ts";
