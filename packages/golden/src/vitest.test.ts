import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { PromptPair } from "@threadfold/inspector";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import type { GoldenPrompt } from "./render/render-golden-prompt.ts";
import { goldenPrompt } from "./vitest.ts";

const PACKAGE = join(import.meta.dirname, "..");
const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
let project: string;

beforeAll(async () => {
  // Inside the package, so that the project finds vitest and this package the way a user's project does.
  await mkdir(join(PACKAGE, ".cache"), { recursive: true });
  project = await mkdtemp(join(PACKAGE, ".cache/matcher-"));
  const template = join(import.meta.dirname, "testing/project");
  await cp(join(template, "vitest.config.ts"), join(project, "vitest.config.ts"));
  // Not a test by its name until it is in the project: this package's own run would take it for one of its own.
  await cp(join(template, "agent.ts"), join(project, "agent.test.ts"));
});
afterAll(() => rm(project, { recursive: true }));

interface Run {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs the project's tests in a vitest of their own. */
function runVitest(environment: NodeJS.ProcessEnv = {}, ...flags: readonly string[]): Promise<Run> {
  const { CI: _ci, THREADFOLD_UPDATE_GOLDENS: _update, ...inherited } = process.env;
  const ours = Object.fromEntries(Object.entries(inherited).filter(([name]) => !name.startsWith("VITEST")));
  const env = { ...ours, CI: "", NO_COLOR: "1", ...environment };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [VITEST, "run", "--root", project, ...flags],
      { env, cwd: project },
      (error, out, err) => {
        resolve({ passed: error === null, output: `${out}${err}` });
      },
    );
  });
}

const kept = () => readdir(join(project, "__goldens__/agent.test.ts")).then((names) => names.sort());

describe("the matcher in a project of its own", () => {
  it("refuses to write in CI, writes elsewhere, and passes from then on although ids and times are new ones", async () => {
    const inCi = await runVitest({ CI: "true", THREADFOLD_UPDATE_GOLDENS: "1" });
    expect(inCi.passed).toBe(false);
    expect(inCi.output).toContain("There is no golden prompt in ");
    expect(inCi.output).toContain("To write it, run `npx vitest run agent.test.ts -u` on your own machine");
    expect(await readdir(project)).not.toContain("__goldens__");
    expect(await readdir(project)).not.toContain("prompts");

    expect(await runVitest()).toMatchObject({ passed: true });
    expect(await kept()).toEqual(["long session", "second"]);
    expect(await readdir(join(project, "prompts/short"))).toContain("prompt.md");
    expect(await runVitest({ CI: "true" })).toMatchObject({ passed: true });
  });

  it("fails with the place of the divergence and its price, and updates by -u and by the variable", async () => {
    const failed = await runVitest({ FIXTURE_BUDGET: "3000", FIXTURE_SECOND: "gone" });
    expect(failed.passed).toBe(false);
    expect(failed.output).toMatch(/diverged at message \d: summary of turns 1-\d+ \S/);
    expect(failed.output).toMatch(/costs \d+ of \d+ cached tokens: writing as many again costs as much as \d+ tokens/);
    expect(failed.output).toContain("To accept it, run `npx vitest run agent.test.ts -u`.");
    expect(failed.output).not.toContain("bsolete golden prompts");
    const [url = ""] = /file:\/\/\S+\.html/.exec(failed.output) ?? [];
    const [, base64 = ""] = /id="prompts">([^<]*)</.exec(await readFile(fileURLToPath(url), "utf8")) ?? [];
    const pages = dirname(fileURLToPath(url));
    // The prompts quote what was said, and they lie where every user of the machine may look.
    expect(((await stat(pages)).mode & 0o077).toString(8)).toBe("0");
    const pair = JSON.parse(gunzipSync(Buffer.from(base64, "base64")).toString()) as PromptPair;
    expect(pair).toMatchObject({ name: "long session", accept: "npx vitest run agent.test.ts -u" });
    expect(pair.findings[0]).toMatch(/^diverged at message \d: summary of turns/);
    const golden = await readFile(join(project, "__goldens__/agent.test.ts/long session/prompt.md"), "utf8");
    expect(pair.files[0]).toMatchObject({ name: "prompt.md", before: golden });
    expect(pair.files[0]?.after).not.toBe(golden);
    await rm(fileURLToPath(url));

    const updated = await runVitest({ FIXTURE_BUDGET: "3000", FIXTURE_SECOND: "gone" }, "-u");
    expect(updated.passed).toBe(true);
    expect(updated.output).toMatch(/Obsolete golden prompts were removed from .*:\s+second/);
    expect(await kept()).toEqual(["long session"]);

    const negated = await runVitest({ THREADFOLD_UPDATE_GOLDENS: "1", FIXTURE_NEGATED: "yes" });
    expect(negated.output).toContain("toMatchGoldenPrompt cannot be negated.");
    expect(await kept()).toEqual(["long session", "second"]);
  });

  it("says what to do about a mistake, once, and where it is", async () => {
    const { passed, output } = await runVitest({ CI: "true", FIXTURE_MISTAKEN: "yes" });
    expect(passed).toBe(false);
    for (const hint of ["Did you mean preset?", "Did you mean config?", "Give a name of letters, digits,"])
      expect(output.split(hint), hint).toHaveLength(2);
    expect(output).toMatch(/ThreadfoldError: confg: there is no such option\.\s+Did you mean config\?/);
    expect(output).toMatch(/agent\.test\.ts:\d+:\d+/);
  });

  it("reports golden prompts that no test asks for", async () => {
    const { passed, output } = await runVitest({ CI: "true", FIXTURE_SECOND: "gone" });
    expect(passed).toBe(true);
    expect(output).toMatch(/Obsolete golden prompts in .*which no test uses; an update removes them:\s+second/);
  });
});

describe("the types", () => {
  it("are those that users see on expect", () => {
    type Matcher = ReturnType<typeof expect<Promise<GoldenPrompt>>>["toMatchGoldenPrompt"];
    expectTypeOf<Matcher>().toEqualTypeOf<(nameOrPath: string) => Promise<void>>();
    expectTypeOf(goldenPrompt).returns.toEqualTypeOf<Promise<GoldenPrompt>>();
    expectTypeOf(goldenPrompt).toBeCallableWith({ messages: [], format: "gemini", mask: ["digests"] });
    // @ts-expect-error two conversations are one too many
    expectTypeOf(goldenPrompt).toBeCallableWith({ messages: [], session: { threadId: "t", messages: [] } });
    // @ts-expect-error a format that there is not
    expectTypeOf(goldenPrompt).toBeCallableWith({ messages: [], format: "nope" });
    expect(goldenPrompt).toBeTypeOf("function");
  });
});
