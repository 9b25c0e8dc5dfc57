import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession, PI_SESSION } from "../testing/recorded-sessions.ts";
import { Workbench } from "../testing/workbench.ts";

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
