import { ThreadfoldError } from "@threadfold/core";
import { type ProxiedTurn, type RunningProxy, startProxy } from "@threadfold/proxy";
import type { CliIo } from "../output/cli-io.ts";
import { figure, plainText } from "../output/page.ts";
import { openAddress } from "../store/store-address.ts";
import type { ProxyRequest } from "./proxy-request.ts";

/** Totals of the requests that passed through a proxy. */
export interface ProxyFigures {
  readonly requests: number;
  readonly threads: number;
  readonly folds: number;
  readonly refused: number;
}

/** Options for starting a proxy that do not come from the shared command-line options. */
interface ServedOptions {
  readonly port?: number;
  /** Null for no token. */
  readonly token?: string | null;
  readonly onTurn?: (turn: ProxiedTurn) => void;
}

/**
 * Starts the requested proxy, runs `work` with it, and closes it.
 *
 * @throws ThreadfoldError `USAGE`, `INVALID_CONFIG`, and what opening the store and the work throw.
 */
export async function withProxy<Result>(
  { storeAddress, ...request }: ProxyRequest,
  io: CliIo,
  { onTurn, ...served }: ServedOptions,
  work: (proxy: RunningProxy, figures: () => ProxyFigures) => Promise<Result>,
): Promise<Result> {
  const turns: ProxiedTurn[] = [];
  const store = await openAddress(storeAddress);
  try {
    const proxy = await startProxy({
      ...request,
      ...served,
      store,
      clock: io.clock,
      onTurn: (turn) => {
        turns.push(turn);
        onTurn?.(turn);
      },
      onProblem: (error) => io.stderr.write(`warning: ${plainText(problemOf(error))}\n`),
    });
    try {
      return await work(proxy, () => figuresOf(turns));
    } finally {
      await proxy.close();
    }
  } finally {
    await store.close();
  }
}

/** Returns a line about a fold or a refusal; undefined for a turn that is not worth reporting. */
export function turnLine({ type, threadId, tokens, outcome }: ProxiedTurn): string | undefined {
  const thread = plainText(threadId);
  if (type === "refused") return `${thread}: refused, at least ${figure(tokens)} tokens are needed`;
  if (outcome?.type !== "committed") return undefined;
  return `${thread}: folded ${figure(outcome.tokens.before)} → ${figure(outcome.tokens.after)} tokens`;
}

/** Returns the totals as text. */
export function figuresLine({ requests, threads, folds, refused }: ProxyFigures): string {
  const passed = `${count(requests, "request")} in ${count(threads, "thread")}, ${count(folds, "fold")}`;
  return refused === 0 ? passed : `${passed}, ${refused} refused as too long`;
}

const count = (number: number, what: string): string => `${figure(number)} ${what}${number === 1 ? "" : "s"}`;

const figuresOf = (turns: readonly ProxiedTurn[]): ProxyFigures => ({
  requests: turns.length,
  threads: new Set(turns.map(({ threadId }) => threadId)).size,
  folds: turns.filter(({ outcome }) => outcome?.type === "committed").length,
  refused: turns.filter(({ type }) => type === "refused").length,
});

/** Returns a line about a problem. What is told of an answer says by itself what became of it. */
function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isOfAnswer = ThreadfoldError.isInstance(error) && error.code === "MODEL_CALL_FAILED";
  return isOfAnswer ? message : `A request was passed on unchanged: ${message}`;
}
