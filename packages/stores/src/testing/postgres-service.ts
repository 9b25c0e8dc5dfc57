import { randomBytes } from "node:crypto";
import { connectPostgres } from "../postgres/node-postgres-driver.ts";
import type { PostgresDriver } from "../postgres/postgres-driver.ts";
import { type FoundService, findService } from "./find-service.ts";

/** The PostgreSQL that tests work with; its role has to be allowed to make schemas and roles. */
export const findPostgres = (): Promise<FoundService> =>
  findService("THREADFOLD_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres");

/** A schema for one test, and how to get rid of it. */
export interface TestSchema {
  readonly schema: string;
  readonly drop: () => Promise<void>;
}

/** A name for a schema that nobody else uses. */
export function freshSchema(driver: PostgresDriver): TestSchema {
  const schema = `threadfold_test_${randomBytes(6).toString("hex")}`;
  return { schema, drop: async () => driver.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE`) };
}

/** A role as an application would have, and an address that signs it in. */
export interface TestRole {
  readonly name: string;
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Makes a role that owns nothing. */
export async function createRole(owner: PostgresDriver, ownerUrl: string): Promise<TestRole> {
  const name = `threadfold_test_${randomBytes(6).toString("hex")}`;
  await owner.script(`CREATE ROLE ${name} LOGIN PASSWORD '${name}' NOSUPERUSER NOBYPASSRLS`);
  const url = new URL(ownerUrl);
  url.username = name;
  url.password = name;
  return {
    name,
    url: url.href,
    drop: async () => owner.script(`DROP OWNED BY ${name}; DROP ROLE ${name}`),
  };
}

/** Connections that one test file shares. */
export const connectForTests = (url: string, maxConnections = 10): PostgresDriver =>
  connectPostgres(url, { maxConnections });
