import { type ProxiedTurn, type RunningProxy, startProxy } from "@threadfold/proxy";
import { openStore } from "@threadfold/stores";
import type { CliIo } from "../output/cli-io.ts";
import { figure, plainText } from "../output/page.ts";
import type { ProxyRequest } from "./proxy-request.ts";

/** What passed a proxy. */
export interface ProxyFigures {
  readonly requests: number;
  readonly threads: number;
  readonly folds: number;
  readonly refused: number;
}

/** How a proxy is started, besides what the command line says. */
interface ServedOptions {
  readonly port?: number;
  /** Null for none. */
  readonly token?: string | null;
  readonly onTurn?: (turn: ProxiedTurn) => void;
}

/**
 * Starts the proxy that is asked for, works with it, and ends it.
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
  const store = await openStore(storeAddress);
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

/** A line about a fold or a refusal; undefined for a turn that nobody needs to hear of. */
export function turnLine({ type, threadId, tokens, outcome }: ProxiedTurn): string | undefined {
  const thread = plainText(threadId);
  if (type === "refused") return `${thread}: refused, ${figure(tokens)} tokens are needed at least`;
  if (outcome?.type !== "committed") return undefined;
  return `${thread}: folded ${figure(outcome.tokens.before)} → ${figure(outcome.tokens.after)} tokens`;
}

/** What passed, in a sentence. */
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

const problemOf = (error: unknown): string =>
  `A request goes out as it came: ${error instanceof Error ? error.message : String(error)}`;
