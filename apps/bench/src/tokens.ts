import { type ImportedSession, importSessionFile, loadTokenizer, ThreadfoldError } from "threadfold";
import { benchMachine } from "./bench-machine.ts";
import { keepResults } from "./bench-results.ts";
import { sessionFiles } from "./peers-sessions.ts";
import { textTable } from "./text-table.ts";
import { countedCalls, type TokenAccuracy, tokenAccuracy } from "./token-accuracy.ts";
import { type SessionUndercount, sessionUndercounts } from "./token-undercount.ts";

/**
 * Compares token estimates with what providers reported for the same prompts, by counter and by format and model of the
 * recorded sessions, before calibration and after. Formats whose logs omit system text and tools (pi, Claude Code) show
 * the effect of that. After that, session by session, it shows by how much the default counter underestimates requests:
 * the first one, without and with the margin kept free until a report, and the worst after a report. Prints tables;
 * `--json` prints one line per row.
 */
const COUNTERS = ["heuristic", "tiktoken:o200k_base", "openai", "claude"] as const;
/**
 * Parts of a model's name that do not identify its family: region and reseller before it, date and version after it.
 */
const BESIDE_NAME = /^[a-z]{2}\.[a-z]+\.|-\d{4}.*$|-preview$/g;
/** With fewer calls, the figures say more about one prompt than about a counter. */
const FEWEST_CALLS = 20;

const families = new Map<string, ImportedSession[]>();
for (const file of sessionFiles()) {
  const session = await imported(file.path);
  if (session === null || !session.messages.some(({ usage }) => (usage?.inputTokens ?? 0) > 0)) continue;
  const model = session.model?.split("/").at(-1) ?? "unknown";
  const family = `${session.format} ${model.replace(BESIDE_NAME, "")}`;
  families.set(family, [...(families.get(family) ?? []), session]);
}
const rows: TokenAccuracy[] = [];
for (const id of COUNTERS) {
  const counter = await loadTokenizer(id);
  for (const [family, sessions] of families) {
    const row = tokenAccuracy(
      id,
      family,
      sessions.map((session) => countedCalls(session, counter)),
    );
    if (row !== null && row.calls >= FEWEST_CALLS) rows.push(row);
  }
}
rows.sort((a, b) => (a.family < b.family ? -1 : a.family > b.family ? 1 : 0));
keepResults("tokens", { machine: benchMachine(), rows });
const undercounts = await sessionUndercounts();
if (process.argv.includes("--json"))
  for (const row of [...rows, ...undercounts]) process.stdout.write(`${JSON.stringify(row)}\n`);
else if (rows.length === 0)
  process.stderr.write("There is no recorded session with reported usage (THREADFOLD_DATA).\n");
else {
  process.stdout.write(`${textTable([headCells(), ...rows.map(cellsOf)], 2)}\n\n`);
  const heads = ["session", "model", "calls", "first", "beyond the margin", "after a report"];
  process.stdout.write(`${textTable([heads, ...undercounts.map(undercountCells)], 2)}\n`);
}

async function imported(path: string): Promise<ImportedSession | null> {
  try {
    return await importSessionFile(path);
  } catch (problem) {
    if (ThreadfoldError.isInstance(problem)) return null;
    throw problem;
  }
}

function headCells(): readonly string[] {
  const error = (when: string) => [`median ${when}`, `mean ${when}`, `in 3 % ${when}`];
  return ["family", "counter", "sessions", "calls", ...error("before"), ...error("after")];
}

function percentOf(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function undercountCells({ session, model, calls, first, firstBeyondMargin, reported }: SessionUndercount) {
  return [session, model, String(calls), ...[first, firstBeyondMargin, reported].map(percentOf)];
}

function cellsOf({ family, counter, sessions, calls, before, after }: TokenAccuracy): readonly string[] {
  const errors = [before, after].flatMap(({ median, mean, within3Percent }) => [median, mean, within3Percent]);
  return [family, counter, String(sessions), String(calls), ...errors.map(percentOf)];
}
