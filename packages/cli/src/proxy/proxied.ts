import { ThreadfoldError } from "@threadfold/core";
import { PROVIDERS, type Provider, type ProxiedTurn, type RunningProxy, startProxy } from "@threadfold/proxy";
import { openStore } from "@threadfold/stores";
import { PRESETS, presetByName } from "@threadfold/strategies";
import type { CliCall, CliOption } from "../command/cli-command.ts";
import type { CliIo } from "../output/cli-io.ts";
import { figure, plainText } from "../output/page.ts";
import { parseTokens, STORE_OPTION } from "../parse/options.ts";
import { storeAddress } from "../store/store-address.ts";

/** The options of every command that starts a proxy. */
export const PROXY_OPTIONS: readonly CliOption[] = [
  {
    flags: "--upstream <name=url>",
    description: `base address of a provider (${PROVIDERS.join(", ")}); may be given for each (default: its own, or $ANTHROPIC_BASE_URL and $OPENAI_BASE_URL)`,
    list: true,
  },
  {
    flags: "--budget <tokens>",
    description: "tokens that a request may take, like 100000 or 100k (default: what suits the request's model)",
  },
  {
    flags: "--preset <name>",
    description: `policy: ${PRESETS.map(({ name }) => name).join(", ")}`,
    fallback: "threadfold",
  },
  STORE_OPTION,
];

/** Where a client's environment names the base address of a provider. The first name of each is read as well. */
const BASE_URL_VARIABLES: Readonly<Record<Provider, readonly [string, ...string[]]>> = {
  anthropic: ["ANTHROPIC_BASE_URL"],
  openai: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
};

/** The variables that send a client to a proxy. */
export const clientEnvironment = ({ baseUrls }: Pick<RunningProxy, "baseUrls">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PROVIDERS.flatMap((provider) => BASE_URL_VARIABLES[provider].map((name) => [name, baseUrls[provider]])),
  );

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
 * Starts the proxy that a command line asks for, works with it, and ends it.
 *
 * @throws ThreadfoldError `USAGE`, `INVALID_CONFIG`, and what opening the store and the work throw.
 */
export async function withProxy<Result>(
  options: CliCall["options"],
  io: CliIo,
  { onTurn, ...served }: ServedOptions,
  work: (proxy: RunningProxy, figures: () => ProxyFigures) => Promise<Result>,
): Promise<Result> {
  const { budget, preset } = options;
  const upstream = upstreamOf(options, io.env);
  const config = typeof budget === "string" ? { maxInputTokens: parseTokens("--budget", budget) } : {};
  const policy = presetByName(String(preset));
  const turns: ProxiedTurn[] = [];
  const store = await openStore(storeAddress(options, io.env));
  try {
    const proxy = await startProxy({
      ...served,
      store,
      upstream,
      config,
      preset: policy,
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

function upstreamOf({ upstream }: CliCall["options"], env: CliIo["env"]): Partial<Record<Provider, string>> {
  const given = Array.isArray(upstream) ? (upstream as readonly string[]).map(parseUpstream) : [];
  const fromEnvironment = PROVIDERS.flatMap((provider) => {
    const address = env[BASE_URL_VARIABLES[provider][0]] ?? "";
    return address === "" ? [] : [[provider, address] as const];
  });
  return Object.fromEntries([...fromEnvironment, ...given]);
}

function parseUpstream(text: string): readonly [Provider, string] {
  const [name, ...rest] = text.split("=");
  const provider = PROVIDERS.find((known) => known === name);
  if (provider !== undefined && rest.length > 0) return [provider, rest.join("=")];
  throw new ThreadfoldError(
    "USAGE",
    `--upstream is ${JSON.stringify(text)}; it must name a provider and its address.`,
    {
      hint: `Write it as ${PROVIDERS.map((known) => `${known}=https://…`).join(" or ")}.`,
    },
  );
}
