import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "./workspaces.mjs";

const readme = readFileSync(join(root, "README.md"), "utf8");
let folder;

// Inside the repository, so that the example finds the packages as a user's code does: built, by their names.
beforeAll(() => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  folder = mkdtempSync(join(root, ".cache", "readme-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("the README", () => {
  const example = /```ts\n(?<code>.*?)```/s.exec(readme)?.groups?.code ?? "";

  it("has a library example that compiles and runs against the built packages", () => {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "example.ts"), example);
    const types = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--target",
      "es2024",
      "--module",
      "nodenext",
      "--types",
      "node",
    ];
    run(join(root, "node_modules/.bin/tsc"), [...types, "example.ts"]);
    expect(run(process.execPath, ["example.ts"])).toMatch(/\d/);
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
    for (const path of links) expect(() => execFileSync("ls", [join(root, path)], { stdio: "pipe" })).not.toThrow();
  });
});

function run(command, args) {
  return execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
