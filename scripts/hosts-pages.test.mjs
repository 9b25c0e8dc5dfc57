import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProgram } from "./readme/expect-program.mjs";
import { openReaderProject } from "./readme/reader-project.mjs";
import { readSnippets } from "./readme/snippets.mjs";
import { root } from "./workspaces.mjs";

const folder = join(root, "docs", "hosts");
const pages = readdirSync(folder)
  .filter((name) => name !== "README.md")
  .map((name) => ({ name, snippets: readSnippets(readFileSync(join(folder, name), "utf8")) }));

/** What a host's program has of ours, at most, in lines. */
const MOST_LINES = 15;

let project;

beforeAll(async () => {
  project = await openReaderProject();
}, 600_000);
afterAll(() => project?.close());

describe("the pages of hosts", () => {
  it("are all in their list", () => {
    const listed = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/\]\((?<page>[\w-]+\.md)\)/g)];
    expect(listed.map(({ groups }) => groups.page).toSorted()).toEqual(pages.map(({ name }) => name).toSorted());
  });
});

// Each page as a reader goes through it, in one project, from installed packages and against a double of the providers.
describe.each(pages)("docs/hosts/$name", { timeout: 600_000 }, ({ snippets }) => {
  for (const snippet of snippets) {
    const { language, code, file, line } = snippet;
    if (language === "sh") it(`line ${line}: ${code.trim()}`, () => project.run(code));
    else it(`line ${line}: ${file}`, () => expectProgram(project, snippet));
  }

  it(`has at most ${MOST_LINES} lines of ours in a program`, () => {
    for (const { code, file } of snippets.filter(({ file }) => file !== undefined))
      expect(linesOfOurs(code), file).toBeLessThanOrEqual(MOST_LINES);
  });

  it("sends the providers nothing that they would refuse", () => {
    expect(project.provider.refused).toEqual([]);
  });
});

/** Lines that import from us, or name what was imported, opened or made with it. */
function linesOfOurs(code) {
  const lines = code.split("\n");
  const imports = lines.filter((line) => /from "(?:threadfold|@threadfold\/)/.test(line));
  const imported = imports.flatMap((line) => line.match(/(?<=[{,]\s*(?:type )?)\w+(?=\s*[,}])/g) ?? []);
  const names = new Set([...imported, "session", "store", "threadfold", "turn", "projection", "maxInputTokens"]);
  return lines.filter((line) => [...line.matchAll(/\w+/g)].some(([word]) => names.has(word))).length;
}
