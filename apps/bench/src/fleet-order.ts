import { asThreadId, formatById } from "threadfold";
import { AGENT_FRAME, stoppedClock } from "./agent-step.ts";

/** What every process of the fleet knows. */
export interface FleetPlace {
  readonly url: string;
  readonly schema: string;
  readonly queueSchema: string;
  /** Table of bare rows, in the same schema. */
  readonly bareTable: string;
  /** Connections of one process. */
  readonly connections: number;
  /** Things that one process does at the same time. */
  readonly inFlight: number;
  readonly messages: number;
}

/** What a process is asked to do: on threads from one number up to another, for so long. */
export type FleetOrder = FleetTask | { readonly do: "work" | "rest" | "end" };

/** `fill` and `fold` take each thread once, `bare` and `append` go round. */
export interface FleetTask {
  readonly do: "fill" | "fold" | "bare" | "append";
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** What came of it. */
export interface FleetAnswer {
  /** Milliseconds of each thing that was done. */
  readonly times: readonly number[];
  readonly seconds: number;
  /** What this process took of the processor for all of it, in milliseconds. */
  readonly cpuMs: number;
  readonly conflicts: number;
}

/** Tokens that a request on these threads may have. */
export const FLEET_BUDGET = 6_000;

/** The thread of a number. */
export const fleetThread = (thread: number) => asThreadId(`fleet-${thread}`);

/** How sessions on these threads are opened, whoever opens them. */
export const FLEET_SESSION = {
  config: { maxInputTokens: FLEET_BUDGET },
  format: formatById("anthropic-messages"),
  frame: AGENT_FRAME,
  clock: stoppedClock,
};

/** Where the PostgreSQL of the benches is, as for the tests. */
export const fleetServer = (): string =>
  process.env["THREADFOLD_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";
