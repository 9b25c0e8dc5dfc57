import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  applySummaryChanges,
  type Message,
  renderSummary,
  type StructuredSummary,
  sharedFolder,
  shownPath,
  visibleText,
} from "@threadfold/core";
import { brokenLaws } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkedSummarizer } from "../checks/summary-checks.ts";
import { summarizerLaws } from "../laws/summarizer-laws.ts";
import { countTokens, requestFor, summarizedNow, summaryOf } from "../testing/conversation.ts";
import { RECORDED_SESSIONS, readRecordedSession } from "../testing/recorded-session.ts";
import { ExtractiveSummarizer } from "./extractive-summarizer.ts";

const SESSIONS = [
  "trajectories/openai-chat/iso-bench-sglang-012-27168308.json.gz",
  "trajectories/anthropic-messages/iso-bench-sglang-sonnet45-rerun-2f427491.json.gz",
  "claude-code/entire-cli/b6-f735fbac66-0.jsonl.gz",
  "pi/session.jsonl.gz",
];
const present = SESSIONS.every((name) => existsSync(join(RECORDED_SESSIONS, name)));
if (!present)
  console.warn(`Recorded sessions are not at ${RECORDED_SESSIONS}; set THREADFOLD_DATA to run their tests.`);

const spanOfSession = (name: string): readonly Message[] =>
  readRecordedSession(join(RECORDED_SESSIONS, name)).filter(({ role }) => role !== "system");

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

describe.skipIf(!present).each(SESSIONS)("the recorded session %s", (name) => {
  const messages = present ? spanOfSession(name) : [];

  it.each([300, 1_500, 6_000])("gives a summary of at most %i tokens", (maxTokens) => {
    const { text } = summaryOf(messages, { maxTokens });
    expect(countTokens(text)).toBeLessThanOrEqual(maxTokens);
    expect(countTokens(text)).toBeGreaterThan(maxTokens / 2);
  });

  it("keeps the summarizer laws", async () => {
    const half = Math.floor(messages.length / 2);
    const earlier = summaryOf(messages.slice(0, half), { maxTokens: 2_000 }).summary;
    const request = requestFor(messages.slice(half), { previous: earlier, maxTokens: 2_000 });
    const trials = { inputs: fc.constant({ request }), times: 1 };
    expect(await brokenLaws(summarizerLaws(new ExtractiveSummarizer(), trials))).toEqual([]);
  });

  it.each([2, 7])("gives summaries that nothing in the checks of summaries refuses, in %i folds", async (folds) => {
    const checked = checkedSummarizer(new ExtractiveSummarizer());
    const size = Math.ceil(messages.length / folds);
    let summary: StructuredSummary | null = null;
    for (let start = 0; start < messages.length; start += size) {
      const request = requestFor(messages.slice(start, start + size), { previous: summary, maxTokens: 6_000 });
      const { changes } = await checked.summarize(request);
      summary = applySummaryChanges(summary, request.span, changes).summary;
    }
    expect(summary?.round).toBe(Math.ceil(messages.length / size));
  });

  it("stays within its limit and keeps constraints and open work over ten folds", () => {
    const size = Math.ceil(messages.length / 10);
    let summary: StructuredSummary | null = null;
    for (let start = 0; start < messages.length; start += size) {
      const request = requestFor(messages.slice(start, start + size), { previous: summary, maxTokens: 2_500 });
      const { changes } = summarizedNow(request);
      const { summary: next, resolved } = applySummaryChanges(summary, request.span, changes);
      const gone = new Set(resolved.filter(({ reason }) => reason !== "superseded").map(({ section }) => section));
      expect(gone.has("constraints")).toBe(false);
      expect(
        resolved.filter(
          ({ section, item, reason }) =>
            section === "openItems" && reason !== "superseded" && "status" in item && item.status === "open",
        ),
      ).toEqual([]);
      expect(countTokens(renderSummary(next))).toBeLessThanOrEqual(2_500);
      summary = next;
    }
    expect(summary?.round).toBe(10);
  });

  it("shows nothing garbled: no escape codes, no escaped line breaks, no line twice, no line without end", () => {
    const { text } = summaryOf(messages, { maxTokens: 4_000 });
    const task = summaryOf(messages, { maxTokens: 4_000 }).summary.originalTask?.text ?? "";
    const lines = text
      .replace(task, "")
      .split("\n")
      .filter((line) => line.startsWith("- "));
    expect(new Set(lines).size).toBe(lines.length);
    for (const line of lines.filter((candidate) => !candidate.includes(" · "))) {
      expect(line).not.toMatch(/\u001b|\\n\\t|\\\\n/);
      expect(line.length).toBeLessThan(2_400);
    }
  });

  it("has no bare list of names worth speaking of", () => {
    for (const maxTokens of [1_500, 4_000, 10_000]) {
      const { text } = summaryOf(messages, { maxTokens });
      const [, list = ""] = /^## Identifiers seen\n(.*)$/m.exec(text) ?? [];
      expect(list.length / text.length).toBeLessThan(0.1);
    }
  });

  it("names the files that were changed", () => {
    const { text, summary } = summaryOf(messages, { maxTokens: 6_000 });
    const folder = sharedFolder(summary);
    const edited = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-call" && /^(?:edit|write)$/i.test(part.toolName) ? [part] : [])),
    );
    const answered = new Set(
      messages.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.type === "tool-result" && part.result.outcome === "success" ? [part.result.callId] : [],
        ),
      ),
    );
    for (const { input, callId } of edited) {
      const path = (input as { file_path?: string; path?: string }).file_path ?? (input as { path?: string }).path;
      if (path !== undefined && answered.has(callId)) expect(text).toContain(shownPath(path, folder));
    }
  });

  it("says of every identifier where it stands", () => {
    const { summary } = summaryOf(messages, { maxTokens: 4_000 });
    const texts = new Map(messages.map((message) => [message.id, oneLine(visibleText(message))]));
    for (const { text, where, sources } of summary.identifiers.slice(0, 200)) {
      // Arguments are shown as JSON here, where a quote or backslash inside them is escaped: words have neither.
      const words = where === undefined ? [text] : text.replace(/…/g, "").match(/[\p{L}\p{N}_-]{3,}/gu);
      for (const word of words ?? []) expect(sources.some((source) => texts.get(source)?.includes(word))).toBe(true);
    }
  });
});

