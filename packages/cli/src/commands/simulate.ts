import { ThreadfoldError } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { foldedSession, Inspection, presetComparison, storedRecord, zippedPieces } from "@threadfold/inspection";
import { embeddedPage } from "@threadfold/inspector";
import { anthropicMessages } from "@threadfold/renderer";
import {
  ANSWER_COLUMNS,
  ANSWER_NOTES,
  BASELINES,
  baselineById,
  dollarColumn,
  FIGURE_COLUMNS,
  FIGURE_NOTES,
  type FigureColumn,
  inputDollars,
  MEMORY_COLUMNS,
  MEMORY_NOTES,
  type Pauses,
  type PolicyFigures,
  type PolicyOffer,
  presetOffers,
  type RecordedSession,
  recordedSession,
  SCRIPTED_SUMMARIZERS,
  type ScriptedSummarizer,
  type ScriptedSummarizerId,
  type Simulation,
  scriptedSummarizer,
  simulate,
  withPauses,
} from "@threadfold/simulation";
import { type CompactionPreset, PRESETS, presetByName } from "@threadfold/strategies";
import { loadTokenizer } from "@threadfold/tokenizers";
import {
  type CliCall,
  type CliCommand,
  type CliContext,
  type CliReport,
  type CliWarning,
  THREADFOLD_VERSION,
} from "../command/cli-command.ts";
import { importWarnings } from "../compact/compact-data.ts";
import { foldedSource } from "../inspect/inspected-thread.ts";
import { proveWritable, streamWholeFile } from "../output/output-folder.ts";
import { count, figure, type Page, table, wrap } from "../output/page.ts";
import { CONFIG_OPTION, chosenPreset } from "../parse/config-fields.ts";
import {
  parsePauses,
  parsePricedModel,
  parseSource,
  parseTokens,
  SOURCE_ARGUMENT,
  SOURCE_OPTIONS,
  type SourceRequest,
  sourceName,
} from "../parse/options.ts";
import { importSource } from "../source/import-source.ts";

/** The sessions that could be read, and warnings about skipped files and records. */
export interface ReadSessions {
  readonly sessions: readonly RecordedSession[];
  /** The same sessions in imported form. */
  readonly imported: readonly ImportedSession[];
  readonly warnings: readonly CliWarning[];
}

/** The share of the command's progress that reading accounts for. */
const READING_SHARE = 0.05;

/**
 * Reads every session. A file that cannot be read is reported and left out; if none is left, reading fails.
 *
 * @throws ThreadfoldError what importing throws for the first file when none can be read, and `ABORTED`.
 */
async function readSessions(sources: readonly SourceRequest[], { io, progress }: CliContext): Promise<ReadSessions> {
  const sessions: RecordedSession[] = [];
  const imported: ImportedSession[] = [];
  const warnings: CliWarning[] = [];
  const failures: ThreadfoldError[] = [];
  for (const [index, source] of sources.entries()) {
    const { file } = source;
    progress.update("reading", (READING_SHARE * index) / sources.length);
    try {
      const session = await importSource(source, io);
      imported.push(session);
      sessions.push(recordedSession(session, file));
      warnings.push(...importWarnings(session).map(({ code, message }) => ({ code, message: `${file}: ${message}` })));
    } catch (error) {
      if (!ThreadfoldError.isInstance(error) || error.code === "ABORTED") throw error;
      failures.push(error);
      warnings.push({ code: "session-left-out", message: `${file} is left out: ${error.message}` });
    }
  }
  if (sessions.length === 0 && failures[0] !== undefined) throw failures[0];
  return { sessions, imported, warnings };
}

/** The parsed call of `simulate`. */
interface SimulateRequest {
  readonly sources: readonly SourceRequest[];
  readonly presets: readonly PolicyOffer[];
  readonly baselines: readonly PolicyOffer[];
  readonly budgets: readonly number[];
  readonly summarizer: ScriptedSummarizer;
  readonly pauses: Pauses;
  /** The preset under which the page's session is folded. */
  readonly shown: CompactionPreset;
  /** The model in whose prices bills are also given; absent for none. */
  readonly model: string | undefined;
  /** Path of the page; absent when none is wanted. */
  readonly html: string | undefined;
}

/** Names that select every value, or none. */
const ALL = "all";
const NONE = "none";

