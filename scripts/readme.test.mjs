import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { PROGRAM_LANGUAGES, readSnippets } from "./readme/snippets.mjs";
import { stalePages } from "./readme-figures.mjs";
import { root } from "./workspaces.mjs";

const readme = readFileSync(join(root, "README.md"), "utf8");
const snippets = readSnippets(readme);
const programs = snippets.filter(({ language }) => PROGRAM_LANGUAGES.includes(language));

describe("the README", () => {
  it("has only code that a test can run: programs that name their file, and commands", () => {
    expect(programs.length).toBeGreaterThan(2);
    expect(snippets.filter(({ language }) => ![...PROGRAM_LANGUAGES, "sh"].includes(language))).toEqual([]);
    expect(programs.filter(({ file, language }) => !file?.endsWith(`.${language}`))).toEqual([]);
  });

  it("says what to install before a program imports it", () => {
    const installedBefore = (line) =>
      snippets
        .filter((snippet) => snippet.language === "sh" && snippet.line < line)
        .flatMap(({ code }) => [...code.matchAll(/^npm install (?<words>.*)$/gm)])
        .flatMap(({ groups }) => groups.words.split(" ").filter((word) => !word.startsWith("-")));
    for (const { file, code, line } of programs) {
      const wanted = importedPackages(file, code).filter((name) => !installedBefore(line).includes(name));
      expect(wanted, `${file} imports what no install line above it names`).toEqual([]);
    }
  });

  it("gives the figures of this tree, and so does the page of figures: node scripts/readme-figures.mjs --write", () => {
    expect(stalePages()).toEqual([]);
  });

  it("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const named = [...readme.matchAll(/npm (?:run )?(?<script>start|test|(?<=run )[a-z:-]+)/g)].map(
      ({ groups }) => groups.script,
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  it("links only to files that exist", () => {
    const links = [...readme.matchAll(/\]\((?<path>[^)#:]+)\)/g)].map(({ groups }) => groups.path);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** The packages that a program imports, without those of Node. It has to parse. */
function importedPackages(file, code) {
  const { errors, module } = parseSync(file, code);
  expect(errors, file).toEqual([]);
  return module.staticImports
    .map(({ moduleRequest }) => moduleRequest.value)
    .filter((name) => !isBuiltin(name))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
}
