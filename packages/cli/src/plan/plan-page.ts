import { HIDDEN_KINDS, type HiddenKind } from "@threadfold/session";
import { describeOutcome } from "../compact/compact-page.ts";
import { count, figure, type Page, percent, plainText, singleLine, table, wrap } from "../output/page.ts";
import { sourceName } from "../parse/options.ts";
import type { PlanCost, PlanData, PlanRun } from "./plan-data.ts";

/** Maximum number of items of a kind that are shown; the rest are only counted. `--json` lists more. */
const MOST_SHOWN = 8;
const MOST_CHARACTERS = 60;

/**
 * Describes a possible fold for a person: why it is due, what it would do, its cost, and what the model would no longer
 * see.
 */
export function planPage(run: PlanRun, data: PlanData, page: Page): string {
  const sections = [
    heading(run, data, page),
    foldedSection(data, page),
    costSection(data.cost, page),
    hiddenSection(data, page),
    nextSection(run, data, page),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function heading(
  { request, preview }: PlanRun,
  { source, tokens, trigger, outcome }: PlanData,
  page: Page,
): readonly string[] {
  const { before, after, budget, counter } = tokens;
  const change = before > after ? ` (−${percent(before - after, before, Math.floor)})` : "";
  const line = `${figure(before)} → ${page.paint(after <= budget ? "green" : "red", figure(after))} tokens${change}`;
  const due = trigger === null ? "no fold is due" : `a fold is due: ${trigger.reason}`;
  const ending = preview.outcome.type === "would-commit" ? "would fold" : describeOutcome(preview.outcome);
  const details = `budget ${figure(budget)} · counter ${counter} · ${outcome === "no-op" ? ending : `${due} · ${ending}`}`;
  return [
    `${page.paint("bold", plainText(sourceName(request)))} (${source.format}), ${count(source.messages, "message")}: a preview, nothing is stored`,
    `  ${page.paint("bold", line)}`,
    ...wrap(details, page.columns - 2).map((text) => `  ${page.paint("dim", text)}`),
  ];
}

function foldedSection({ plan }: PlanData, page: Page): readonly string[] {
  if (plan.folded.length === 0) return [];
  const rows = table(
    [
      ["would stay as they are", figure(plan.kept), ""],
      ...plan.folded.map(({ action, strategy, messages, tokens }) => [
        strategy === action ? VERB[action] : `${VERB[action]} (${strategy})`,
        figure(messages),
        `of ${figure(tokens)} tokens`,
      ]),
    ],
    ["left", "right", "left"],
  );
  const reasons = plan.folded.map(({ reason }) =>
    wrap(singleLine(reason, 180), page.columns - 6).map((line) => `      ${page.paint("dim", line)}`),
  );
  return [
    page.paint("bold", "What would be done to the messages, and why"),
    ...rows.flatMap((row, index) => [`  ${row}`, ...(reasons[index - 1] ?? [])]),
  ];
}

const VERB = {
  externalize: "would be externalized",
  clear: "would be cleared",
  summarize: "would be summarized",
  drop: "would be dropped",
} as const;

function costSection(cost: PlanCost | null, page: Page): readonly string[] {
  if (cost === null) return [];
  const { prices, cache, rewrittenTokens, savingPerCall, breakEvenCalls, expectedCalls } = cost;
  const row = `${prices.id}: read ${prices.read}×, write ${prices.write}×, kept for ${count(prices.ttlSeconds / 60, "minute")}`;
  const once = cost.cost <= 0 ? `saves ${figure(-cost.cost)} at once` : `costs ${figure(cost.cost)} once and saves`;
  const pays =
    breakEvenCalls === null
      ? "never pays off"
      : breakEvenCalls === 0
        ? "pays off at once"
        : `pays off after ${count(breakEvenCalls, "call")}`;
  const lines = [
    `Prices in input-token-equivalents by ${row}.`,
    `The cache is ${cache === "uncached" ? "not used for such a short request" : cache}; ${count(rewrittenTokens, "token follows", "tokens follow")} the first change.`,
    `The commit ${once}${cost.cost <= 0 ? " and" : ""} ${figure(savingPerCall)} in each call that follows: it ${pays}; ${count(expectedCalls, "more call is", "more calls are")} expected.`,
  ];
  return [
    page.paint("bold", "What the commit would cost in the prompt cache"),
    ...lines.flatMap((line) => wrap(line, page.columns - 2).map((text) => `  ${text}`)),
  ];
}

function hiddenSection({ hidden, plan }: PlanData, page: Page): readonly string[] {
  if (plan.folded.length === 0) return [];
  const lines = HIDDEN_KINDS.flatMap((kind) => kindLines(kind, hidden[kind], page));
  const title = page.paint("bold", "What the model would no longer see word for word");
  return [title, ...(lines.length === 0 ? ["  nothing: everything that was checked is in the new request"] : lines)];
}

function kindLines(kind: HiddenKind, { items, total }: PlanData["hidden"][HiddenKind], page: Page): readonly string[] {
  if (total === 0) return [];
  const shown = items.slice(0, MOST_SHOWN);
  const rest = total - shown.length;
  const head = `  ${page.paint("yellow", kind)} ${page.paint("dim", figure(total))}`;
  if (kind === "decisions" || kind === "constraints") {
    const more = rest > 0 ? [`    and ${figure(rest)} more`] : [];
    return [head, ...shown.map(({ text }) => `    ${singleLine(text, page.columns - 4)}`), ...more];
  }
  const listed = `${shown.map(({ text }) => ending(text)).join(", ")}${rest > 0 ? ` and ${figure(rest)} more` : ""}`;
  return [head, ...wrap(listed, page.columns - 4).map((line) => `    ${line}`)];
}

/** The end of a path or identifier is more informative than its beginning. */
function ending(text: string): string {
  const line = singleLine(text, text.length);
  return line.length <= MOST_CHARACTERS ? line : `…${line.slice(1 - MOST_CHARACTERS)}`;
}

function nextSection({ request }: PlanRun, { outcome }: PlanData, page: Page): readonly string[] {
  if (outcome !== "would-commit") return [];
  return wrap(`To commit this plan: ${request.compactCommand} --store FILE`, page.columns);
}
