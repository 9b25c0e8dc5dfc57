import { modelName, modelRow, promptCachePriceOfModel } from "@threadfold/core";
import type { PolicyFigures } from "../figures/policy-figures.ts";
import { AUTO_BILL } from "../measure/call-bill.ts";

/** A figure of a policy, formatted for people. */
export interface FigureColumn {
  readonly title: string;
  readonly text: (figures: PolicyFigures) => string;
}

/** Shown where there is nothing to measure. */
const NOTHING = "-";

const fixed = (value: number | null, digits: number): string => (value === null ? NOTHING : value.toFixed(digits));
const percent = (value: number | null, digits = 1): string => fixed(value === null ? null : 100 * value, digits);
const whole = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");

/** The figures that tables show, in order. Shares are percent, rates are per 100 calls. */
export const FIGURE_COLUMNS: readonly FigureColumn[] = [
  { title: "bill", text: ({ bill }) => fixed(bill.a, 3) },
  { title: "auto", text: ({ providerBills }) => fixed(providerBills[AUTO_BILL]?.relative ?? null, 2) },
  { title: "cold", text: ({ coldRecall }) => percent(coldRecall.direct) },
  { title: "cold+1", text: ({ coldRecall }) => percent(coldRecall.reachable) },
  { title: "all+1", text: ({ recall }) => percent(recall.reachable) },
  { title: "breaks", text: ({ breaksPer100Calls }) => fixed(breaksPer100Calls, 1) },
  { title: "folds", text: ({ commitsPer100Calls }) => fixed(commitsPer100Calls, 1) },
  { title: "fit", text: ({ fitRate }) => percent(fitRate) },
  { title: "rules", text: ({ constraintSurvival }) => percent(constraintSurvival, 0) },
  { title: "bad", text: (figures) => String(defects(figures)) },
  { title: "ms", text: ({ plannerMs }) => fixed(plannerMs.median, 1) },
  { title: "p99", text: ({ plannerMs }) => fixed(plannerMs.p99, 0) },
  { title: "sent", text: ({ tokensSent }) => whole(tokensSent) },
];

const MILLION = 1_000_000;

/**
 * Returns the input cost of all calls with a model, summaries included, in US dollars: with its provider's cache, at
 * the prices for prompts that are not long. The model's output is the same under every policy. Null if a price is not
 * known.
 */
export function inputDollars({ providerBills }: PolicyFigures, model: string): number | null {
  const cache = promptCachePriceOfModel(modelName(model));
  const bill = cache === undefined ? undefined : providerBills[cache.id];
  const price = modelRow(model)?.inputPrice;
  return bill === undefined || price === undefined ? null : (bill.tokens * price) / MILLION;
}

/** Returns the same as a column. */
export const dollarColumn = (model: string): FigureColumn => ({
  title: "dollars",
  text: (figures) => fixed(inputDollars(figures, model), 2),
});

/** What prompts remember of the work, as a separate table, in percent. All but `recent` is older than ten calls. */
export const MEMORY_COLUMNS: readonly FigureColumn[] = [
  { title: "ask", text: ({ memory }) => percent(memory.ask) },
  { title: "report", text: ({ memory }) => percent(memory.report) },
  { title: "quote", text: ({ memory }) => percent(memory.quote) },
  { title: "handoff", text: ({ memory }) => percent(memory.handoff) },
  { title: "edit", text: ({ memory }) => percent(memory.edit) },
  { title: "run", text: ({ memory }) => percent(memory.run) },
  { title: "need", text: ({ memory }) => percent(memory.need) },
  { title: "name", text: ({ memory }) => percent(memory.name) },
  { title: "recent", text: ({ memory }) => percent(memory.recent) },
  { title: "bare", text: ({ memory }) => percent(memory.bareNames) },
];

/** What those columns mean. Each asks for what appears together in one passage; only `name` asks for the bare name. */
export const MEMORY_NOTES: readonly string[] = [
  "ask: what users asked; report: what the agent said it had found or done, not what it merely announced or introduced; quote: reports with at least one sentence word for word",
  "handoff: the lines of the newest handoff or compaction summary in the log",
  "edit: a changed file with names that were changed in it; run: the latest run of a command with its outcome",
  "need: a name that a later call uses, with words that were around it in its source; name: such a name anywhere in the prompt; recent: one last seen within ten calls",
  "bare: the share of the policy's own text that is bare lists of names",
];

/** What one query brings back, and its cost, as a separate table. */
export const ANSWER_COLUMNS: readonly FigureColumn[] = [
  { title: "own+1", text: ({ coldRecall }) => percent(coldRecall.reachable) },
  { title: "words+1", text: ({ coldRecall }) => percent(coldRecall.byOwnWords) },
  { title: "call+1", text: ({ coldRecall }) => percent(coldRecall.byCallWords) },
  { title: "answer", text: ({ answers }) => fixed(answers.averageTokens, 0) },
  { title: "most", text: ({ answers }) => fixed(answers.mostTokens, 0) },
  { title: "bill+1", text: ({ answers }) => fixed(answers.bill.a, 3) },
];

/** What the columns about recall mean. */
export const ANSWER_NOTES: readonly string[] = [
  "own+1: % of cold needs in the prompt or in the answer to the session's own query (cold+1 above)",
  "words+1, call+1: the same for a query of what the agent said with the call or said last, and for one of all words of the call",
  "answer, most: average and largest number of tokens of an answer to the session's own query; bill+1: the bill with each such answer read once",
];

/**
 * Counts what must never happen: requests that a provider refuses, are empty, lost the newest message, or are missing.
 */
export const defects = ({ violations, emptyPrompts, newestLost, throws }: PolicyFigures): number =>
  violations + emptyPrompts + newestLost + throws;

/** What the columns mean, for the foot of a table. */
export const FIGURE_NOTES: readonly string[] = [
  "bill: input tokens paid for, including summary calls; sending everything is 1 (cached prefix 0.1, the rest 1.25)",
  "auto: the same under Anthropic's cache rules, with pauses, and prefixes kept as long as the policy chose call by call",
  "cold: % in the prompt of what calls used and had last seen more than 10 calls before",
  "cold+1, all+1: % of these cold needs, and of all needs, in the prompt or in the answer to the session's own recall query",
  "breaks, folds: prefix breaks and folds per 100 calls; fit: % of requests within the budget; rules: % of standing constraints still verbatim",
  "bad: number of illegal pairs, empty prompts, lost newest messages and throws; ms, p99: median and p99 of the time to plan a prompt",
];
