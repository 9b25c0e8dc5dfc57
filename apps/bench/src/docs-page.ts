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

/** What `bench:pauses` measured, budget by budget. */
export interface PausesResults {
  readonly machine: BenchMachine;
  readonly rows: readonly {
    readonly budget: number;
    /** Sessions that paused and exceed the budget. */
    readonly sessions: number;
    /** Input tokens paid for, cached ones at their share. */
    readonly without: number;
    readonly withBoth: number;
    /** By which share the second is below the first. */
    readonly below: number;
    /** Which share of the first the pauses cost. */
    readonly pauses: number;
  }[];
}

/** What the page is made of. What was not measured is left out, and the page says so. */
export interface DocsInput {
  readonly peers: PeersResults | null;
  readonly speed: SpeedResults | null;
  readonly folds: FoldsResults | null;
  readonly start: StartResults | null;
  readonly storage: StorageResults | null;
  readonly fleet: FleetResults | null;
  readonly pauses: PausesResults | null;
  /** The page as it was: what was not measured here since keeps its section, with its day and machine. */
  readonly before: string;
}

/** `docs/benchmarks.md`, every figure of it from what the benches measured. */
export function docsPage(input: DocsInput): string {
  const { peers, speed, folds, start, storage, fleet, pauses, before } = input;
  const kept = (heading: string, otherwise: string): readonly string[] => [sectionOf(before, heading) ?? otherwise];
  return `${[
    "# Benchmarks",
    "This page is written by `npm run bench:docs` from what `npm run bench:peers`, `npm run bench:pauses`, `npm run bench:speed`, `npm run bench:folds`, `npm run bench:start`, `npm run bench:storage` and `npm run bench:fleet` measured. No figure is typed by hand; run the eight commands to get your own.",
    ...(peers === null ? kept("Side by side", "The comparison with peers was not run.") : peersSection(peers)),
    ...(pauses === null ? kept("Pauses", "The bench of pauses was not run.") : pausesSection(pauses)),
    ...(speed === null ? kept("Speed", "The speed bench was not run.") : speedSection(speed)),
    ...(folds === null ? kept("Folds of a long thread", "The bench of folds was not run.") : foldsSection(folds)),
    ...(start === null ? kept("Start", "The bench of starts was not run.") : startSection(start)),
    ...(storage === null ? kept("Storage", "The storage bench was not run.") : storageSection(storage)),
    ...(fleet === null ? kept("Many threads at once", "The bench of many threads was not run.") : fleetSection(fleet)),
  ].join("\n\n")}\n`;
}

/** A section of a page without its last blank lines; null when the page has none of that heading. */
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
    `${sessions.length} recorded sessions of real agents, ${whole(calls)} model calls, replayed call by call: before every recorded call a policy gets what is new and returns the prompt. A session counts at a budget only if its whole history exceeds it. Where a policy asks a model for a summary, the same scripted summarizer (${summarizer}) answers for all. Measured ${measuredOn(machine)}, in ${whole(Math.round(seconds))} s with ${processes} processes.`,
    ...budgets.flatMap((budget) => budgetBlock(budget, policies)),
    "What the columns say:",
    [...FIGURE_NOTES, ...MEMORY_NOTES, ...ANSWER_NOTES].map((note) => `- ${note}`).join("\n"),
    "Presence is called presence: that a name stands in a prompt does not say that a model uses it.",
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
    "What is remembered of the work, in percent:",
    table(MEMORY_COLUMNS),
    "What comes back by one query:",
    table(ANSWER_COLUMNS),
  ];
}

/** Policies that were given up somewhere have fewer sessions than the others, and say so. */
function nameOf({ policy, sessions }: PolicyFigures, all: number): string {
  return sessions === all ? policy : `${policy} (${sessions} of ${all} sessions)`;
}