describe.skipIf(!present)("recorded sessions with little room", () => {
  const ASKED = "Keep every file path and all test results";

  /** The work items of a session's summaries, folded in eight parts one after the other. */
  const workOverFolds = (name: string, maxTokens: number, instructions?: string): readonly string[] => {
    const messages = spanOfSession(name);
    const size = Math.ceil(messages.length / 8);
    const summaries: StructuredSummary[] = [];
    for (let start = 0; start < messages.length; start += size) {
      const previous = summaries.at(-1) ?? null;
      const more = { previous, maxTokens, ...(instructions !== undefined && { instructions }) };
      summaries.push(summaryOf(messages.slice(start, start + size), more).summary);
    }
    return summaries.map(({ openItems }) => openItems.map((item) => `${item.status}: ${item.description}`).join("\n"));
  };

  it.each([undefined, ASKED])("show what was asked last, with the instructions %j", (instructions) => {
    const work = workOverFolds("claude-code/entire-cli/b6-f735fbac66-0.jsonl.gz", 1_500, instructions);
    expect(work[2]).toContain("open: quick follow up question first");
  });

  it("do not leave out what is to be done for details that instructions ask for", () => {
    const [first] = workOverFolds("trajectories/openai-chat/iso-bench-99abb8b6.json.gz", 600, ASKED);
    expect(first).toContain("open: Create and run a timing script at .bench_scratch/test_opt.py");
  });

  it("give new work its share when details of earlier folds fill them", () => {
    const work = workOverFolds("trajectories/openai-chat/iso-bench-0d243f2a.json.gz", 1_500, ASKED);
    expect(work[3]).toContain("open: Optimize target JSON configs for AMD MI300X (E=8,N=14336)");
  });
});
