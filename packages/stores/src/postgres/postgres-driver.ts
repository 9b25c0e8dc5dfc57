/** A value that a statement takes. */
export type SqlValue = string | number | boolean | Uint8Array | null | readonly (string | number | null)[];

/** Runs statements one after the other, on one connection. */
export interface SqlSession {
  /** Runs a statement with its values (`$1`, `$2`, …) and gives its rows. Whole numbers come as numbers. */
  query<Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Runs statements that take no values and whose rows nobody needs. */
  script(sql: string): Promise<void>;
}

/** What this store needs of a PostgreSQL: connections, transactions, and word from others. */
export interface PostgresDriver extends SqlSession {
  /**
   * Runs work as one transaction at READ COMMITTED: all of it is kept when this returns, and none when it throws.
   *
   * @param opening statements without values that are sent together with BEGIN, to save a round trip.
   * @param isLong true for work whose statements may take long, such as changing tables.
   */
  transaction<Result>(
    opening: string,
    work: (session: SqlSession) => Promise<Result>,
    isLong?: boolean,
  ): Promise<Result>;
  /** Hears what others notify on a channel, until the returned function is called. `onGap`: something may have been missed. */
  listen(channel: string, onNotice: (payload: string) => void, onGap: () => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
