import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { BASELINES, reportPage, SCRIPTED_SUMMARIZERS, type Simulation, simulate } from "@threadfold/simulation";
import { PRESETS } from "@threadfold/strategies";
import type { CliCommand, CliContext, CliReport, CliWarning } from "../cli-command.ts";
import { figure } from "../output/figures.ts";
import { writeWholeFile } from "../output/output-folder.ts";
import { SOURCE_ARGUMENT, SOURCE_OPTIONS } from "../parse/source-options.ts";
import { READING_SHARE, readSessions } from "../simulate/read-sessions.ts";
import { simulatePage } from "../simulate/simulate-page.ts";
import { parseSimulateRequest, type SimulateRequest } from "../simulate/simulate-request.ts";
import { THREADFOLD_VERSION } from "../version.ts";

/** `simulate`: replays recorded sessions call by call, under presets and budgets, and says what each costs and forgets. */
export const simulateCommand: CliCommand = {
  arguments: [
    { ...SOURCE_ARGUMENT, description: "recorded sessions, plain or gzip; - for standard input", variadic: true },
  ],
  options: [
    ...SOURCE_OPTIONS,
    {
      flags: "--preset <names>",
      description: `policies: all, none, or some of ${PRESETS.map(({ name }) => name).join(", ")}`,
      fallback: "all",
      list: true,
    },
    {
      flags: "--budget <tokens>",
      description: "budgets, four characters a token, like 20000,50000 or 20k,50k",
      fallback: "20000,50000,100000",
      list: true,
    },
    {
      flags: "--policy <names>",
      description: `what to compare with: all, none, or some of ${BASELINES.map(({ id }) => id).join(", ")}`,
      fallback: "all",
      list: true,
    },
    {
      flags: "--summarizer <name>",
      description: "stand-in for every summarizing model",
      fallback: "extractive",
      choices: SCRIPTED_SUMMARIZERS,
    },
    { flags: "--html <file>", description: "write a page with the figures and plots there; it works offline" },
  ],
  examples: [
    "simulate session.jsonl --budget 20000,50000",
    "simulate logs/*.jsonl.gz --preset threadfold,claude-code --html report.html",
    "simulate run.json --summarizer lossy --json",
  ],
  async run(call, context) {
    const request = parseSimulateRequest(call);
    if (request.html !== undefined) proveWritable(request.html);
    const { sessions, warnings } = await readSessions(request.sources, context);
    const simulation = await simulateAll(request, sessions, context);
    if (request.html !== undefined) {
      const date = new Date(context.io.clock.now()).toISOString().slice(0, 10);
      writeWholeFile(request.html, reportPage(simulation, { date, version: THREADFOLD_VERSION }));
    }
    return reportOf(request, simulation, warnings);
  },
};

const simulateAll = (
  { presets, baselines, budgets, summarizer, html }: SimulateRequest,
  sessions: Parameters<typeof simulate>[0]["sessions"],
  { io, progress }: CliContext,
): Promise<Simulation> =>
  simulate({
    sessions,
    policies: [...presets, ...baselines],
    budgets,
    summarizer,
    signal: io.signal,
    series: html !== undefined,
    onProgress: ({ share, policy }) =>
      progress.update(`replaying ${policy}`, READING_SHARE + (1 - READING_SHARE) * share),
  });

function reportOf(request: SimulateRequest, simulation: Simulation, warnings: readonly CliWarning[]): CliReport {
  const { sessions, policies, summarizer } = simulation;
  const presets = new Set(request.presets.map(({ id }) => id));
  const fitting = sessions.filter(({ budgets }) => budgets.length === 0);
  return {
    data: {
      summarizer,
      sessions,
      policies: policies.filter(({ policy }) => presets.has(policy)),
      baselines: policies.filter(({ policy }) => !presets.has(policy)),
      ...(request.html !== undefined && { html: request.html }),
    },
    text: (page) => simulatePage(simulation, page),
    brief: briefly(simulation),
    warnings: [
      ...warnings,
      ...fitting.map(({ name, tokens }) => ({
        code: "fits-every-budget",
        message: `${name} has ${figure(tokens)} tokens and fits every budget, so it says nothing; name a smaller one.`,
      })),
    ],
    notes: request.html === undefined ? [] : [`Wrote ${request.html}.`],
  };
}

function briefly({ policies }: Simulation): string {
  return policies
    .filter(({ sessions }) => sessions > 0)
    .map(
      ({ policy, budget, bill, coldRecall }) =>
        `${policy} ${budget} bill ${bill.a?.toFixed(3) ?? "-"} cold ${coldRecall.direct?.toFixed(3) ?? "-"}`,
    )
    .join("\n");
}

/** A long simulation must not end with a page that cannot be written. @throws ThreadfoldError `OUTPUT_UNWRITABLE`. */
function proveWritable(path: string): void {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (cause) {
    throw new ThreadfoldError("OUTPUT_UNWRITABLE", `The folder of ${path} is not there or cannot be written.`, {
      cause,
    });
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new ThreadfoldError("OUTPUT_UNWRITABLE", `${path} is a folder; name a file.`);
}
