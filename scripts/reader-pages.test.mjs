import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProgram } from "./readme/expect-program.mjs";
import { hostPages } from "./readme/host-pages.mjs";
import { openReaderProject } from "./readme/reader-project.mjs";
import { readSnippets } from "./readme/snippets.mjs";
import { root } from "./workspaces.mjs";

/** The hosts that are installed in every check: every other one costs as much again, and the full run has them all. */
const EVERY_DAY = ["ai-sdk.md", "openai.md"];

const isFull = process.env.THREADFOLD_ALL_SESSIONS !== undefined;
const pages = hostPages().filter(({ name }) => isFull || EVERY_DAY.includes(name));
const snippets = readSnippets(readFileSync(join(root, "README.md"), "utf8"));
let project;

beforeAll(async () => {
  project = await openReaderProject();
}, 600_000);
afterAll(() => project?.close());

// In the order in which a reader meets them, and each in the project as those before it left it.
describe("what the README says to type works from installed packages, twice in a row", { timeout: 600_000 }, () => {
  for (const snippet of snippets) {
    const { language, code, file, line } = snippet;
    if (language === "sh") it(`line ${line}: ${code.trim()}`, () => expectCommand(code));
    else it(`line ${line}: ${file}`, () => expectProgram(project, snippet));
  }

  it("sends the providers nothing that they would refuse", () => {
    expect(project.provider.refused).toEqual([]);
    expect(project.provider.requests.length).toBeGreaterThan(2);
  });

  it("leaves golden prompts that the second run was compared with", () => {
    expect(readdirSync(join(project.folder, "__goldens__/agent.test.js/a failing build"))).toContain("prompt.md");
  });
});

describe.each(pages)(
  "H1 docs/hosts/$name works from installed packages",
  { timeout: 600_000 },
  ({ name, snippets }) => {
    for (const snippet of snippets) {
      const { language, code, file, line } = snippet;
      if (language === "sh") it(`line ${line}: ${code.trim()}`, () => project.run(code));
      else
        it(`line ${line}: ${file}`, ({ skip }) => {
          skip(project.absent.has(name), project.absent.get(name));
          return expectProgram(project, snippet);
        });
    }

    it("sends the providers nothing that they would refuse", () => {
      expect(project.provider.refused).toEqual([]);
    });
  },
);

async function expectCommand(code) {
  const first = await project.run(code);
  const second = await project.run(code);
  if (!code.startsWith("npm install")) expect([first, second]).not.toContain("");
}
