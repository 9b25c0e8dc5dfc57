import {
  type CompactionAction,
  type CompactionOutcome,
  type CompactionPlan,
  type PlanRecord,
  planRecords,
  type TokenBreakdown,
} from "@threadfold/core";
import type { RenderManifest } from "@threadfold/renderer";
import {
  count,
  figure,
  type Page,
  type PaintStyle,
  percent,
  plainText,
  shellWord,
  singleLine,
  table,
  wrap,
} from "../output/page.ts";
import { sourceName } from "../parse/options.ts";
import { addressWord } from "../store/store-address.ts";
import type { ActionCounts, CompactData } from "./compact-data.ts";
import type { CompactRun } from "./compact-run.ts";

/** Maximum number of pins that are shown; the rest are only counted. */
const MOST_PINS = 4;

/**
 * Returns the result of `compact` for a person: what was read, its size now, what was done and why, and what to do
 * next.
 */
export function compactPage(run: CompactRun, data: CompactData, page: Page): string {
  const sections = [
    heading(run, data, page),
    balance(run, data, page),
    windowSection(data, page),
    actionSection(run, data, page),
    pinSection(run, data, page),
    requestSection(data, page),
    nextSection(run, data, page),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function heading({ request, imported }: CompactRun, { source }: CompactData, page: Page): readonly string[] {
  const { format, messages, turns, steps, malformed } = source;
  const name = plainText(sourceName(request));
  const facts = [count(messages, "message"), count(turns, "turn"), count(steps, "step")];
  if (imported.compactions.length > 0)
    facts.push(`${count(imported.compactions.length, "compaction")} by the tool itself`);
  if (malformed > 0) facts.push(`${count(malformed, "malformed record")} skipped`);
  return [
    `${page.paint("bold", name)} (${format})`,
    ...wrap(facts.join(" · "), page.columns - 2).map((line) => `  ${line}`),
  ];
}

function balance({ outcome, prepared }: CompactRun, { tokens, plan }: CompactData, page: Page): readonly string[] {
  const { before, after, budget, counter } = tokens;
  const change = before > after ? ` (−${percent(before - after, before, Math.floor)})` : "";
  const fits = after <= budget;
  const line = `${figure(before)} → ${page.paint(fits ? "green" : "red", figure(after))} tokens${change}`;
  const details = `budget ${figure(budget)} · counter ${counter} · ${describeOutcome(outcome)}`;
  const version = prepared !== null && plan.version > 0 ? ` · plan ${plan.version}` : "";
  return [
    `  ${page.paint("bold", line)}`,
    ...wrap(details + version, page.columns - 2).map((text) => `  ${page.paint("dim", text)}`),
  ];
}

/** Describes the outcome of folding in a few words. */
export function describeOutcome(outcome: CompactionOutcome): string {
  switch (outcome.type) {
    case "committed":
      return outcome.floor ? "folded to the floor" : "folded";
    case "summarizer-failed-floor-used":
      return `folded without the summarizer: ${singleLine(outcome.problem, 120)}`;
    case "no-op":
    case "postponed":
      return `not folded: ${outcome.reason}`;
    case "ineffective":
      return `not folded: it would free ${figure(outcome.freed)} tokens, and less than ${figure(outcome.required)} is not worth it`;
    case "inflated":
      return "not folded: the result would be larger";
    case "refused":
      return "not folded: every plan would break a rule or hide a pin";
    case "conflict":
      return "not folded: another writer was first";
    case "aborted":
      return "not folded: interrupted";
    case "disabled":
      return `not folded: ${outcome.reason}`;
    case "vetoed":
      return `not folded: hook ${singleLine(outcome.hook, 60)} vetoed it`;
    case "failed":
      return `not folded: ${singleLine(outcome.problem, 120)}`;
    case "infeasible":
      return "not folded: what cannot be folded exceeds the budget";
  }
}

function windowSection({ breakdown, tokens }: CompactData, page: Page): readonly string[] {
  if (breakdown === null) return [];
  return [title("What the window holds now", page), ...windowBar(breakdown, tokens.budget, page)];
}

function actionSection({ prepared }: CompactRun, { actions }: CompactData, page: Page): readonly string[] {
  const groups = prepared === null ? [] : actionGroups(prepared.plan, prepared.manifest);
  if (groups.length === 0) return [];
  const rows = table(
    [
      ["kept as they are", figure(actions.include), ""],
      ...groups.map(({ action, strategy, messages, tokensBefore, tokensAfter }) => [
        strategy === action ? PAST[action] : `${PAST[action]} (${strategy})`,
        figure(messages),
        `${figure(tokensBefore)} → ${figure(tokensAfter)} tokens`,
      ]),
      ...hiddenRow(actions),
    ],
    ["left", "right", "left"],
  );
  const reasons = new Map(groups.map((group, index) => [index + 1, reasonLines(group, page)]));
  const lines = rows.flatMap((row, index) => [`  ${row}`, ...(reasons.get(index) ?? [])]);
  return [title("What was done to the messages, and why", page), ...lines];
}

const PAST: Readonly<Record<ActionGroup["action"], string>> = {
  externalize: "externalized",
  clear: "cleared",
  summarize: "summarized",
  drop: "dropped",
};

const hiddenRow = ({ hidden }: ActionCounts): readonly (readonly string[])[] =>
  hidden === undefined ? [] : [["on side branches", figure(hidden), "not part of this conversation's prompt"]];

function reasonLines({ reason, records }: ActionGroup, page: Page): readonly string[] {
  const text = `${records > 1 ? "e.g. " : ""}${singleLine(reason, 180)}`;
  return wrap(text, page.columns - 6).map((line) => `      ${page.paint("dim", line)}`);
}

function pinSection({ session }: CompactRun, { pins }: CompactData, page: Page): readonly string[] {
  if (pins.live === 0) return [];
  const present =
    pins.present === pins.live ? "all in the request, word for word" : `${pins.present ?? 0} in the request`;
  const shown = session.thread.livePins.slice(0, MOST_PINS).map(({ authority, text }) => {
    const room = page.columns - authority.length - 8;
    return `  ${page.paint("yellow", "◆")} ${page.paint("dim", `${authority}:`)} ${singleLine(text, room)}`;
  });
  const more = pins.live - shown.length;
  return [title(`Pins (${pins.live}, ${present})`, page), ...shown, ...(more > 0 ? [`    and ${more} more`] : [])];
}

function requestSection({ request, violations }: CompactData, page: Page): readonly string[] {
  if (request === null) return [];
  const legality = violations.length === 0 ? "legal" : count(violations.length, "violation");
  return [
    title("Request", page),
    `  ${request.format}, ${figure(request.bytes)} bytes, ${legality}`,
    `  ${page.paint("dim", `sha256 ${request.digest}`)}`,
  ];
}

function nextSection(
  { request, prepared, session }: CompactRun,
  { threadId }: CompactData,
  page: Page,
): readonly string[] {
  if (request.store === undefined) {
    return wrap(
      "Nothing was stored: this ran in memory. Add --store FILE to keep thread, plan and artifacts.",
      page.columns,
    );
  }
  if (prepared === null) return [];
  const store = `--store ${addressWord(request.store)}`;
  const thread = shellWord(threadId);
  const folded = prepared.manifest.messages.find(({ record }) => record !== undefined)?.sources[0];
  const example = folded ?? session.thread.messageAt(0)?.id ?? "<messageId>";
  return [
    title("Next", page),
    `  threadfold explain ${thread} ${shellWord(example)} ${store}`,
    `  threadfold render ${thread} ${store}`,
    `  threadfold replay ${thread} ${store}`,
  ];
}

const title = (text: string, page: Page): string => page.paint("bold", text);

/** One kind of content in the window. Each has its own glyph, so that the bar is readable without color. */
interface Segment {
  readonly name: keyof TokenBreakdown | "free";
  readonly glyph: string;
  readonly style: PaintStyle;
}

const SEGMENTS: readonly Segment[] = [
  { name: "system", glyph: "▓", style: "blue" },
  { name: "tools", glyph: "▒", style: "blue" },
  { name: "pins", glyph: "◆", style: "yellow" },
  { name: "summaries", glyph: "≡", style: "magenta" },
  { name: "pointers", glyph: "→", style: "cyan" },
  { name: "rehydrated", glyph: "+", style: "cyan" },
  { name: "kept", glyph: "█", style: "green" },
  { name: "overhead", glyph: "░", style: "dim" },
  { name: "free", glyph: "·", style: "dim" },
];

interface Share extends Segment {
  readonly tokens: number;
}

/**
 * Draws the content of the window as a bar, with a legend of token counts below it. Every kind with at least one token
 * gets a cell; kinds without tokens are left out. When the content exceeds the window, nothing is free and the whole
 * bar is content.
 */
export function windowBar(breakdown: TokenBreakdown, budget: number, page: Page): readonly string[] {
  const used = Object.values(breakdown).reduce((sum, tokens) => sum + tokens, 0);
  const figures = { ...breakdown, free: Math.max(0, budget - used) };
  const shares = SEGMENTS.map((segment): Share => ({ ...segment, tokens: figures[segment.name] }));
  const shown = shares.filter((share) => share.tokens > 0);
  const cells = shareOut(
    shown.map((share) => share.tokens),
    page.columns - 4,
  );
  const bar = shown.map((share, index) => page.paint(share.style, share.glyph.repeat(cells[index] ?? 0))).join("");
  return [`  ${bar}`, ...legend(shown, page)];
}

/**
 * Distributes cells proportionally, at least one each, giving remaining cells to the largest remainders; the cells add
 * up to the width.
 */
export function shareOut(amounts: readonly number[], width: number): readonly number[] {
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  if (total === 0) return amounts.map(() => 0);
  const exact = amounts.map((amount) => (amount / total) * width);
  const cells = exact.map((cell) => Math.max(1, Math.floor(cell)));
  const order = exact
    .map((cell, index) => ({ index, rest: cell - Math.floor(cell) }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index);
  let left = width - cells.reduce((sum, cell) => sum + cell, 0);
  for (const { index } of order) {
    if (left <= 0) break;
    if ((exact[index] ?? 0) < 1) continue;
    cells[index] = (cells[index] ?? 0) + 1;
    left--;
  }
  while (left < 0) {
    const widest = cells.indexOf(Math.max(...cells));
    if ((cells[widest] ?? 0) <= 1) break;
    cells[widest] = (cells[widest] ?? 0) - 1;
    left++;
  }
  return cells;
}

function legend(shares: readonly Share[], page: Page): readonly string[] {
  const lines: string[] = [];
  let line = " ";
  let width = 1;
  for (const { glyph, style, name, tokens } of shares) {
    const text = ` ${name} ${figure(tokens)} `;
    if (width + text.length + 2 > page.columns) {
      lines.push(line.trimEnd());
      line = " ";
      width = 1;
    }
    line += ` ${page.paint(style, glyph)}${text}`;
    width += text.length + 2;
  }
  return [...lines, line.trimEnd()];
}

/** The records of a plan with the same action and strategy. */
interface ActionGroup {
  readonly action: Exclude<CompactionAction, "include">;
  readonly strategy: string;
  readonly records: number;
  readonly messages: number;
  /** Tokens of the messages before folding. */
  readonly tokensBefore: number;
  /** Tokens of their replacement now. */
  readonly tokensAfter: number;
  /** The reason of the record with the most tokens. */
  readonly reason: string;
}

const ORDER: readonly ActionGroup["action"][] = ["externalize", "clear", "summarize", "drop"];

/**
 * Groups a plan's records by action and strategy, with the tokens before and after and one representative reason each.
 */
export function actionGroups(plan: CompactionPlan, manifest: RenderManifest): readonly ActionGroup[] {
  const groups = new Map<string, PlanRecord[]>();
  for (const record of planRecords(plan)) {
    const key = groupKey(record);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [record]);
    else known.push(record);
  }
  const after = tokensAfter(manifest);
  return [...groups.entries()]
    .map(([key, records]) => groupOf(records, after.get(key) ?? 0))
    .sort((a, b) => ORDER.indexOf(a.action) - ORDER.indexOf(b.action) || b.tokensBefore - a.tokensBefore);
}

const groupKey = ({ action, strategy }: { readonly action: string; readonly strategy: string }): string =>
  `${action} ${strategy}`;

function tokensAfter(manifest: RenderManifest): ReadonlyMap<string, number> {
  const after = new Map<string, number>();
  for (const { record, tokens } of manifest.messages) {
    if (record !== undefined) after.set(groupKey(record), (after.get(groupKey(record)) ?? 0) + tokens);
  }
  return after;
}

function groupOf(records: readonly PlanRecord[], tokens: number): ActionGroup {
  const largest = records.reduce((most, record) => (record.originalTokens > most.originalTokens ? record : most));
  return {
    action: largest.action,
    strategy: largest.strategy,
    records: records.length,
    messages: records.reduce((sum, record) => sum + record.span.messageIds.length, 0),
    tokensBefore: records.reduce((sum, record) => sum + record.originalTokens, 0),
    tokensAfter: tokens,
    reason: largest.reason,
  };
}
