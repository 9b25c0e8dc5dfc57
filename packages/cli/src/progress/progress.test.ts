import type { SingleBar } from "cli-progress";
import { describe, expect, it } from "vitest";
import type { CliIo } from "../output/cli-io.ts";
import { BarProgress, LineProgress, progressFor, SILENT_PROGRESS } from "./progress.ts";

function clock() {
  let time = 0;
  return { now: () => time, pass: (milliseconds: number) => (time += milliseconds) };
}

function output(isTTY: boolean) {
  const lines: string[] = [];
  return { lines, write: (text: string) => lines.push(text), isTTY, columns: 80 };
}

describe("LineProgress", () => {
  it("writes one line every five seconds, and none for quick work", () => {
    const time = clock();
    const { lines, ...stderr } = output(false);
    const progress = new LineProgress(stderr, time);
    progress.update("reading", 0.1);
    time.pass(4_999);
    progress.update("reading", 0.2);
    expect(lines).toEqual([]);
    time.pass(1);
    progress.update("reading", 0.256);
    progress.update("reading", 0.3);
    time.pass(5_000);
    progress.update("folding", 0.7);
    progress.stop();
    time.pass(50_000);
    progress.update("folding", 0.8);
    expect(lines).toEqual(["reading 25 %\n", "folding 70 %\n"]);
  });
});

describe("BarProgress", () => {
  function bar() {
    const calls: string[] = [];
    const fake = {
      start: () => calls.push("start"),
      update: (value: number, { phase }: { phase: string }) => calls.push(`${value} ${phase}`),
      stop: () => calls.push("stop"),
    };
    return { calls, load: async () => fake as unknown as SingleBar };
  }

  it("shows a bar only when the work takes a while, and takes it away", async () => {
    const time = clock();
    const { calls, load } = bar();
    const progress = new BarProgress(process.stderr, time, load);
    progress.update("reading", 0.1);
    time.pass(500);
    progress.update("reading", 0.2);
    await Promise.resolve();
    progress.update("reading", 0.5);
    progress.stop();
    progress.update("reading", 0.6);
    expect(calls).toEqual(["start", "50 reading", "stop"]);
  });

  it("never loads the bar for quick work, and shows none that was loaded too late", async () => {
    const time = clock();
    const { calls, load } = bar();
    const quick = new BarProgress(process.stderr, time, () => Promise.reject(new Error("must not be loaded")));
    quick.update("reading", 1);
    quick.stop();
    const late = new BarProgress(process.stderr, time, load);
    time.pass(500);
    late.update("reading", 1);
    late.stop();
    await Promise.resolve();
    expect(calls).toEqual([]);
  });
});

describe("progressFor", () => {
  const io = (isTTY: boolean, env: CliIo["env"] = {}) => ({
    stderr: { ...output(isTTY), stream: process.stderr },
    env,
    clock: clock(),
  });
  it("is a bar for a person at a terminal, and lines for anything else", () => {
    const spoken = { json: false, quiet: false };
    expect(progressFor(io(true), spoken)).toBeInstanceOf(BarProgress);
    expect(progressFor(io(false), spoken)).toBeInstanceOf(LineProgress);
    expect(progressFor(io(true), { json: true, quiet: false })).toBeInstanceOf(LineProgress);
    expect(progressFor(io(true, { CI: "true" }), spoken)).toBeInstanceOf(LineProgress);
    expect(progressFor(io(true, { CI: "false" }), spoken)).toBeInstanceOf(BarProgress);
    expect(progressFor(io(true, { TERM: "dumb" }), spoken)).toBeInstanceOf(LineProgress);
    expect(progressFor(io(true), { json: false, quiet: true })).toBe(SILENT_PROGRESS);
  });
});
