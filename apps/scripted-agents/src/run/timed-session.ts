import type { ContextSession } from "threadfold";

/** The calls of a session that a turn consists of. */
const TIMED = ["append", "prepare", "complete"] as const;

/** Milliseconds that a session took for each request, everything since the request before included. */
export interface TurnTimes {
  readonly perTurn: readonly number[];
}

/** Times the calls of a session from now on, in place. A turn ends with its request. */
export function timeSession(session: ContextSession): TurnTimes {
  const perTurn: number[] = [];
  let spent = 0;
  for (const name of TIMED) {
    const call = session[name].bind(session) as (...given: unknown[]) => Promise<unknown>;
    const timed = async (...given: unknown[]): Promise<unknown> => {
      const start = performance.now();
      try {
        return await call(...given);
      } finally {
        spent += performance.now() - start;
        if (name === "prepare") {
          perTurn.push(spent);
          spent = 0;
        }
      }
    };
    Object.assign(session, { [name]: timed });
  }
  return { perTurn };
}
