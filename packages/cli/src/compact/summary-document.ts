import { renderSummary, type SummarizationRecord, visibleText } from "@threadfold/core";
import { count, figure, percent, plainText, singleLine } from "../output/page.ts";
import { sourceName } from "../parse/options.ts";
import type { CompactData } from "./compact-data.ts";
import { actionGroups, describeOutcome } from "./compact-page.ts";
import type { CompactRun } from "./compact-run.ts";

/** Returns `summary.md`: what folding did, for a reader who has neither the session nor the command at hand. */
function summaryDocument(run: CompactRun, data: CompactData): string {
  const sections = [
    overview(run, data),
    windowTable(data),
    actionTable(run, data),
    pinList(run),
    ...run.session.plan.summarizations.map(summarySection),
    artifactTable(run),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function overview(
  { request, imported, outcome }: CompactRun,
  { threadId, source, tokens, plan, request: made }: CompactData,
): string {
  const { before, after, budget, counter } = tokens;
  const freed = before > after ? ` (−${percent(before - after, before, Math.floor)})` : "";
  const lines = [
    `# ${inline(sourceName(request))}, folded`,
    "",
    `- Thread ${inline(threadId)}, ${source.format}: ${count(source.messages, "message")}, ${count(source.turns, "turn")}, ${count(source.steps, "step")}.`,
    `- **${figure(before)} → ${figure(after)} tokens**${freed}; the budget is ${figure(budget)}, counted by ${counter}.`,
    `- Outcome: ${inline(describeOutcome(outcome))}; plan ${plan.version}, ${plan.planId}.`,
    made === null ? "- No request." : `- Request: ${made.format}, ${figure(made.bytes)} bytes, sha256 ${made.digest}.`,
  ];
  if (imported.compactions.length > 0)
    lines.push(`- The log holds ${count(imported.compactions.length, "compaction")} by the tool itself.`);
  for (const { line, problem } of imported.malformed) lines.push(`- Line ${line} was skipped: ${inline(problem)}`);
  return lines.join("\n");
}

function windowTable({ breakdown, tokens }: CompactData): string {
  if (breakdown === null) return "";
  const free = Math.max(0, tokens.budget - tokens.after);
  const rows = Object.entries({ ...breakdown, free }).filter(([, share]) => share > 0);
  const lines = rows.map(([name, share]) => `| ${name} | ${figure(share)} | ${percent(share, tokens.budget)} |`);
  return ["## What the window holds", "", "| share | tokens | of the budget |", "|---|---:|---:|", ...lines].join("\n");
}

function actionTable({ prepared }: CompactRun, { actions }: CompactData): string {
  if (prepared === null) return "";
  const rows = actionGroups(prepared.plan, prepared.manifest).map(
    ({ action, strategy, messages, tokensBefore, tokensAfter, reason }) =>
      `| ${action} | ${inline(strategy)} | ${figure(messages)} | ${figure(tokensBefore)} | ${figure(tokensAfter)} | ${inline(singleLine(reason, 200))} |`,
  );
  const head = [
    "| action | strategy | messages | tokens before | after | for example because |",
    "|---|---|---:|---:|---:|---|",
  ];
  return ["## What was done, and why", "", ...head, `| include | | ${figure(actions.include)} | | | |`, ...rows].join(
    "\n",
  );
}

function pinList({ session }: CompactRun): string {
  const pins = session.thread.livePins;
  if (pins.length === 0) return "";
  return ["## Pins", "", ...pins.map(({ authority, text }) => `- ${authority}: ${inline(text)}`)].join("\n");
}

function summarySection({ span, summary, originalTokens, summaryTokens, summarizer }: SummarizationRecord): string {
  const { firstTurn, lastTurn } = span;
  const turns = firstTurn === lastTurn ? `turn ${firstTurn}` : `turns ${firstTurn} to ${lastTurn}`;
  const place = `${count(span.messageIds.length, "message")} of ${turns}`;
  const cost = `${figure(originalTokens)} → ${figure(summaryTokens)} tokens, by ${inline(summarizer)}`;
  return [`## Summary of ${place}`, "", `${cost}:`, "", fenced(renderSummary(summary))].join("\n");
}

function artifactTable({ session }: CompactRun): string {
  const records = session.plan.externalizations;
  if (records.length === 0) return "";
  const rows = records.map(({ artifactId, span, originalTokens, rehydrateHint }) => {
    const first = span.messageIds[0];
    const message = first === undefined ? undefined : session.thread.message(first);
    const begins = message === undefined ? "" : singleLine(visibleText(message), 60);
    return `| ${artifactId} | ${inline(first ?? "")} | ${figure(originalTokens)} | ${inline(begins)} | ${inline(rehydrateHint)} |`;
  });
  return [
    "## Artifacts",
    "",
    "| artifact | message | tokens | begins | read it back |",
    "|---|---|---:|---|---|",
    ...rows,
  ].join("\n");
}

/** Escapes text of a log for a line of Markdown, so that it cannot end a table cell, open a tag or start a link. */
const inline = (text: string): string =>
  plainText(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_[\]<>|]/g, "\\$&");

/** Returns text of a log as a code block, with a fence that does not occur in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${plainText(text)}\n${fence}`;
}

/**
 * Returns the files that `--out` writes. `request.json` is only the payload's canonical JSON, so that its SHA-256 is
 * the request's digest; plan and manifest are indented for people.
 */
export function resultFiles(run: CompactRun, data: CompactData): Readonly<Record<string, string>> {
  if (run.prepared === null) throw new RangeError("There is no request to write.");
  const { plan, manifest, payloadText } = run.prepared;
  return {
    "plan.json": indented(plan),
    "request.json": payloadText,
    "manifest.json": indented(manifest),
    "summary.md": summaryDocument(run, data),
  };
}

const indented = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
