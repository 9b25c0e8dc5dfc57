import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = (path) => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
/** The packages that have a dependency and whose sources import it. */
const usersOf = (name) =>
  globSync("packages/*", { cwd: root }).filter((folder) => {
    const { dependencies = {} } = existsSync(join(root, folder, "package.json")) ? manifest(folder) : {};
    return (
      name in dependencies && sourcesOf(folder).some((text) => new RegExp(`(?:from |import\\()"${name}`).test(text))
    );
  });
const sourcesOf = (folder) =>
  globSync("src/**/*.ts", { cwd: join(root, folder) }).map((file) => readFileSync(join(root, folder, file), "utf8"));

describe("the sketch of the house", () => {
  it("card-1 has packages core, strategies, renderer, rehydration and stores", () => {
    for (const name of ["core", "strategies", "renderer", "rehydration", "stores"])
      expect(manifest(`packages/${name}`).name).toBe(`@threadfold/${name}`);
  });

  it("card-2 has golden tests, turbo.json and one package.json above all", () => {
    for (const path of ["apps/golden-tests/package.json", "turbo.json"])
      expect(existsSync(join(root, path))).toBe(true);
    expect(manifest(".").workspaces).toEqual(["packages/*", "apps/*"]);
  });

  it.each([
    ["card-3 immer", "packages/core"],
    ["card-4 zod", "packages/core"],
    ["card-5 tiktoken", "packages/tokenizers"],
    ["card-6 lru-cache", "packages/summarizers"],
    ["card-7 p-retry", "packages/summarizers"],
  ])("%s is used", (title, folder) => {
    expect(usersOf(title.split(" ")[1])).toContain(folder);
  });

  it("card-8 card-9 tests run with vitest, and tasks with turbo", () => {
    const { devDependencies, scripts } = manifest(".");
    expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(["vitest", "turbo"]));
    expect([scripts["test:scripts"], scripts.build]).toEqual([
      expect.stringContaining("vitest"),
      expect.stringContaining("turbo"),
    ]);
  });
});
