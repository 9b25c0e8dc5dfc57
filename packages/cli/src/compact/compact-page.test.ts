import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Page, painter } from "../output/page.ts";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession, PI_SESSION } from "../testing/recorded-sessions.ts";
import { Workbench } from "../testing/workbench.ts";
import { shareOut, windowBar } from "./compact-page.ts";

const page: Page = { columns: 60, paint: painter(false), isTerminal: false };
const nothing = { system: 0, tools: 0, pins: 0, summaries: 0, pointers: 0, kept: 0, rehydrated: 0, overhead: 0 };

describe("shareOut", () => {
  it("fills the width, gives everything a cell, and more tokens never fewer cells", () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 9, max: 120 }), (tokens, width) => {
        const cells = shareOut(tokens, width);
        expect(cells.reduce((sum, cell) => sum + cell, 0)).toBe(width);
        expect(Math.min(...cells)).toBeGreaterThanOrEqual(1);
        tokens.forEach((more, a) => {
          tokens.forEach((less, b) => {
            if (more > less) expect((cells[a] ?? 0) + 1).toBeGreaterThanOrEqual(cells[b] ?? 0);
          });
        });
      }),
      { numRuns: 300 },
    );
  });

  it("gives nothing to nothing", () => expect(shareOut([0, 0], 10)).toEqual([0, 0]));
});

describe("windowBar", () => {
  it("shows each kind of content with a glyph of its own and its tokens", () => {
    const lines = windowBar({ ...nothing, system: 250, pins: 10, kept: 240 }, 1_000, page);
    expect(lines[0]).toBe(`  ${"▓".repeat(14)}◆${"█".repeat(13)}${"·".repeat(28)}`);
    expect(lines[1]).toBe("  ▓ system 250  ◆ pins 10  █ kept 240  · free 500");
  });

  it("leaves no room free when the content exceeds the budget", () => {
    expect(windowBar({ ...nothing, kept: 2_000 }, 1_000, page)).toEqual([`  ${"█".repeat(56)}`, "  █ kept 2,000"]);
  });

  it("keeps to the page's width and breaks the legend", () => {
    const full = {
      system: 1,
      tools: 22_222,
      pins: 3,
      summaries: 44_444,
      pointers: 5,
      kept: 66_666,
      rehydrated: 7,
      overhead: 8,
    };
    const lines = windowBar(full, 1_000_000, page);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });
});

const bench = new Workbench();

describe("for a person", () => {
  it("tells what the window holds, what was done and why, and what to do next", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const { code, stdout, stderr } = await captureRun(["compact", path, "--budget", "8000", "--store", bench.store]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^long\.json \(openai-chat\)\n {2}124 messages · 2 turns · 61 steps\n\n {2}[\d,]+ → [\d,]+ tokens \(−\d+ %\)\n/,
    );
    for (const part of [
      "What the window holds now",
      "█ kept",
      "· free",
      "What was done",
      "Pins (1, all in the request",
      "Never commit without",
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).toContain(`--store ${bench.store}`);
    const [, command = ""] = stdout.match(/ {2}threadfold (explain .*)/) ?? [];
    expect((await captureRun(command.split(" "))).code).toBe(0);
    expect(`${stdout}${stderr}`).not.toContain("\u001b");
    const coloured = (await captureRun(["compact", path, "--budget", "8000"], { isTTY: true, env: { TERM: "xterm" } }))
      .stdout;
    expect(coloured).toContain("\u001b[");
    const plain = await captureRun(["compact", path, "--budget", "8000", "--no-color"], { isTTY: true });
    expect(stripVTControlCharacters(coloured)).toBe(plain.stdout);
  });

  it("stays within 100 columns, and within a narrower terminal", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    for (const columns of [80, 100, 300]) {
      const { stdout } = await captureRun(["compact", path, "--budget", "8000"], { columns });
      for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(Math.min(columns, 100));
      expect(stdout).toContain("Nothing was stored");
    }
  });

  it("is quiet when asked to be", async () => {
    const path = bench.file("session.jsonl", PI_SESSION);
    const { stdout, stderr } = await captureRun(["compact", path, "--quiet"]);
    expect(stdout).toMatch(/^\d+ → \d+ tokens \(0 % of 100,000\), no-op\n$/);
    expect(stderr).toBe("");
    expect((await captureRun(["compact", path])).stderr).toContain("warning: line 4 was skipped");
  });

  it("shows no control characters of a log, except to a pipe that asks for the text", async () => {
    const path = bench.file(
      "odd.json",
      JSON.stringify({ messages: [{ role: "user", content: "You must never \u001b[2J clear my screen." }] }),
    );
    const { stdout } = await captureRun(["compact", path, "--store", bench.store], {
      isTTY: true,
      env: { NO_COLOR: "1" },
    });
    expect(stdout).toContain("\\x1b[2J");
    expect(stdout).not.toContain("\u001b");
    const [, command = ""] = stdout.match(/threadfold (explain .*)/) ?? [];
    expect((await captureRun([...command.split(" "), "--text"])).stdout).toBe(
      "You must never \u001b[2J clear my screen.\n",
    );
    expect((await captureRun([...command.split(" "), "--text"], { isTTY: true })).stdout).not.toContain("\u001b");
  });
});
