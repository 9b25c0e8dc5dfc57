import { describe, expect, it } from "vitest";
import { COMMANDS } from "./command-list.ts";
import { captureRun } from "./testing/captured-io.ts";
import { openAiSession } from "./testing/recorded-sessions.ts";
import { json, Workbench } from "./testing/workbench.ts";

const bench = new Workbench();

describe("usage", () => {
  it.each([
    [["compat"], "Unknown command 'compat'."],
    [["help", "compat"], "Unknown command 'compat'."],
    [["compat", "--help"], "Unknown command 'compat'."],
    [["compact"], "Missing required argument 'file'."],
    [["compact", "a", "b"], "Too many arguments"],
    [["compact", "a", "--bugdet", "5"], "Unknown option '--bugdet'."],
    [["compact", "a", "--budget"], "'--budget <tokens>'"],
    [["compact", "a", "--budget", "many"], "--budget"],
    [["compact", "a", "--from", "word"], "'--from <format>'"],
    [["compact", "a", "--format", "word"], "'--format <format>'"],
    [["compact", "a", "--preset", "none"], "There is no preset none."],
    [["compact", "a", "--tokenizer", "none"], "token counter"],
    [["compact", "a", "--ask", " "], "--ask is blank"],
    [["compact", "a", "--store", ""], "--store is empty"],
    [["compact", "a", "--thread", "0"], "--thread"],
    [["diff", "t", "a", "1"], "planA"],
    [["render", "t", "--plan", "-1"], "--plan"],
  ])("%j is exit 2 with a message, in JSON too", async (argv, message) => {
    const path = bench.file("small.json", openAiSession());
    const call = argv.map((part) => (part === "a" && argv[0] === "compact" ? path : part));
    const { code, envelope } = await json(call);
    expect(code).toBe(2);
    expect(envelope.error?.message).toContain(message);
    const plain = await captureRun(call);
    expect(plain.code).toBe(2);
    expect(plain.stdout).toBe("");
    expect(plain.stderr).toContain(message);
  });

  it("lets no control character or mark of direction of what was typed reach a terminal, in the stack either", async () => {
    const typed = "a\u009b2J\u202ecod\u001b]0;x\u0007";
    for (const argv of [
      [typed],
      ["compact", typed],
      ["lint", typed, "--format", "gemini"],
      ["render", typed, "--store", typed],
    ]) {
      const { code, stdout, stderr } = await captureRun(argv, { env: { THREADFOLD_DEBUG: "1" }, isTTY: false });
      expect(code).not.toBe(0);
      expect(stderr).toContain("\\x202e");
      expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u0080-\u009f\u202a-\u202e]/);
      const json = await captureRun([...argv, "--json"], { isTTY: false });
      expect(json.stdout + json.stderr).not.toMatch(/[\u001b\u0007\u0080-\u009f\u202a-\u202e]/);
      expect(JSON.parse(json.stdout)).toMatchObject({ ok: false });
    }
  });

  it("says what may have been meant", async () => {
    expect((await captureRun(["compat", "x"])).stderr).toContain("Did you mean compact?");
    expect((await captureRun(["compact", "x", "--bugdet", "5"])).stderr).toContain("Did you mean --budget?");
  });

  it("says where help is", async () => {
    expect((await captureRun(["zebra"])).stderr).toMatch(
      /hint: The commands are compact, .*\. Run threadfold --help\./,
    );
    expect((await captureRun(["compact"])).stderr).toContain("hint: Run threadfold compact --help.");
    for (const argv of [["help"], ["help", "--json"], ["--help"]]) {
      const { code, stdout } = await captureRun(argv);
      expect(code).toBe(0);
      expect(stdout).toContain("Usage: threadfold [options] [command]");
    }
  });

  it("prints the help of all commands where none is named, with and without options", async () => {
    const { stdout: help } = await captureRun(["--help"]);
    expect(help).toContain("Exit codes:");
    for (const argv of [[], ["--no-color"], ["--quiet"]])
      expect(await captureRun(argv)).toMatchObject({ code: 0, stdout: help, stderr: "" });
    expect(await json([])).toMatchObject({ code: 0, envelope: { ok: true, data: { help } } });
    expect((await captureRun(["--bugdet"])).code).toBe(2);
  });

  it("shows help with two examples or more before anything else, for every command", async () => {
    for (const { name } of COMMANDS) {
      const { code, stdout } = await captureRun([name, "--help"]);
      expect(code).toBe(0);
      const lines = stdout.split("\n");
      expect(lines[0]).toBe("Examples:");
      const examples = lines.slice(1, lines.indexOf(""));
      expect(examples.length).toBeGreaterThanOrEqual(2);
      for (const example of examples) expect(example.startsWith(`  $ threadfold ${name}`)).toBe(true);
      for (const option of ["--json", "--quiet", "--no-color"]) expect(stdout).toContain(option);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
      expect((await captureRun(["help", name])).stdout).toBe(stdout);
    }
  });

  it("prints the items of a list a line each with --ndjson, the same that --json has, and refuses it elsewhere", async () => {
    for (const name of ["presets", "models"]) {
      const { code, stdout, stderr } = await captureRun([name, "--ndjson"]);
      expect([code, stderr]).toEqual([0, ""]);
      const items = stdout.trimEnd().split("\n");
      const { data } = (await json([name])).envelope;
      expect({ [name]: items.map((line) => JSON.parse(line) as unknown) }).toEqual(data);
    }
    const unknown = await captureRun(["models", "nobody-knows-it", "--ndjson"]);
    expect([unknown.code, unknown.stdout]).toEqual([2, ""]);
    expect(unknown.stderr).toContain("is not known");
    expect((await captureRun(["diff", "a", "1", "2", "--ndjson"])).code).toBe(2);
  });

  it("answers --help and --version in JSON too", async () => {
    expect((await json(["--version"])).envelope.data).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect((await json(["plans", "--help"])).envelope.data).toEqual({ help: expect.stringContaining("Examples:") });
  });
});
