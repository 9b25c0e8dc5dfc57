import { connect } from "node:net";

/** A service that a test suite works with, or word that there is none. */
export interface FoundService {
  readonly url: string;
  readonly isThere: boolean;
  /** Goes into the suite's name: empty when the service is there, and says what was skipped when it is not. */
  readonly note: string;
}

/**
 * Looks whether a service answers. Suites without their service are skipped by a name that says so.
 *
 * @throws Error when it does not answer and `THREADFOLD_REQUIRE_SERVICES` is 1, so that the suite fails.
 *
 * @param variable the environment variable that holds the service's address.
 */
export async function findService(variable: string, fallback: string): Promise<FoundService> {
  const url = process.env[variable] ?? fallback;
  const { hostname, port } = new URL(url);
  const isThere = await answers(hostname, Number(port));
  const absence = `nothing answers at ${hostname}:${port}, see ${variable}`;
  if (!isThere && process.env["THREADFOLD_REQUIRE_SERVICES"] === "1") throw new Error(absence);
  return { url, isThere, note: isThere ? "" : ` (skipped: ${absence})` };
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
