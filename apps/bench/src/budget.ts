import { characterClassTokenizer } from "@threadfold/tokenizers";
import { heuristicTokenizer, loadTokenizer } from "threadfold";
import { keepResults } from "./bench-results.ts";
import { recordedCorpora, scriptedCorpora } from "./budget-corpora.ts";
import { type BudgetRun, countingProvider, runBudget } from "./budget-run.ts";
import { textTable } from "./text-table.ts";

/**
 * Measures how well sessions stay within the window of a provider whose count differs from theirs: a scripted provider
 * counts with o200k, reports usage after each call and refuses what exceeds its window. For comparison: the folds of a
 * session that counts as the provider does. Prints a table; `--json` prints a line per corpus and counter.
 */
const WINDOW_TOKENS = 40_000;

/** One corpus under one counter. */
interface BudgetRow extends BudgetRun {
  readonly corpus: string;
  readonly counter: string;
  /** Folds of a session that counts exactly as the provider does. */
  readonly exactFolds: number;
}

const exact = await loadTokenizer("tiktoken:o200k_base");
const counters = [characterClassTokenizer(), heuristicTokenizer(), await loadTokenizer("claude")];
const rows: BudgetRow[] = [];
for (const { name: corpus, messages } of [...scriptedCorpora(), ...(await recordedCorpora())]) {
  const provider = countingProvider(exact, WINDOW_TOKENS);
  const { folds: exactFolds } = await runBudget(messages, provider, exact);
  for (const counter of counters) {
    const row = { corpus, counter: counter.id, ...(await runBudget(messages, provider, counter)), exactFolds };
    rows.push(row);
    if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(row)}\n`);
  }
}
keepResults("budget", { windowTokens: WINDOW_TOKENS, rows });
if (!process.argv.includes("--json")) process.stdout.write(`${textTable([headCells(), ...rows.map(cellsOf)], 2)}\n`);
const isKept = rows.every(
  ({ refusals, folds, exactFolds, counter }) =>
    counter !== "character-classes" || (refusals === 0 && folds <= Math.ceil(1.2 * exactFolds)),
);
if (!isKept) process.exitCode = 1;

function headCells(): readonly string[] {
  return ["corpus", "counter", "calls", "refusals", "folds", "exact folds", "worst undercount"];
}

function cellsOf({
  corpus,
  counter,
  calls,
  refusals,
  folds,
  exactFolds,
  worstUndercount,
}: BudgetRow): readonly string[] {
  const figures = [calls, refusals, folds, exactFolds].map(String);
  return [corpus, counter, ...figures, `${(100 * worstUndercount).toFixed(1)} %`];
}
