import { parseArgs } from "node:util";
import { ThreadfoldError } from "threadfold";
import type { HostAgent } from "../hosts/host-agent.ts";

/** The options of the command line. */
export interface AgentOptions {
  readonly modelCalls: number;
  /** Size of the session's window in tokens. */
  readonly maxInputTokens: number;
  /** Each host once with each of its selected models. */
  readonly runs: readonly { readonly host: HostAgent; readonly model: string }[];
  readonly json: boolean;
  readonly summarizerFails: boolean;
  readonly store?: string;
}

const FLAGS = {
  calls: { type: "string", default: "1000" },
  window: { type: "string", default: "48000" },
  host: { type: "string", multiple: true },
  model: { type: "string", multiple: true },
  json: { type: "boolean", default: false },
  "summarizer-fails": { type: "boolean", default: false },
  store: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Returns the text of `--help`. */
export const agentsHelp = (hosts: readonly HostAgent[]): string => `Usage: npm run agents -- [options]

Runs the scripted agent in every host, with thinking on, once for each model of the host's provider, against a local
server that speaks the provider's protocol and rejects what the provider rejects. Prints a table of the results.

Options:
  --calls N            model calls per run, rounded up to whole user turns (default: ${FLAGS.calls.default})
  --window TOKENS      size of the session's window in tokens (default: ${FLAGS.window.default})
  --host ID            runs only this host; may be given more than once
  --model NAME         runs only on this model; may be given more than once
  --json               prints { host, model, calls, refusals, reasoningKept } as a line per run, and no table
  --summarizer-fails   makes every summary fail
  --store PATH         stores the threads there: \`threadfold inspect PATH\` shows one while it runs
  -h, --help           prints this

Hosts and their models:
${hosts.map(({ id, protocol }) => `  ${id.padEnd(23)} ${protocol.models.join(", ")}`).join("\n")}

The exit code is 1 if a promise is broken, and 2 for an unknown option.`;

/**
 * Parses the command line; null if help was requested.
 *
 * @throws ThreadfoldError `USAGE` when an option is unknown or has an invalid value.
 */
export function parseAgentOptions(argv: readonly string[], hosts: readonly HostAgent[]): AgentOptions | null {
  const values = flagsOf(argv);
  if (values.help) return null;
  const chosen = hosts.filter(({ id }) => values.host?.includes(id) ?? true);
  refuseUnknown("--host", values.host, ids(hosts));
  const runs = chosen.flatMap((host) => host.protocol.models.map((model) => ({ host, model })));
  refuseUnknown("--model", values.model, [...new Set(runs.map(({ model }) => model))]);
  return {
    modelCalls: countOf("--calls", values.calls),
    maxInputTokens: countOf("--window", values.window),
    runs: runs.filter(({ model }) => values.model?.includes(model) ?? true),
    json: values.json,
    summarizerFails: values["summarizer-fails"],
    ...(values.store !== undefined && { store: values.store }),
  };
}

function flagsOf(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: FLAGS }).values;
  } catch (cause) {
    const said = cause instanceof Error ? cause.message.split(". ")[0] : String(cause);
    throw usage(`${said}.`, cause);
  }
}

const ids = (hosts: readonly HostAgent[]): readonly string[] => hosts.map(({ id }) => id);

function refuseUnknown(flag: string, given: readonly string[] = [], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw usage(`${flag} is ${JSON.stringify(unknown)}; it must be one of ${known.join(", ")}.`);
}

function countOf(flag: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw usage(`${flag} is ${JSON.stringify(text)}; it must be a positive whole number.`);
}

const usage = (problem: string, cause?: unknown): ThreadfoldError =>
  new ThreadfoldError("USAGE", problem, {
    hint: "npm run agents -- --help lists the options.",
    ...(cause !== undefined && { cause }),
  });
