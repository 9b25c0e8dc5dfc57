import { join, resolve } from "node:path";
import { planRecords } from "@threadfold/core";
import { type RecordedSession, recordedSession } from "@threadfold/simulation";
import { asThreadId, ContextSession, importSessionFile, type StructuredSummary } from "threadfold";
import { loadSession, sessionFiles } from "./peers-sessions.ts";
import {
  type RequestScore,
  readRequestLabels,
  type SessionLabels,
  scoreRequests,
  type ToldRequest,
  totalOf,
} from "./request-labels.ts";
import { textTable } from "./text-table.ts";

/**
 * Checks whether summaries say correctly which requests are done: six recorded sessions are folded by the default
 * preset, without a model, and the requests in every fold's summary are judged by the labels in `requests/labels.tsv`.
 * `--misses` lists each request that is reported wrongly; `--json` prints one line per budget.
 */
const BUDGETS = [100_000, 50_000, 20_000];
const OWN_SESSIONS = resolve(import.meta.dirname, "../../../examples/sessions");
const json = process.argv.includes("--json");
const misses = process.argv.includes("--misses");

interface BudgetScore extends RequestScore {
  readonly budget: number;
  readonly sessions: number;
  readonly summaries: number;
}

const rows: BudgetScore[] = [];
for (const budget of BUDGETS) rows.push(await scoreAt(budget));
const columns = Object.keys(rows[0] as BudgetScore) as readonly (keyof BudgetScore)[];
process.stdout.write(
  json
    ? rows.map((row) => `${JSON.stringify(row)}\n`).join("")
    : `${textTable([columns, ...rows.map((row) => columns.map((key) => String(row[key])))])}\n`,
);

async function scoreAt(budget: number): Promise<BudgetScore> {
  const scores: RequestScore[] = [];
  let summaries = 0;
  for (const [name, labels] of readRequestLabels()) {
    const session = await sessionNamed(name);
    if (session === null) continue;
    const folded = await foldedSummaries(session, budget);
    summaries += folded.length;
    const told = folded.flatMap((summary) => toldRequests(summary, session));
    scores.push(scoreRequests(told, labels));
    if (misses) printMisses(name, budget, told, labels);
  }
  return { budget, sessions: scores.length, summaries, ...totalOf(scores) };
}

async function sessionNamed(name: string): Promise<RecordedSession | null> {
  const file = sessionFiles().find((one) => one.name === name);
  if (file !== undefined) return loadSession(file);
  return name.includes("/") ? null : recordedSession(await importSessionFile(join(OWN_SESSIONS, name)), name);
}

/** Returns the summaries of every fold, as a session makes them call by call. */
async function foldedSummaries(session: RecordedSession, budget: number): Promise<readonly StructuredSummary[]> {
  let now = 0;
  const opened = await ContextSession.open({
    threadId: asThreadId(session.sessionId),
    config: { maxInputTokens: budget },
    frame: { system: session.system, tools: session.tools },
    clock: { now: () => now },
    journal: false,
    onOverBudget: "send",
  });
  const summaries: StructuredSummary[] = [];
  let version = opened.plan.version;
  for (const { added, at } of session.calls) {
    now = at;
    await opened.append(added);
    await opened.prepare();
    if (opened.plan.version === version) continue;
    version = opened.plan.version;
    summaries.push(
      ...planRecords(opened.plan).flatMap((record) => (record.action === "summarize" ? [record.summary] : [])),
    );
  }
  await opened.close();
  return summaries;
}

function toldRequests({ openItems, span }: StructuredSummary, { messages }: RecordedSession): readonly ToldRequest[] {
  const placeOf = new Map(messages.map(({ id, ordinal }) => [id, ordinal]));
  const until = Math.max(...span.messageIds.map((id) => placeOf.get(id) ?? 0));
  return openItems
    .filter(({ kind }) => kind === "request")
    .flatMap(({ sources, status }) =>
      sources
        .slice(0, 1)
        .flatMap((id) => placeOf.get(id) ?? [])
        .map((asked) => ({ asked, until, status })),
    );
}

function printMisses(name: string, budget: number, told: readonly ToldRequest[], labels: SessionLabels): void {
  for (const one of told) {
    const { told: judged, ...wrong } = scoreRequests([one], labels);
    const kind = Object.entries(wrong).find(([, count]) => count > 0)?.[0];
    if (judged === 0 || kind === undefined) continue;
    const { asked, until, status } = one;
    const end = JSON.stringify(labels.get(asked));
    process.stdout.write(`${name} at ${budget}: ${kind}: the request at ${asked} is ${status} at ${until}; ${end}\n`);
  }
}
