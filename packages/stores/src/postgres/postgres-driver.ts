import { Socket } from "node:net";
import { checkCalls, checkTimeLimit, ThreadfoldError, withinLimit } from "@threadfold/core";
import type { Client, ClientConfig, Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { loadDriver } from "../shared/on-demand.ts";

/** A value that can be bound to a statement. */
export type SqlValue = string | number | boolean | Uint8Array | null | readonly (string | number | null)[];

/** Runs statements one after another, on one connection. */
export interface SqlSession {
  /** Runs a statement with its values (`$1`, `$2`, …) and returns its rows. Whole numbers are returned as numbers. */
  query<Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Runs statements that take no values, and ignores their rows. */
  script(sql: string): Promise<void>;
}

/** What this store needs of PostgreSQL: connections, transactions and notifications. */
export interface PostgresDriver extends SqlSession {
  /**
   * Runs work as one transaction at READ COMMITTED: all of it is stored when this returns, and none when it throws.
   *
   * @param opening statements without values that are sent together with BEGIN, to save a round trip.
   * @param isLong true for work whose statements may take long, such as changing tables.
   */
  transaction<Result>(
    opening: string,
    work: (session: SqlSession) => Promise<Result>,
    isLong?: boolean,
  ): Promise<Result>;
  /**
   * Listens for notifications on a channel, until the returned function is called.
   *
   * @param onGap called when a notification may have been missed.
   */
  listen(channel: string, onNotice: (payload: string) => void, onGap: () => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Checks what is passed as connections. @throws ThreadfoldError `INVALID_CONFIG` that names the argument. */
export const checkDriver = (name: string, driver: unknown): void =>
  checkCalls(name, driver, ["query", "script", "transaction", "listen"], "Pass connectPostgres(address).");

/** Limits of a pool of connections. */
export interface PostgresPoolOptions {
  /** The maximum number of connections; 10 by default. */
  readonly maxConnections?: number;
  /** How long to wait for a connection, in milliseconds; 5 000 by default. */
  readonly connectTimeoutMs?: number;
  /**
   * How long to wait for the response to a statement, in milliseconds, in case the server, or something on the way to
   * it, has stopped responding. Whether the statement was executed is then unknown, and it may be repeated. 75 000 by
   * default, which is more than the server's own limits.
   */
  readonly queryTimeoutMs?: number;
  /** The same for statements that may take long: an erasure, and changes to tables. 1 800 000 by default. */
  readonly longQueryTimeoutMs?: number;
}

/** How long a listener that lost its connection waits before it reconnects, in milliseconds. */
const RECONNECT_MS = 1_000;
/** How long an ended connection may take to close, in milliseconds. */
const FAREWELL_MS = 1_000;
const INT8 = 20;

type PgTypes = typeof import("pg")["types"];

/**
 * Connects to PostgreSQL with a connection pool of `pg`. Several stores, such as one for each tenant, may share it;
 * whoever created it closes it.
 *
 * @param address `postgres://user:password@host:port/database`, with the parameters that `pg` reads.
 * @throws ThreadfoldError `INVALID_CONFIG` when `pg` is not installed.
 */
export function connectPostgres(address: string, options: PostgresPoolOptions = {}): PostgresDriver {
  const pg = loadDriver("pg");
  const { connectTimeoutMs = 5_000, queryTimeoutMs = 75_000, longQueryTimeoutMs = 1_800_000 } = options;
  checkTimeLimit("connectTimeoutMs", connectTimeoutMs);
  const usual = { option: "queryTimeoutMs", milliseconds: checkTimeLimit("queryTimeoutMs", queryTimeoutMs) };
  const long = { option: "longQueryTimeoutMs", milliseconds: checkTimeLimit("longQueryTimeoutMs", longQueryTimeoutMs) };
  const sockets = new Set<Socket>();
  const config: ClientConfig = {
    connectionString: address,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket.once("close", () => sockets.delete(socket)));
      return socket;
    },
    types: { getTypeParser: typeParserOf(pg.types) },
  };
  const pool = new pg.Pool({ ...config, max: options.maxConnections ?? 10 });
  // A broken connection fails the statement that runs on it; without a listener it would end the process.
  pool.on("error", ignore);
  pool.on("connect", (client) => void client.on("error", ignore));
  let closing: Promise<void> | undefined;
  return Object.freeze({
    ...sessionOn(pool, usual),
    transaction: <Result>(opening: string, work: (session: SqlSession) => Promise<Result>, isLong = false) =>
      transaction(pool, opening, work, isLong ? long : usual),
    listen: (channel: string, onNotice: (payload: string) => void, onGap: () => void) =>
      listen((socket) => new pg.Client({ ...config, stream: () => socket }), channel, onNotice, onGap, usual),
    close: () => (closing ??= pool.end().finally(() => forgetSoon(sockets))),
  });
}

/** How long a statement may take, and the option that sets it. */
interface Patience {
  readonly option: string;
  readonly milliseconds: number;
}

/** Lets connections end properly, and closes those whose other side does not respond. */
function forgetSoon(sockets: ReadonlySet<Socket>): void {
  setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, FAREWELL_MS).unref();
}

const ignore = (): void => undefined;

