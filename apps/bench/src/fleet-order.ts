import { asThreadId, formatById } from "threadfold";
import { AGENT_FRAME, stoppedClock } from "./agent-step.ts";

/** The settings that every process of the fleet gets. */
export interface FleetPlace {
  readonly url: string;
  readonly schema: string;
  readonly queueSchema: string;
  /** Table for the bare rows, in the same schema. */
  readonly bareTable: string;
  /** Number of connections of one process. */
  readonly connections: number;
  /** Number of operations that one process has in progress at the same time. */
  readonly inFlight: number;
  readonly messages: number;
}

/** An order to a process: an operation on a range of threads, for a limited time. */
export type FleetOrder = FleetTask | { readonly do: "work" | "rest" | "end" };

/**
 * An operation on the threads `from` to `to`, excluding `to`: `fill` and `fold` take each thread once, `bare` and
 * `append` cycle through them.
 */
export interface FleetTask {
  readonly do: "fill" | "fold" | "bare" | "append";
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** The result of an order. */
export interface FleetAnswer {
  /** Milliseconds of each operation. */
  readonly times: readonly number[];
  readonly seconds: number;
  /** Processor time of this process for all operations, in milliseconds. */
  readonly cpuMs: number;
  readonly conflicts: number;
}

/** Token budget of a request on these threads. */
export const FLEET_BUDGET = 6_000;

/** Returns the id of the thread with this number. */
export const fleetThread = (thread: number) => asThreadId(`fleet-${thread}`);

/** Options for sessions on these threads, the same in every process. */
export const FLEET_SESSION = {
  config: { maxInputTokens: FLEET_BUDGET },
  format: formatById("anthropic-messages"),
  frame: AGENT_FRAME,
  clock: stoppedClock,
};

/** Returns the address of the benches' PostgreSQL, the same as for the tests. */
export const fleetServer = (): string =>
  process.env["THREADFOLD_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";