/** The part about pauses, for the page. */
function pausesSection({ machine, rows }: PausesResults): readonly string[] {
  return [
    "## Pauses",
    `What the default preset's prompts cost by Anthropic's rules on the recorded sessions in which somebody paused for more than five minutes, in input tokens paid for: with every prefix kept for five minutes and no fold on a cold return, and with \`cachePolicy: "auto"\` and folds on a cold return. Beside it the share of the bill that the pauses cost; more than that is spared where a fold on a cold return makes the calls after it cheaper as well. \`npm run bench:pauses\`, measured ${measuredOn(machine)}.`,
    markdownTable([
      ["budget", "sessions", "without", "with both", "below, %", "cost of pauses, %"],
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
    `Measured ${measuredOn(machine)}, in ${whole(Math.round(seconds))} s. Medians, with the lowest and the highest in brackets. Only the policy's own work is timed: conversions into a peer's messages are left out, and what the stand-in for its model takes. Ours is timed with its summaries, which need no model, and with its journal.`,
    "### Prompts",
    `One prompt of at most 60,000 tokens from a whole history, and a prompt a step from a thread that grows for ${limitSeconds} s. The first exponent says how the one prompt grows with the history, the second how all prompts together grow with the thread; 1 is linear, so that a step costs the same however long the thread is. A process begins with code that was not yet compiled: the first 2,000 steps, all their prompts together, stand apart.`,
    markdownTable(rows.policies),
    ...(problems.length > 0 ? [problems.join("\n")] : []),
    ...(turns.length > 1
      ? [
          "### A turn at the end of a long thread",
          `Append, trigger, render and check through a session. The growth exponent from the shortest to the longest is ${turnExponent === null ? "not known" : turnExponent.toFixed(3)}.`,
          markdownTable(rows.turns),
        ]
      : []),
    "### A session in a store",
    "Steps are two messages; folds begin with the whole history; resuming opens the thread again and makes its next request.",
    markdownTable(rows.sessions),
    "### Counters",
    "On the texts of the project's own recorded session, message by message.",
    markdownTable(rows.tokenizers),
  ];
}

const foldsSection = ({ machine, sizes }: FoldsResults): readonly string[] => [
  "## Folds of a long thread",
  `A session in memory with a budget of 60,000 tokens: its whole history is folded once, then an agent goes on and each next fold is over a window of the same size. Milliseconds of the processor in the turn that folds, and the longest stretch in which nothing else could run. Measured ${measuredOn(machine)}.`,
  foldsTable(sizes),
];

const startSection = ({ machine, starts }: StartResults): readonly string[] => [
  "## Start",
  `From the start of a process to its end, of what is built and after a first time that fills caches; Node alone beside it. Measured ${measuredOn(machine)}.`,
  startTable(starts),
];

const storageSection = ({ machine, sizes }: StorageResults): readonly string[] => [
  "## Storage",
  `What an agent's thread takes on disk, in bytes a call of two messages: the messages as JSON, each once; Threadfold's SQLite file with messages, plans and the journal of requests; and what a store has to hold that keeps every request, or all messages so far at every call, added up as JSON without its rows and indexes. Measured ${measuredOn(machine)}.`,
  storageTable(sizes),
];

const fleetSection = ({ machine, live, postgres }: FleetResults): readonly string[] => [
  "## Many threads at once",
  `Measured ${measuredOn(machine)}. What it means for more than one machine stands in [scale.md](scale.md).`,
  "### Sessions in one process, over SQLite",
  ...(live === null ? ["Not measured."] : [sayLive(live)]),
  "### Processes on one PostgreSQL",
  `${whole(postgres[0]?.threads ?? 0)} threads, and server and processes on the same machine. A bare \`INSERT\` puts the two messages of a step into one table, in one statement; an append puts them behind the thread's chain. A fold opens a session, folds its thread and commits the plan, and keeps nothing for the next one; workers do the same for jobs that all wait when they begin, and their times are those of the jobs alone. The processor's time is that of the process for one of them, without the server's. The least share is what the process that got least did beside an equal share. ${sayPool(postgres)}`,
  fleetTable(postgres),
];

function measuredOn({ date, threadfold, node, system, processor, cores, memoryGib }: BenchMachine): string {
  return `on ${date.slice(0, 10)} with Threadfold ${threadfold} and Node ${node} on ${cores} cores (${processor}, ${system}) with ${memoryGib} GiB of memory`;
}

const whole = (value: number): string => value.toLocaleString("en-US");
