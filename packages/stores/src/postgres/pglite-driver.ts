import type { PostgresDriver, SqlSession, SqlValue } from "./postgres-driver.ts";

/** As much of a `PGlite` as this store needs; hand in one from `@electric-sql/pglite`. */
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
 * A PostgreSQL inside this process. It has one connection, so transactions take turns, and it serves tests and single
 * processes. Closing the driver leaves the database to whoever made it.
 */
export function pgliteDriver(database: PGliteDatabase): PostgresDriver {
  return Object.freeze({
    ...sessionOn(database),
    transaction: <Result>(opening: string, work: (session: SqlSession) => Promise<Result>) =>
      database.transaction(async (transaction) => {
        if (opening !== "") await transaction.exec(opening);
        return work(sessionOn(transaction));
      }),
    listen: (channel: string, onNotice: (payload: string) => void) => database.listen(channel, onNotice),
    close: async () => undefined,
  });
}

function sessionOn(on: PGliteSession): SqlSession {
  return {
    query: async <Row>(sql: string, values: readonly SqlValue[] = []) => (await on.query<Row>(sql, [...values])).rows,
    script: async (sql) => void (await on.exec(sql)),
  };
}
