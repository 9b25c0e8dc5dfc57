// The pages of the hosts, and their programs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../workspaces.mjs";
import { readSnippets } from "./snippets.mjs";

/** Where the package that users install keeps the programs of the pages. */
export const EXAMPLES = join(root, "packages", "threadfold", "examples");

/** The output of the example that needs no key and no network. */
export const FIRST_FOLD =
  /^82 messages, a request of [1-7]\d{3} tokens: committed\.\nThe rule .*: true\nFound .*: PART_23 leaks 161 bytes\.$/;

/**
 * Returns every program of the pages in the form that the package has: with what to install and how to start it in
 * place of its name.
 */
export function examplePrograms() {
  return hostPages().flatMap(({ snippets }) => {
    const commands = snippets.filter(({ language }) => language === "sh").map(({ code }) => code.trim());
    return snippets
      .filter(({ file }) => file !== undefined)
      .map(({ file, code }) => {
        const head = [...commands.flatMap((lines) => lines.split("\n")), `node ${file}`].map((line) => `// ${line}\n`);
        return { file, code: head.join("") + code.slice(code.indexOf("\n") + 1) };
      });
  });
}

export const HOSTS = join(root, "docs", "hosts");

/** Returns every page of a host with its code blocks, ordered by name. */
export function hostPages() {
  return readdirSync(HOSTS)
    .filter((name) => name !== "README.md")
    .map((name) => ({ name, snippets: readSnippets(readFileSync(join(HOSTS, name), "utf8")) }));
}
