import type { CompactionOutcome } from "@threadfold/core";
import { count, figure, percent } from "../output/figures.ts";
import type { Page } from "../output/page.ts";
import { plainText, singleLine } from "../output/plain-text.ts";
import { table } from "../output/table.ts";
import { windowBar } from "../output/window-bar.ts";
import { wrap } from "../output/wrap.ts";
import { sourceName } from "../parse/source-options.ts";
import { type ActionGroup, actionGroups } from "./action-groups.ts";
import type { ActionCounts, CompactData } from "./compact-data.ts";
import type { CompactRun } from "./compact-run.ts";

/** Pins that are shown; the rest is counted. */
const MOST_PINS = 4;

/** What `compact` came to, for a person: what was read, what it costs now, what was done and why, and what to do next. */
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

/** How folding ended, in a few words. */
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
      return `not folded: hook ${singleLine(outcome.hook, 60)} said no`;
    case "failed":
      return `not folded: ${singleLine(outcome.problem, 120)}`;
    case "infeasible":
      return "not folded: what may not be folded exceeds the budget";
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
  return [title("What was done with the messages, and why", page), ...lines];
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
  const store = `--store ${shellWord(request.store)}`;
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

/** A word that a POSIX shell reads back as it is. */
function shellWord(text: string): string {
  const word = plainText(text);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
