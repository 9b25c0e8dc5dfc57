import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { HOSTS } from "../hosts/hosts.ts";
import { agentsHelp, parseAgentOptions } from "./agent-options.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** What the command prints for these words. */
const run = (...argv: readonly string[]) =>
  new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const words = ["--conditions=threadfold-source", MAIN, ...argv];
    execFile(process.execPath, words, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });

describe("the command line of the scripted agents", () => {
  it.each(["--help", "-h"])("prints a help text for %s, and runs nothing", async (flag) => {
    const { code, stdout, stderr } = await run(flag);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`${agentsHelp(HOSTS)}\n`);
    for (const { id } of HOSTS) expect(stdout).toContain(id);
  });

  it("refuses what it does not know in a sentence, and with no trace", async () => {
    const { code, stdout, stderr } = await run("--cals", "12");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("Unknown option '--cals'.\nnpm run agents -- --help lists the options.\n");
  });

  it.each([
    [["--calls", "many"], "--calls"],
    [["--calls", "0"], "--calls"],
    [["--window", "1.5"], "--window"],
    [["--host", "nobody"], '"nobody"; it must be one of plain-anthropic'],
    [["--host", "openai-responses", "--model", "claude-opus-5-5"], "--model"],
    [["--json=yes"], "--json"],
    [["extra"], "extra"],
  ])("refuses %j", (argv, named) => {
    let refused: unknown;
    try {
      parseAgentOptions(argv, HOSTS);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: "USAGE", message: expect.stringContaining(named) });
  });

  it("takes hosts, models and figures", () => {
    const asked = ["--host", "plain-anthropic", "--model", "claude-opus-5-5", "--calls", "24", "--json"];
    const options = parseAgentOptions(asked, HOSTS);
    expect(options).toMatchObject({ modelCalls: 24, maxInputTokens: 48_000, json: true, summarizerFails: false });
    expect(options?.runs.map(({ host, model }) => [host.id, model])).toEqual([["plain-anthropic", "claude-opus-5-5"]]);
  });
});