/** Parses the call of `simulate`. @throws ThreadfoldError `USAGE` or `INVALID_CONFIG`. */
function parseSimulateRequest({ arguments: files, options }: CliCall): SimulateRequest {
  const summarizer = scriptedSummarizer(options["summarizer"] as ScriptedSummarizerId);
  const presets = listOf("--preset", options["preset"]);
  const baselines = listOf("--policy", options["policy"]);
  const html = options["html"];
  if (chosen([...presets, ...baselines]).length === 0)
    throw new ThreadfoldError("USAGE", "--preset and --policy are both none, so there is nothing to replay.");
  if (html === "") throw new ThreadfoldError("USAGE", "--html is empty; it must be a path.");
  const names = presets.includes(ALL) ? PRESETS.map(({ name }) => name) : chosen(presets);
  if (names.length === 0 && options["config"] !== undefined)
    throw new ThreadfoldError("USAGE", "--preset is none, so there is no preset for --config to change.");
  const budgets = [...new Set(listOf("--budget", options["budget"]).map((text) => parseTokens("--budget", text)))];
  const presetOf = (preset: string) => chosenPreset({ ...options, preset }, Math.min(...budgets));
  const policies = names.map(presetOf);
  return {
    sources: files.map((file) => parseSource(file, options)),
    presets: presetOffers(summarizer, policies),
    shown: policies[0] ?? presetByName("threadfold"),
    baselines: baselines.includes(ALL) ? BASELINES : chosen(baselines).map(baselineById),
    ...{ budgets, summarizer },
    pauses: parsePauses(String(options["pauses"])),
    model: parsePricedModel(options),
    html: typeof html === "string" ? html : undefined,
  };
}

/** Parses unique values separated by commas, which never separate thousands: `20000,50000` is two budgets. */
function listOf(option: string, given: CliCall["options"][string]): readonly string[] {
  const text = String(given);
  const values = text.split(",").map((value) => value.trim());
  if (!values.includes("")) return [...new Set(values)];
  throw new ThreadfoldError("USAGE", `${option} is ${JSON.stringify(text)}; it must be values separated by commas.`);
}

const chosen = (names: readonly string[]): readonly string[] => names.filter((name) => name !== NONE);

/** Figures of the time to plan, which has more digits on a machine at work: they are in the narrowest table. */
const TIMES = FIGURE_COLUMNS.filter(({ title }) => title === "ms" || title === "p99");
/** Figures that fit into a terminal's width; the HTML page and `--json` have all of them. */
const COLUMNS = FIGURE_COLUMNS.filter((column) => column.title !== "sent" && !TIMES.includes(column));

/** A simulation as a text page: one table per budget, with presets above the baselines. */
function simulatePage(simulation: Simulation, model: string | undefined, { paint, columns }: Page): string {
  const budgets = [...new Set(simulation.policies.map(({ budget }) => budget))];
  const tables = budgets.map((budget) => {
    const rows = simulation.policies.filter((figures) => figures.budget === budget);
    const sessions = rows[0]?.sessions ?? 0;
    const title = `${figure(budget)} tokens: ${count(sessions, "session")}, ${count(callsAt(simulation, budget), "call")}`;
    if (sessions === 0) return `${paint("bold", title)}\n  every session fits this budget`;
    const section = (heading: string, columns: readonly FigureColumn[]): readonly string[] => [
      paint("bold", heading),
      ...rowsOf(rows, columns).map((line) => `  ${line}`),
    ];
    return [
      ...section(title, model === undefined ? COLUMNS : [...COLUMNS, dollarColumn(model)]),
      ...section("What is remembered of the work, in percent", MEMORY_COLUMNS),
      ...section("What one query brings back, and the time to plan a prompt", [...ANSWER_COLUMNS, ...TIMES]),
    ].join("\n");
  });
  const dollars = model === undefined ? [] : [`dollars: what the input costs with ${model}, by its provider's cache`];
  const notes = [...FIGURE_NOTES, ...dollars, ...MEMORY_NOTES, ...ANSWER_NOTES]
    .flatMap((note) => wrap(note, columns))
    .map((line) => paint("dim", line));
  return [...tables, notes.join("\n")].join("\n\n");
}

function rowsOf(rows: readonly PolicyFigures[], columns: readonly FigureColumn[]): readonly string[] {
  const head = ["policy", ...columns.map(({ title }) => title)];
  const body = rows.map((figures) => [figures.policy, ...columns.map(({ text }) => text(figures))]);
  return table([head, ...body], ["left", ...columns.map(() => "right" as const)]);
}

const callsAt = ({ sessions }: Simulation, budget: number): number =>
  sessions.filter(({ budgets }) => budgets.includes(budget)).reduce((sum, { calls }) => sum + calls, 0);

