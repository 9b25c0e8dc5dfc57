import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStarts } from "./readme/expect-program.mjs";
import { EXAMPLES, examplePrograms, FIRST_FOLD, HOSTS, hostPages } from "./readme/host-pages.mjs";
import { openLinkedProject } from "./readme/reader-project.mjs";

const pages = hostPages();

/** What a host's program has of ours, at most, in lines. */
const MOST_LINES = 15;

let project;

beforeAll(async () => {
  project = await openLinkedProject();
}, 600_000);
afterAll(() => project?.close());

describe("the pages of hosts", () => {
  it("are all in their list", () => {
    const listed = [
      ...readFileSync(join(HOSTS, "README.md"), "utf8").matchAll(/\| \[[\w-]+\.md\]\((?<page>[\w-]+\.md)\) \|/g),
    ];
    expect(listed.map(({ groups }) => groups.page).toSorted()).toEqual(pages.map(({ name }) => name).toSorted());
  });

  it("are the examples of the package, letter by letter (vitest -u takes them over)", async () => {
    const programs = examplePrograms();
    for (const { file, code } of programs) await expect(code).toMatchFileSnapshot(join(EXAMPLES, file));
    const there = readdirSync(EXAMPLES).filter((file) => file !== "README.md" && file !== "first-fold.js");
    expect(there.toSorted()).toEqual(programs.map(({ file }) => file).toSorted());
    const named = readFileSync(join(EXAMPLES, "README.md"), "utf8").match(/(?<=`)[\w*-]+\.[jt]s(?=`)/g);
    const isNamed = (file) =>
      named.some((name) => new RegExp(`^${name.replace(".", "\\.").replace("*", ".*")}$`).test(file));
    expect([...there, "first-fold.js"].filter((file) => !isNamed(file))).toEqual([]);
  });

  it("have an example beside them that needs nothing of anybody", async () => {
    project.write("first-fold.js", readFileSync(join(EXAMPLES, "first-fold.js"), "utf8"));
    const printed = await project.run("node first-fold.js");
    expect(printed).toMatch(FIRST_FOLD);
  });

  it("have programs that compile", { timeout: 600_000 }, async () => {
    const programs = pages.flatMap(({ snippets }) => snippets.filter(({ file }) => file !== undefined));
    for (const { file, code } of programs) project.write(file, code);
    const files = programs.map(({ file }) => file).filter((file) => file.endsWith(".ts"));
    expect(new Set(programs.map(({ file }) => file)).size).toBe(programs.length);
    expect(await project.compile(files)).toBe("");
  });
});

// Each page with the packages as they are built, what it installs apart, and against a double of the providers. That it
// installs, and starts a second time, is the matter of reader-pages.test.mjs.
describe.each(pages)("docs/hosts/$name", { timeout: 600_000 }, ({ name, snippets }) => {
  for (const snippet of snippets) {
    const { language, code, file, line } = snippet;
    const commands = withoutInstall(code);
    if (language !== "sh")
      it(`line ${line}: ${file}`, ({ skip }) => {
        skip(project.absent.has(name), project.absent.get(name));
        return expectStarts(project, snippet, 1);
      });
    else if (commands !== "") it(`line ${line}: ${commands}`, () => project.run(commands));
  }

  it(`has at most ${MOST_LINES} lines of ours in a program`, () => {
    for (const { code, file } of snippets.filter(({ file }) => file !== undefined))
      expect(linesOfOurs(code), file).toBeLessThanOrEqual(MOST_LINES);
  });

  it("sends the providers nothing that they would refuse", () => {
    expect(project.provider.refused).toEqual([]);
  });
});

function withoutInstall(commands) {
  const lines = commands.trim().split("\n");
  return lines.filter((line) => !line.startsWith("npm install ")).join("\n");
}

/** Lines that import from us, or name what was imported, opened or made with it. */
function linesOfOurs(code) {
  const lines = code.split("\n");
  const imports = lines.filter((line) => /from "(?:threadfold|@threadfold\/)/.test(line));
  const imported = imports.flatMap((line) => line.match(/(?<=[{,]\s*(?:type )?)\w+(?=\s*[,}])/g) ?? []);
  const names = new Set([...imported, "session", "store", "threadfold", "turn", "projection", "maxInputTokens"]);
  return lines.filter((line) => [...line.matchAll(/\w+/g)].some(([word]) => names.has(word))).length;
}