/** Parses 64-bit integers as numbers: what is stored here stays far below where they lose digits. */
function typeParserOf(types: PgTypes): PgTypes["getTypeParser"] {
  const parser = (oid: number, format: never) =>
    oid === INT8 && format !== "binary" ? Number : types.getTypeParser(oid, format);
  return parser as PgTypes["getTypeParser"];
}

/** Returns a session on one connection, or on any free connection of the pool. */
function sessionOn(on: Pick<PoolClient, "query">, patience: Patience): SqlSession {
  return {
    query: async <Row>(sql: string, values: readonly SqlValue[] = []) =>
      (await ask(on, { text: sql, values: [...values] }, patience)).rows as Row[],
    script: async (sql) => void (await ask(on, { text: sql }, patience)),
  };
}

async function ask(
  on: Pick<PoolClient, "query">,
  query: QueryConfig,
  { option, milliseconds }: Patience,
): Promise<QueryResult> {
  const limited: QueryConfig & { readonly query_timeout: number } = { ...query, query_timeout: milliseconds };
  try {
    return await on.query(limited);
  } catch (error) {
    throw isSilence(error) ? postgresSilent(option, milliseconds) : error;
  }
}

/** Recognizes what `pg` throws for a statement that got no response. */
const isSilence = (error: unknown): boolean => error instanceof Error && error.message === "Query read timeout";

async function transaction<Result>(
  pool: Pool,
  opening: string,
  work: (session: SqlSession) => Promise<Result>,
  patience: Patience,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const session = sessionOn(client, patience);
    await session.script(`BEGIN ISOLATION LEVEL READ COMMITTED;${opening}`);
    const result = await work(session);
    await session.script("COMMIT");
    return result;
  } catch (error) {
    // A server that did not respond to one statement is not sent another one.
    broken = isPostgresSilent(error) ? error : await rollBack(client, patience);
    throw error;
  } finally {
    // A connection whose state is unknown is closed, so that the pool does not hand it out again.
    client.release(broken);
  }
}

async function rollBack(client: PoolClient, patience: Patience): Promise<Error | undefined> {
  try {
    await sessionOn(client, patience).script("ROLLBACK");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Listens on a separate connection, and reconnects when it is lost. */
async function listen(
  makeClient: (socket: Socket) => Client,
  channel: string,
  onNotice: (payload: string) => void,
  onGap: () => void,
  patience: Patience,
): Promise<() => Promise<void>> {
  let stopped = false;
  let endListening: (() => Promise<void>) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const socket = new Socket();
    const fresh = makeClient(socket);
    const end = (): Promise<void> => endWithin(fresh, socket);
    fresh.on("error", ignore);
    fresh.on("notification", ({ payload }) => void (stopped || onNotice(payload ?? "")));
    try {
      await fresh.connect();
      await sessionOn(fresh, patience).script(`LISTEN "${channel}"`);
    } catch (error) {
      await end();
      throw error;
    }
    fresh.on("end", reconnectLater);
    endListening = end;
    if (stopped) await end();
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
    await endListening?.();
  };
}

/** Ends a connection, whether or not the other side responds. */
async function endWithin(client: Client, socket: Socket): Promise<void> {
  const limit = { milliseconds: FAREWELL_MS, waitedFor: "PostgreSQL", option: "", timers: globalThis };
  await withinLimit(() => client.end(), limit).catch(ignore);
  socket.destroy();
}

/** The error for a statement that got no response. Whether it was executed is unknown. */
function postgresSilent(option: string, milliseconds: number): ThreadfoldError {
  const waitedFor = "PostgreSQL";
  return new ThreadfoldError("STORE_UNAVAILABLE", `PostgreSQL did not answer within ${milliseconds} ms.`, {
    details: { waitedFor, milliseconds, option },
    hint: `Check the network path to the server, or raise ${option}. The statement may have been executed: retry with the same idempotency key.`,
  });
}

const isPostgresSilent = (error: unknown): error is ThreadfoldError =>
  ThreadfoldError.isInstance(error) && error.details["waitedFor"] === "PostgreSQL";

/** The part of a `PGlite` that this store needs; pass one from `@electric-sql/pglite`. */
export interface PGliteDatabase extends PGliteSession {
  transaction<Result>(work: (transaction: PGliteSession) => Promise<Result>): Promise<Result>;
  listen(channel: string, onNotice: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface PGliteSession {
  query<Row>(sql: string, values?: unknown[]): Promise<{ readonly rows: Row[] }>;
  exec(sql: string): Promise<unknown>;
}

/**
 * Wraps a PostgreSQL inside this process. It has one connection, so transactions take turns, and it suits tests and
 * single processes. Closing the driver leaves the database to whoever created it.
 */
export function pgliteDriver(database: PGliteDatabase): PostgresDriver {
  return Object.freeze({
    ...pgliteSession(database),
    transaction: <Result>(opening: string, work: (session: SqlSession) => Promise<Result>) =>
      database.transaction(async (transaction) => {
        if (opening !== "") await transaction.exec(opening);
        return work(pgliteSession(transaction));
      }),
    listen: (channel: string, onNotice: (payload: string) => void) => database.listen(channel, onNotice),
    close: async () => undefined,
  });
}

function pgliteSession(on: PGliteSession): SqlSession {
  return {
    query: async <Row>(sql: string, values: readonly SqlValue[] = []) => (await on.query<Row>(sql, [...values])).rows,
    script: async (sql) => void (await on.exec(sql)),
  };
}
