import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { completeLockfile } from "./complete-lockfile.mjs";
import { root } from "./workspaces.mjs";

const here = { version: "2.0.0", optional: true, cpu: ["x64"], os: ["linux"] };
const parser = (version) => ({
  version,
  dev: true,
  optionalDependencies: { "@parser/binding-linux-x64-gnu": version, "@parser/binding-win32-x64-msvc": version },
});

describe("the lockfile", () => {
  it("gets the binaries for other platforms that the registry did not serve", () => {
    const packages = {
      "node_modules/@parser/binding-linux-x64-gnu": here,
      "node_modules/parser": parser("2.0.0"),
    };
    expect(completeLockfile(packages)).toEqual(["node_modules/@parser/binding-win32-x64-msvc"]);
    expect(packages["node_modules/@parser/binding-win32-x64-msvc"]).toEqual({
      version: "2.0.0",
      dev: true,
      optional: true,
      cpu: ["x64"],
      os: ["win32"],
    });
  });

  it("gets those of an older version beside the package that wants it, where another one has taken the name", () => {
    const packages = {
      "node_modules/@parser/binding-linux-x64-gnu": here,
      "node_modules/@parser/binding-win32-x64-msvc": { ...here, os: ["win32"] },
      "node_modules/parser": parser("2.0.0"),
      "node_modules/linter/node_modules/@parser/binding-linux-x64-gnu": { ...here, version: "1.0.0" },
      "node_modules/linter/node_modules/parser": parser("1.0.0"),
    };
    expect(completeLockfile(packages)).toEqual(["node_modules/linter/node_modules/@parser/binding-win32-x64-msvc"]);
    expect(packages["node_modules/linter/node_modules/@parser/binding-win32-x64-msvc"].version).toBe("1.0.0");
    expect(packages["node_modules/@parser/binding-win32-x64-msvc"].version).toBe("2.0.0");
  });

  it("gets those of an older version inside the package that wants it, where its neighbour has the name", () => {
    const packages = {
      "node_modules/@parser/binding-linux-x64-gnu": here,
      "node_modules/@parser/binding-win32-x64-msvc": { ...here, os: ["win32"] },
      "node_modules/old-parser": parser("1.0.0"),
    };
    expect(completeLockfile(packages)).toEqual([
      "node_modules/old-parser/node_modules/@parser/binding-linux-x64-gnu",
      "node_modules/old-parser/node_modules/@parser/binding-win32-x64-msvc",
    ]);
  });

  it("is left alone where it is complete, and where a range is met by what is there", () => {
    const packages = {
      "node_modules/watch-darwin-x64": { ...here, version: "2.3.3", os: ["darwin"] },
      "node_modules/watcher": { version: "1.0.0", optionalDependencies: { "watch-darwin-x64": "~2.3.0" } },
    };
    const before = structuredClone(packages);
    expect(completeLockfile(packages)).toEqual([]);
    expect(packages).toEqual(before);
  });

  // node_modules that were there before hide it: only a fresh clone would find out.
  it("as it is committed lacks nothing", () => {
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    expect(completeLockfile(packages)).toEqual([]);
  });
});
