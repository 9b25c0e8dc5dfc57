import {
  ANSWER_COLUMNS,
  ANSWER_NOTES,
  FIGURE_COLUMNS,
  FIGURE_NOTES,
  type FigureColumn,
  MEMORY_COLUMNS,
  MEMORY_NOTES,
  type PolicyFigures,
} from "@threadfold/simulation";
import type { BenchMachine } from "./bench-machine.ts";
import { type FleetResults, fleetTable, sayLive, sayPool } from "./fleet-table.ts";
import { type FoldsResults, foldsTable } from "./folds-table.ts";
import type { PeersResults, PolicyKind } from "./peers-results.ts";
import type { SpeedResults } from "./speed-results.ts";
import { speedRows } from "./speed-table.ts";
import { type StartResults, startTable } from "./start-table.ts";
import { type StorageResults, storageTable } from "./storage-table.ts";
import { markdownTable } from "./text-table.ts";

/** The results of `bench:pauses`, budget by budget. */
export interface PausesResults {
  readonly machine: BenchMachine;
  readonly rows: readonly {
    readonly budget: number;
    /** Number of sessions with pauses that exceed the budget. */
    readonly sessions: number;
    /** Input tokens paid for, with cached ones at their share of the price. */
    readonly without: number;
    readonly withBoth: number;
    /** Share by which `withBoth` is below `without`. */
    readonly below: number;
    /** Share of `without` that the pauses cost. */
    readonly pauses: number;
  }[];
}

/** The results that the page is made from. Those not measured are null, and the page says so. */
export interface DocsInput {
  readonly peers: PeersResults | null;
  readonly speed: SpeedResults | null;
  readonly folds: FoldsResults | null;
  readonly start: StartResults | null;
  readonly storage: StorageResults | null;
  readonly fleet: FleetResults | null;
  readonly pauses: PausesResults | null;
  /** The current page: a section not measured since then on this machine is kept, with its date and machine. */
  readonly before: string;
}

/** Returns `docs/benchmarks.md`, with every figure taken from the benches' results. */
export function docsPage(input: DocsInput): string {
  const { peers, speed, folds, start, storage, fleet, pauses, before } = input;
  const kept = (heading: string, otherwise: string): readonly string[] => [sectionOf(before, heading) ?? otherwise];
  return `${[
    "# Benchmarks",
    "This page is written by `npm run bench:docs` from the results of `npm run bench:peers`, `npm run bench:pauses`, `npm run bench:speed`, `npm run bench:folds`, `npm run bench:start`, `npm run bench:storage` and `npm run bench:fleet`. No figure is typed by hand; to get your own, run those seven commands and then `npm run bench:docs`.",
    ...(peers === null ? kept("Side by side", "The comparison with peers was not run.") : peersSection(peers)),
    ...(pauses === null ? kept("Pauses", "The pauses benchmark was not run.") : pausesSection(pauses)),
    ...(speed === null ? kept("Speed", "The speed benchmark was not run.") : speedSection(speed)),
    ...(folds === null ? kept("Folds of a long thread", "The folds benchmark was not run.") : foldsSection(folds)),
    ...(start === null ? kept("Start", "The start benchmark was not run.") : startSection(start)),
    ...(storage === null ? kept("Storage", "The storage benchmark was not run.") : storageSection(storage)),
    ...(fleet === null ? kept("Many threads at once", "The fleet benchmark was not run.") : fleetSection(fleet)),
  ].join("\n\n")}\n`;
}

