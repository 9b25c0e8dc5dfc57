// The pages of hosts, and which of them are installed when.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../workspaces.mjs";
import { readSnippets } from "./snippets.mjs";

export const HOSTS = join(root, "docs", "hosts");

/** Every page of a host with its code blocks, in the order of their names. */
export function hostPages() {
  return readdirSync(HOSTS)
    .filter((name) => name !== "README.md")
    .map((name) => ({ name, snippets: readSnippets(readFileSync(join(HOSTS, name), "utf8")) }));
}
