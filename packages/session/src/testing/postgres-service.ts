import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { connectPostgres, type PostgresDriver } from "@threadfold/stores/postgres";

/** The PostgreSQL server for tests, and whether it is available. */
export interface FoundPostgres {
  readonly url: string;
  readonly isThere: boolean;
  /** A suffix for the suite's name: empty when the server is available, otherwise says why tests are skipped. */
  readonly note: string;
}

/**
 * Checks whether the PostgreSQL of the tests answers.
 *
 * @throws Error when it does not and `THREADFOLD_REQUIRE_SERVICES` is 1, so that the suite fails.
 */
export async function findPostgres(): Promise<FoundPostgres> {
  const url = process.env["THREADFOLD_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";
  const { hostname, port } = new URL(url);
  const isThere = await answers(hostname, Number(port || 5432));
  const absence = `nothing answers at ${hostname}:${port}, see THREADFOLD_POSTGRES_URL`;
  if (!isThere && process.env["THREADFOLD_REQUIRE_SERVICES"] === "1") throw new Error(absence);
  return { url, isThere, note: isThere ? "" : ` (skipped: ${absence})` };
}

/** Returns the same server's URL without disk flushes: for many small commits that need not survive a server crash. */
export function withoutFlush(url: string): string {
  const address = new URL(url);
  address.searchParams.set("options", "-c synchronous_commit=off");
  return address.href;
}

/** Creates names for unique schemas, and drops the schemas afterwards. */
export function freshSchemas(url: string) {
  const driver: PostgresDriver = connectPostgres(url, { maxConnections: 2 });
  const made: string[] = [];
  return {
    driver,
    fresh: (): string => {
      const schema = `threadfold_test_${randomBytes(6).toString("hex")}`;
      made.push(schema);
      return schema;
    },
    drop: async () => {
      for (const schema of made) await driver.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await driver.close();
    },
  };
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 10_000 });
    const end = (found: boolean) => (): void => {
      socket.destroy();
      resolve(found);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}