/** Returns a section of a page without trailing blank lines; null if the page has no section with that heading. */
export function sectionOf(page: string, heading: string): string | null {
  const sections = page.split(/^(?=## )/m);
  return sections.find((section) => section.startsWith(`## ${heading}\n`))?.trimEnd() ?? null;
}

const KINDS: Readonly<Record<PolicyKind, string>> = { preset: "preset", baseline: "baseline", peer: "peer" };

function peersSection(results: PeersResults): readonly string[] {
  const { policies, sessions, machine, seconds, processes, summarizer, absent, givenUp, versions } = results;
  const budgets = [...new Set(policies.map(({ budget }) => budget))];
  const calls = sessions.reduce((sum, one) => sum + one.calls, 0);
  return [
    "## Side by side",
    `${sessions.length} recorded sessions of real agents, ${whole(calls)} model calls, replayed call by call: before each recorded call, a policy receives what is new and returns the prompt. A session counts at a budget only if its whole history exceeds that budget. When a policy asks a model for a summary, the same scripted summarizer (${summarizer}) answers, whatever the policy. Measured ${measuredOn(machine)}, in ${whole(Math.round(seconds))} s with ${processes} processes.`,
    ...budgets.flatMap((budget) => budgetBlock(budget, policies)),
    "What the columns mean:",
    [...FIGURE_NOTES, ...MEMORY_NOTES, ...ANSWER_NOTES].map((note) => `- ${note}`).join("\n"),
    "These figures measure presence: that a name is in the prompt does not mean that a model uses it.",
    ...(absent.length === 0
      ? []
      : ["### Not compared, and why", absent.map(({ name, reason }) => `- ${name}: ${reason}`).join("\n")]),
    ...(givenUp.length === 0
      ? []
      : [
          "### Given up",
          givenUp
            .map(({ policy, budget, session, reason }) => `- ${policy} at ${whole(budget)} on ${session}: ${reason}`)
            .join("\n"),
        ]),
    "### Versions of the peers",
    markdownTable([["package", "version"], ...Object.entries(versions)], 2),
  ];
}

function budgetBlock(budget: number, policies: PeersResults["policies"]): readonly string[] {
  const rows = policies.filter((figures) => figures.budget === budget);
  const sessions = rows.reduce((most, row) => Math.max(most, row.sessions), 0);
  const table = (columns: readonly FigureColumn[]): string =>
    markdownTable(
      [
        ["policy", "", ...columns.map(({ title }) => title)],
        ...rows.map((figures) => [
          nameOf(figures, sessions),
          KINDS[figures.kind],
          ...columns.map(({ text }) => text(figures)),
        ]),
      ],
      2,
    );
  return [
    `### ${whole(budget)} tokens, ${sessions} sessions`,
    table(FIGURE_COLUMNS),
    "How much of the work is remembered, in percent:",
    table(MEMORY_COLUMNS),
    "What one query brings back:",
    table(ANSWER_COLUMNS),
  ];
}

/** Policies given up on some sessions say how many of the sessions they have. */
function nameOf({ policy, sessions }: PolicyFigures, all: number): string {
  return sessions === all ? policy : `${policy} (${sessions} of ${all} sessions)`;
}

/** The page's section about pauses. */
function pausesSection({ machine, rows }: PausesResults): readonly string[] {
  return [
    "## Pauses",
    `What the default preset's prompts cost under Anthropic's cache rules, in input tokens paid for, on the recorded sessions with a pause of more than five minutes: once with every prefix kept for five minutes and no fold on a cold return, and once with \`cachePolicy: "auto"\` and folds on a cold return. The last column is the share of the bill without both that the pauses cause; more than that is saved when a fold on a cold return makes the calls after it cheaper as well. \`npm run bench:pauses\`, measured ${measuredOn(machine)}.`,
    markdownTable([
      ["budget", "sessions", "without both", "with both", "saved, %", "cost of pauses, %"],
      ...rows.map(({ budget, sessions, without, withBoth, below, pauses }) => [
        ...[budget, sessions, without, withBoth].map(whole),
        ...[below, pauses].map((share) => (100 * share).toFixed(1)),
      ]),
    ]),
  ];
}

function speedSection(results: SpeedResults): readonly string[] {
  const { machine, seconds, limitSeconds, turns, turnExponent, policies } = results;
  const rows = speedRows(results);
  const problems = policies.flatMap(({ policy, problem }) =>
    problem === undefined ? [] : [`- ${policy}: ${problem}`],
  );
  return [
    "## Speed",
    `Measured ${measuredOn(machine)}, in ${whole(Math.round(seconds))} s. Medians, with the lowest and the highest value in parentheses. Only the policy's own work is timed, without the conversion to a peer's messages and without the stand-in for its model. Ours is timed with its summaries, which need no model, and with its journal.`,
    "### Prompts",
    `One prompt of at most 60,000 tokens from a whole history, and one prompt per step of a thread that grows for ${limitSeconds} s. The first exponent says how the time for one prompt grows with the history, the second how the total time for all prompts grows with the thread; 1 is linear, so a step costs the same however long the thread is. Because a process starts with code that is not yet compiled, the total for the prompts of the first 2,000 steps has its own column.`,
    markdownTable(rows.policies),
    ...(problems.length > 0 ? [problems.join("\n")] : []),
    ...(turns.length > 1
      ? [
          "### A turn at the end of a long thread",
          `A turn through a session: append, trigger, render and check. The growth exponent from the shortest to the longest thread is ${turnExponent === null ? "unknown" : turnExponent.toFixed(3)}.`,
          markdownTable(rows.turns),
        ]
      : []),
    "### A session in a store",
    "A step is two messages, the fold is over the whole history, and resuming opens the thread again and makes its next request.",
    markdownTable(rows.sessions),
    "### Counters",
    "Token counters, on the texts of the project's own recorded session, message by message.",
    markdownTable(rows.tokenizers),
  ];
}

const foldsSection = ({ machine, sizes }: FoldsResults): readonly string[] => [
  "## Folds of a long thread",
  `A session with a budget of 60,000 tokens, its thread in memory or in a SQLite file: its whole history is folded once, then an agent continues, and each further fold is over a window of the same size. The figures are the CPU milliseconds of the turn that folds and the longest stretch in which nothing else could run; then the records of the plan after these folds, and the messages that it drops although no summary stands for them. Measured ${measuredOn(machine)}.`,
  foldsTable(sizes),
];

const startSection = ({ machine, starts }: StartResults): readonly string[] => [
  "## Start",
  `From the start of a process to its end, with the built packages, after one run that fills the caches; Node alone for comparison. Measured ${measuredOn(machine)}.`,
  startTable(starts),
];

const storageSection = ({ machine, sizes }: StorageResults): readonly string[] => [
  "## Storage",
  `The disk space of an agent's thread, in bytes per call (two messages): the messages as JSON, each once; Threadfold's SQLite file with messages, plans and the journal of requests; and, for comparison, the content of a store that keeps every request, or all messages so far at every call, added up as JSON without rows and indexes. Measured ${measuredOn(machine)}.`,
  storageTable(sizes),
];

const fleetSection = ({ machine, live, postgres }: FleetResults): readonly string[] => [
  "## Many threads at once",
  `Measured ${measuredOn(machine)}. What this means for more than one machine is in [scale.md](scale.md).`,
  "### Sessions in one process, over SQLite",
  ...(live === null ? ["Not measured."] : [sayLive(live)]),
  "### Processes on one PostgreSQL",
  `${whole(postgres[0]?.threads ?? 0)} threads, with the server and the processes on the same machine.`,
  [
    "- A bare `INSERT` writes the two messages of a step to one table, in one statement. An append adds them to the thread's chain.",
    "- A fold opens a session, folds its thread, commits the plan, and keeps nothing for the next fold. Workers do the same for jobs that are all waiting when they start; their times exclude the wait in the queue.",
    "- The CPU time is that of the process for one such operation, without the server's.",
    "- The least share is what the process that did least got done, relative to an equal share.",
  ].join("\n"),
  sayPool(postgres),
  fleetTable(postgres),
];

function measuredOn({ date, threadfold, node, system, processor, cores, memoryGib }: BenchMachine): string {
  return `on ${date.slice(0, 10)} with Threadfold ${threadfold} and Node ${node} on ${cores} cores (${processor}, ${system}) with ${memoryGib} GiB of memory`;
}

const whole = (value: number): string => value.toLocaleString("en-US");
