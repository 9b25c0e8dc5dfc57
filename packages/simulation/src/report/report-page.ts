import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Simulation } from "../simulate.ts";
import {
  ANSWER_COLUMNS,
  ANSWER_NOTES,
  FIGURE_COLUMNS,
  FIGURE_NOTES,
  MEMORY_COLUMNS,
  MEMORY_NOTES,
} from "./figure-columns.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { PAGE_STYLE } from "./page-style.ts";

/** What the page says beside the figures. */
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
