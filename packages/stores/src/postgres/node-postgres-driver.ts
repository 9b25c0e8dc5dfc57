import { Client, type ClientConfig, Pool, type PoolClient, types } from "pg";
import type { PostgresDriver, SqlSession, SqlValue } from "./postgres-driver.ts";

/** How connections are pooled. */
export interface PostgresPoolOptions {
  /** Connections at the most; 10 by default. */
  readonly maxConnections?: number;
  /** How long to wait for a connection, in milliseconds; 5 000 by default. */
  readonly connectTimeoutMs?: number;
}

/** How long a lost listener waits before it connects again, in milliseconds. */
const RECONNECT_MS = 1_000;
const INT8 = 20;

/**
 * Pooled connections to a PostgreSQL by `pg`. Several stores, such as one for each tenant, may share it; who made it
 * closes it.
 *
 * @param address `postgres://user:password@host:port/database`, with the parameters that `pg` reads.
 */
export function connectPostgres(address: string, options: PostgresPoolOptions = {}): PostgresDriver {
  const config: ClientConfig = {
    connectionString: address,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    keepAlive: true,
    types: { getTypeParser: ((oid: number, format: never) => typeParser(oid, format)) as typeof types.getTypeParser },
  };
  const pool = new Pool({ ...config, max: options.maxConnections ?? 10 });
  // A connection that breaks fails the statement that runs on it; without a listener it would end the process.
  pool.on("error", ignore);
  pool.on("connect", (client) => void client.on("error", ignore));
  let closing: Promise<void> | undefined;
  return Object.freeze({
    ...sessionOn(pool),
    transaction: <Result>(opening: string, work: (session: SqlSession) => Promise<Result>) =>
      transaction(pool, opening, work),
    listen: (channel: string, onNotice: (payload: string) => void, onGap: () => void) =>
      listen(config, channel, onNotice, onGap),
    close: () => (closing ??= pool.end()),
  });
}

const ignore = (): void => undefined;

function typeParser(oid: number, format: never): (value: string) => unknown {
  return oid === INT8 && format !== "binary" ? Number : types.getTypeParser(oid, format);
}

/** Statements on one connection, or on whichever one of the pool is free. */
function sessionOn(on: Pick<PoolClient, "query">): SqlSession {
  return {
    query: async <Row>(sql: string, values: readonly SqlValue[] = []) =>
      (await on.query(sql, [...values])).rows as Row[],
    script: async (sql) => void (await on.query(sql)),
  };
}

async function transaction<Result>(
  pool: Pool,
  opening: string,
  work: (session: SqlSession) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED;${opening}`);
    const result = await work(sessionOn(client));
    await client.query("COMMIT");
    return result;
  } catch (error) {
    broken = await rollBack(client);
    throw error;
  } finally {
    // A connection whose state is unknown is closed and not given to the next one who asks.
    client.release(broken);
  }
}

async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Listens on a connection of its own, and connects again when it is lost. */
async function listen(
  config: ClientConfig,
  channel: string,
  onNotice: (payload: string) => void,
  onGap: () => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const fresh = new Client(config);
    fresh.on("error", ignore);
    fresh.on("notification", ({ payload }) => void (stopped || onNotice(payload ?? "")));
    try {
      await fresh.connect();
      await fresh.query(`LISTEN "${channel}"`);
    } catch (error) {
      await fresh.end().catch(ignore);
      throw error;
    }
    fresh.on("end", reconnectLater);
    client = fresh;
    if (stopped) await fresh.end().catch(ignore);
  };
  const reconnectLater = (): void => {
    if (stopped) return;
    timer = setTimeout(() => void connect().then(onGap, reconnectLater), RECONNECT_MS);
    timer.unref();
  };

  await connect();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await client?.end().catch(ignore);
  };
}
