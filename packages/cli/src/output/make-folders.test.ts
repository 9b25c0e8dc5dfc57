import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeFolders } from "./output-folder.ts";

const root = mkdtempSync(join(tmpdir(), "threadfold-folders-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("makeFolders", () => {
  it("makes what is missing and says what the topmost new folder is", () => {
    expect(makeFolders(join(root, "a/b/c"))).toBe(join(root, "a"));
    expect(existsSync(join(root, "a/b/c"))).toBe(true);
    expect(makeFolders(join(root, "a/b/c"))).toBeUndefined();
    expect(makeFolders(join(root, "a/b/d"))).toBe(join(root, "a/b/d"));
  });

  it.skipIf(!existsSync("/proc/self"))("ends where no folder can be made", () => {
    expect(() => makeFolders("/proc/nope/deeper")).toThrow();
  });

  it("refuses a path below a file", () => {
    makeFolders(root);
    writeFileSync(join(root, "file"), "");
    expect(() => makeFolders(join(root, "file/below"))).toThrow();
  });
});