/** `simulate`: replays recorded sessions call by call under presets and budgets; says what each costs and forgets. */
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
      description: "budgets, counting four characters per token, like 20000,50000 or 20k,50k",
      fallback: "20000,50000,100000",
      list: true,
    },
    CONFIG_OPTION,
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
    {
      flags: "--pauses <minutes>",
      description: "how long the session pauses before each user message: recorded, none, or a number of minutes",
      fallback: "recorded",
    },
    { flags: "--model <name>", description: "also show in dollars what the input costs with this model" },
    {
      flags: "--html <file>",
      description: "write the page that shows the presets and one session's folds; it works offline",
    },
  ],
  examples: [
    "simulate session.jsonl --budget 20000,50000",
    "simulate logs/*.jsonl.gz --preset threadfold,claude-code --html report.html",
    "simulate run.json --summarizer lossy --json",
    "simulate session.jsonl --preset threadfold --pauses 20",
    "simulate session.jsonl --budget 50000 --model claude-sonnet-5",
    "simulate session.jsonl --preset threadfold --config targetPercent=0.4",
  ],
  async run(call, context) {
    const request = parseSimulateRequest(call);
    if (request.html !== undefined) proveWritable(request.html);
    const started = context.io.clock.now();
    const { sessions, imported, warnings } = await readSessions(request.sources, context);
    const rested = sessions.map((session) => withPauses(session, request.pauses));
    const simulation = await simulateAll(request, rested, context);
    if (request.html !== undefined) await writePage(request.html, { request, imported, simulation }, context);
    const done = workDone(request, simulation, context.io.clock.now() - started);
    return { ...reportOf(request, simulation, warnings), notes: [...writtenPage(request), done] };
  },
};

const writtenPage = ({ html }: SimulateRequest): readonly string[] => (html === undefined ? [] : [`Wrote ${html}.`]);

/** How much was replayed, and the time taken, including reading. */
function workDone({ presets, baselines, budgets }: SimulateRequest, { sessions }: Simulation, ms: number): string {
  const runs = sessions.length * budgets.length * (presets.length + baselines.length);
  return `Replayed ${count(sessions.length, "session")} in ${count(runs, "run")}, in ${(ms / 1_000).toFixed(1)} s.`;
}

interface SimulatedPage {
  readonly request: SimulateRequest;
  readonly imported: readonly ImportedSession[];
  readonly simulation: Simulation;
}

/**
 * Writes the inspector's page: the presets compared with each other and, in its other views, the first session that
 * exceeds one of the budgets, folded under the first preset within the smallest budget that it exceeds.
 */
async function writePage(path: string, { request, imported, simulation }: SimulatedPage, { io }: CliContext) {
  const { signal } = io;
  const place = Math.max(
    0,
    simulation.sessions.findIndex(({ budgets }) => budgets.length > 0),
  );
  const session = imported[place] as ImportedSession;
  const budget = Math.min(...(simulation.sessions[place]?.budgets ?? []), ...request.budgets);
  const tokenizer = await loadTokenizer("heuristic");
  const folding = { preset: request.shown, budget, tokenizer, format: anthropicMessages, signal };
  const store = await foldedSession(session, folding);
  const inspection = await Inspection.open(await storedRecord(store, session.threadId, { signal }), {
    ...{ bodies: "short", redacted: true, signal },
    source: { ...foldedSource(session, sourceName(request.sources[place] as SourceRequest)), rawLog: null },
    comparison: presetComparison(simulation, new Set(request.presets.map(({ id }) => id))),
    pricing: session.model === undefined ? {} : { model: session.model },
    threadfoldVersion: THREADFOLD_VERSION,
    now: () => io.clock.now(),
  });
  await streamWholeFile(path, embeddedPage(zippedPieces(inspection, null, signal), { view: "presets" }));
}

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
  const { model } = request;
  const { sessions, summarizer } = simulation;
  const policies = simulation.policies.map((figures) =>
    model === undefined ? figures : { ...figures, dollars: inputDollars(figures, model) },
  );
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
    text: (page) => simulatePage(simulation, request.model, page),
    brief: briefly(simulation),
    warnings: [
      ...warnings,
      ...fitting.map(({ name, tokens }) => ({
        code: "fits-every-budget",
        message: `${name} has ${figure(tokens)} tokens and fits every budget, so it shows nothing; name a smaller budget.`,
      })),
    ],
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
