import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { modelRow } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import hostPrograms from "../init/host-programs.json" with { type: "json" };
import { captureRun } from "../testing/captured-io.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();
const pages = fileURLToPath(new URL("../../../../docs/hosts/", import.meta.url));

const FOUND = [
  ["@agentclientprotocol/sdk", "acp"],
  ["ai", "ai-sdk"],
  ["@anthropic-ai/sdk", "anthropic"],
  ["openai", "openai"],
  ["@google/genai", "gemini"],
  ["@langchain/core", "langchain"],
  ["langchain", "langchain"],
  ["@mastra/core", "mastra"],
  ["@openai/agents", "openai-agents"],
  ["@earendil-works/pi-coding-agent", "pi"],
] as const;

/** The first program of the page of each host that init knows, and the commands that install what it needs. */
function programsOfPages() {
  const programs = readdirSync(pages).flatMap((page) => {
    const text = readFileSync(`${pages}${page}`, "utf8");
    const [, file, code] = /^```(?:ts|js)\n\/\/ ([\w.-]+)\n([^]*?)^```$/m.exec(text) ?? [];
    const [, install] = /^```sh\n(npm install [^]*?)\n```$/m.exec(text) ?? [];
    if (file === undefined || code === undefined || install === undefined) return [];
    const name = page.replace(".md", "");
    return !FOUND.some(([, host]) => host === name) ? [] : [[name, { install, file, code: code.trimStart() }] as const];
  });
  return Object.fromEntries(programs.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A project with these dependencies. */
function project(dependencies: Readonly<Record<string, string>>, field = "dependencies"): string {
  bench.file("package.json", JSON.stringify({ name: "agent", [field]: dependencies }));
  return bench.root;
}

describe("threadfold init", () => {
  it("names only models whose windows and prices are known, as the pages of hosts and the README do", () => {
    const texts = [...readdirSync(pages).map((page) => `${pages}${page}`), `${pages}../../README.md`].map((path) =>
      readFileSync(path, "utf8"),
    );
    const models = texts.flatMap((text) => text.match(/(?<=")(?:gpt|claude|gemini)-[\w.-]+(?=")/g) ?? []);
    expect(new Set(models).size).toBeGreaterThan(3);
    expect(models.filter((model) => modelRow(model)?.inputPrice === undefined)).toEqual([]);
  });

  it("has the programs of the pages of hosts, letter by letter (vitest -u takes them over)", async () => {
    const programs = programsOfPages();
    expect(Object.keys(programs)).toEqual(expect.arrayContaining(FOUND.map(([, host]) => host)));
    await expect(`${JSON.stringify(programs, null, 2)}\n`).toMatchFileSnapshot("../init/host-programs.json");
  });

  it.each(FOUND)("finds %s, and writes the program of its page", async (dependency, host) => {
    const { code, envelope } = await json(["init", project({ [dependency]: "1.0.0" })]);
    const { file, code: program, install } = hostPrograms[host];
    expect(code).toBe(0);
    expect(envelope.data).toMatchObject({ host, found: [host], written: true, install });
    expect(readFileSync(bench.path(file), "utf8")).toBe(program);
  });

  it("takes the framework before its client, says that both are there, and what to do next", async () => {
    const { stdout, stderr } = await captureRun(["init", project({ openai: "7.0.0", ai: "7.0.0" }, "devDependencies")]);
    expect(stdout).toContain("for the host ai-sdk");
    expect(stdout).toContain(`  ${hostPrograms["ai-sdk"].install}`);
    expect(stdout).toContain("  node ai-sdk.ts");
    expect(stderr).toContain("also has openai; choose with --host");
    const chosen = await json(["init", bench.root, "--host", "openai"]);
    expect(chosen.envelope.data).toMatchObject({ host: "openai", written: true });
  });

  it("shows the file and writes nothing in a dry run", async () => {
    const { stdout, stderr } = await captureRun(["init", project({ ai: "7.0.0" }), "--dry-run"]);
    expect(stdout).toBe(hostPrograms["ai-sdk"].code);
    expect(stderr).toContain("Nothing was written.");
    expect(existsSync(bench.path("ai-sdk.ts"))).toBe(false);
  });

  it("never overwrites", async () => {
    project({ ai: "7.0.0" });
    bench.file("ai-sdk.ts", "mine");
    const { code, envelope } = await json(["init", bench.root]);
    expect([code, envelope.error?.code]).toEqual([1, "OUTPUT_UNWRITABLE"]);
    expect(envelope.error?.message).toContain("it already exists");
    expect(readFileSync(bench.path("ai-sdk.ts"), "utf8")).toBe("mine");
  });

  it("says what is wrong with a project", async () => {
    const refused = async (text: string | null) => {
      const folder = bench.path(`project-${text?.length ?? "none"}`);
      mkdirSync(folder);
      if (text !== null) writeFileSync(`${folder}/package.json`, text);
      const { code, envelope } = await json(["init", folder]);
      return [code, envelope.error?.code];
    };
    expect(await refused(null)).toEqual([5, "UNREADABLE_SOURCE"]);
    expect(await refused("{")).toEqual([1, "INVALID_JSON"]);
    expect(await refused("null")).toEqual([1, "INVALID_JSON"]);
    expect(await refused('{"dependencies":7}')).toEqual([2, "USAGE"]);
    expect(await refused("{}")).toEqual([2, "USAGE"]);
  });
});
