import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { PolicyFigures } from "../figures/policy-figures.ts";
import type { Simulation } from "../run/simulate.ts";
import { PAGE_SCRIPT } from "./page-script.ts";

/** A figure of a policy as people read it. */
export interface FigureColumn {
  readonly title: string;
  readonly text: (figures: PolicyFigures) => string;
}

/** What stands where there is nothing to measure. */
const NOTHING = "-";

const fixed = (value: number | null, digits: number): string => (value === null ? NOTHING : value.toFixed(digits));
const percent = (value: number | null, digits = 1): string => fixed(value === null ? null : 100 * value, digits);
const whole = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");

/** The figures that tables show, in order. Shares are percent, rates are per 100 calls. */
export const FIGURE_COLUMNS: readonly FigureColumn[] = [
  { title: "bill", text: ({ bill }) => fixed(bill.a, 3) },
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

/** What prompts remember of the work, as a table of its own: percent, asked of what is older than ten calls. */
export const MEMORY_COLUMNS: readonly FigureColumn[] = [
  { title: "ask", text: ({ memory }) => percent(memory.ask) },
  { title: "report", text: ({ memory }) => percent(memory.report) },
  { title: "quote", text: ({ memory }) => percent(memory.quote) },
  { title: "handoff", text: ({ memory }) => percent(memory.handoff) },
  { title: "edit", text: ({ memory }) => percent(memory.edit) },
  { title: "run", text: ({ memory }) => percent(memory.run) },
  { title: "need", text: ({ memory }) => percent(memory.need) },
  { title: "name", text: ({ memory }) => percent(memory.name) },
  { title: "bare", text: ({ memory }) => percent(memory.bareNames) },
];

/** What those columns say. Each asks for what stands together in one passage; `name` alone asks for the bare name. */
export const MEMORY_NOTES: readonly string[] = [
  "ask: what users asked; report: what the agent said it had found or done; quote: of those, a sentence word for word",
  "handoff: the lines of the newest handoff or compaction summary in the log",
  "edit: a changed file with names that came into it; run: the latest run of a command with its outcome",
  "need: a name that a later call uses, with words around it in its source; name: such a name anywhere in the prompt",
  "bare: of what the policy wrote itself, the share that is names in bare lists",
];

/** What comes back by one query, and what it costs, as a table of its own. */
export const ANSWER_COLUMNS: readonly FigureColumn[] = [
  { title: "own+1", text: ({ coldRecall }) => percent(coldRecall.reachable) },
  { title: "words+1", text: ({ coldRecall }) => percent(coldRecall.byOwnWords) },
  { title: "call+1", text: ({ coldRecall }) => percent(coldRecall.byCallWords) },
  { title: "answer", text: ({ answers }) => fixed(answers.averageTokens, 0) },
  { title: "most", text: ({ answers }) => fixed(answers.mostTokens, 0) },
  { title: "bill+1", text: ({ answers }) => fixed(answers.bill.a, 3) },
];

/** What the columns about recall say. */
export const ANSWER_NOTES: readonly string[] = [
  "own+1: % of cold needs in the prompt or in the answer to the session's own query, which is cold+1 above",
  "words+1, call+1: the same by what the agent said with the call or said last, and by all words of the call",
  "answer, most: tokens of an answer to the session's own query; bill+1: the bill with every such answer read once",
];

/** What must never be: requests that a provider refuses, are empty, have lost the newest message, or were not made. */
export const defects = ({ violations, emptyPrompts, newestLost, throws }: PolicyFigures): number =>
  violations + emptyPrompts + newestLost + throws;

/** What the columns say, for the foot of a table. */
export const FIGURE_NOTES: readonly string[] = [
  "bill: input tokens paid for, summary calls included; sending everything is 1 (cached prefix 0.1, the rest 1.25)",
  "cold: of what calls used and had last seen more than 10 calls before, the percentage that stands in the prompt",
  "cold+1, all+1: the same for cold needs and for all needs, with the answer to one recall query of the session's own",
  "breaks, folds: per 100 calls; fit: % of requests within the budget; rules: % of standing constraints still verbatim",
  "bad: illegal pairs, empty prompts, newest message lost, throws; ms, p99: time to plan a prompt",
];

/** What the page says besides the figures. */
export interface ReportNotes {
  /** When the simulation ran, as people read it. */
  readonly date: string;
  readonly version: string;
}

/**
 * A simulation as one self-contained HTML page: it works offline by double click and asks for nothing from anywhere.
 * Plots need the simulation's `series`.
 */
export function reportPage(simulation: Simulation, notes: ReportNotes): string {
  const counted = simulation.sessions.filter(({ budgets }) => budgets.length > 0);
  const calls = counted.reduce((sum, session) => sum + session.calls, 0);
  const asset = createRequire(import.meta.url);
  const library = readFileSync(asset.resolve("uplot/dist/uPlot.iife.min.js"), "utf8");
  const libraryStyle = readFileSync(asset.resolve("uplot/dist/uPlot.min.css"), "utf8");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>What folding costs and what it forgets</title>
<style>${libraryStyle}${PAGE_STYLE}</style>
</head>
<body>
<h1>What folding costs and what it forgets</h1>
<p>${counted.length} recorded sessions, ${calls} model calls, replayed call by call on ${escaped(notes.date)} with Threadfold ${escaped(notes.version)}; summaries: ${escaped(simulation.summarizer)}. A session counts at a budget only if its whole history exceeds it. Figures are sums over all calls.</p>
<label>Budget <select id="budget"></select></label>
<div class="scroll"><table><tbody id="figures"></tbody></table></div>
<p>${[...FIGURE_NOTES, ...MEMORY_NOTES, ...ANSWER_NOTES].map(escaped).join(".<br>")}. Presence is measured, not understanding.</p>
<h2>What is remembered for the money</h2>
<p>Up is better, left is cheaper.</p>
<div id="frontier"></div>
<h2>One session, call by call</h2>
<label>Session <select id="session"></select></label>
<p>Click a name in a legend to hide or show its line.</p>
<div id="tokens"></div>
<div id="bill"></div>
<script id="data" type="application/json">${embedded(pageData(simulation))}</script>
<script>${library}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

const ALL_COLUMNS = [...FIGURE_COLUMNS, ...MEMORY_COLUMNS, ...ANSWER_COLUMNS];

function pageData({ policies, series }: Simulation) {
  return {
    first: policies[0]?.policy ?? null,
    columns: ["policy", ...ALL_COLUMNS.map(({ title }) => title)],
    rows: policies
      .filter(({ sessions }) => sessions > 0)
      .map((figures) => ({
        policy: figures.policy,
        budget: figures.budget,
        bill: figures.bill.a,
        recall: figures.coldRecall.direct,
        cells: ALL_COLUMNS.map(({ text }) => text(figures)),
      })),
    series,
  };
}

/** JSON that no HTML parser takes for markup. */
const embedded = (data: unknown): string => JSON.stringify(data).replace(/</g, "\\u003c");

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** How the report's page looks, in light and dark. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #cbd5e1; --soft: #64748b; --mark: #2563eb14; }
@media (prefers-color-scheme: dark) { :root { --line: #334155; --soft: #94a3b8; --mark: #60a5fa22; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; }
p { color: var(--soft); margin: 0 0 .75rem; max-width: 60rem; }
label { margin-right: 1.5rem; }
select { font: inherit; max-width: 36rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: right; font-weight: normal; }
th:first-child { text-align: left; }
tr:first-child th { color: var(--soft); vertical-align: bottom; white-space: normal; }
tr.first { background: var(--mark); font-weight: 600; }
.u-legend { font-size: 12px; text-align: left; }
`;
