import { type ContextCompactionConfig, ThreadfoldError } from "@threadfold/core";
import type { Provider, RunningProxy } from "@threadfold/proxy";
import { type CompactionPreset, PRESETS } from "@threadfold/strategies";
import type { CliCall, CliOption } from "../command/cli-command.ts";
import type { CliIo } from "../output/cli-io.ts";
import { CONFIG_OPTION, chosenPreset } from "../parse/config-fields.ts";
import { parseTokens, STORE_OPTION } from "../parse/options.ts";
import { storeAddress } from "../store/store-address.ts";

/**
 * Environment variables in which clients look for a provider's base address. The first name of each is also read here.
 */
const BASE_URL_VARIABLES: Readonly<Record<Provider, readonly [string, ...string[]]>> = {
  anthropic: ["ANTHROPIC_BASE_URL"],
  openai: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
};

const PROVIDERS: readonly Provider[] = ["anthropic", "openai"];

/** The options of every command that starts a proxy. */
export const PROXY_OPTIONS: readonly CliOption[] = [
  {
    flags: "--upstream <name=url>",
    description: `base address of a provider (${PROVIDERS.join(", ")}); may be repeated, once for each (default: its own, or $ANTHROPIC_BASE_URL and $OPENAI_BASE_URL)`,
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
  CONFIG_OPTION,
  STORE_OPTION,
];

/** Returns the variables that direct a client to a proxy. */
export const clientEnvironment = ({ baseUrls }: Pick<RunningProxy, "baseUrls">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PROVIDERS.flatMap((provider) => BASE_URL_VARIABLES[provider].map((name) => [name, baseUrls[provider]])),
  );

/** The parsed options of a proxy. */
export interface ProxyRequest {
  readonly storeAddress: string;
  readonly upstream: Partial<Record<Provider, string>>;
  readonly config: Partial<ContextCompactionConfig>;
  readonly preset: CompactionPreset;
}

/** Parses the options of a proxy. @throws ThreadfoldError `USAGE` or `INVALID_CONFIG`. */
export function parseProxyRequest(options: CliCall["options"], env: CliIo["env"]): ProxyRequest {
  const budget = typeof options["budget"] === "string" ? parseTokens("--budget", options["budget"]) : undefined;
  return {
    storeAddress: storeAddress(options, env),
    upstream: upstreamOf(options, env),
    config: budget === undefined ? {} : { maxInputTokens: budget },
    preset: chosenPreset(options, budget),
  };
}

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
