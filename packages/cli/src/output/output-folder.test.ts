import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OutputFolder, writeWholeFile } from "./output-folder.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "threadfold-output-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("OutputFolder", () => {
  it("makes the folder and puts every file in its place", () => {
    const folder = OutputFolder.open(join(root, "a/b"));
    folder.deliver({ "one.txt": "1", "two.txt": "2" });
    folder.close();
    expect(readdirSync(join(root, "a/b")).sort()).toEqual(["one.txt", "two.txt"]);
    expect(readFileSync(join(root, "a/b/two.txt"), "utf8")).toBe("2");
  });

  it("leaves no trace when nothing was delivered, and keeps a folder that was there", () => {
    OutputFolder.open(join(root, "a/b")).close();
    expect(readdirSync(root)).toEqual([]);
    mkdirSync(join(root, "mine"));
    OutputFolder.open(join(root, "mine")).close();
    expect(readdirSync(root)).toEqual(["mine"]);
    expect(readdirSync(join(root, "mine"))).toEqual([]);
  });

  it("replaces files of an earlier run and leaves others alone", () => {
    writeFileSync(join(root, "one.txt"), "old");
    writeFileSync(join(root, "other.txt"), "kept");
    const folder = OutputFolder.open(root);
    folder.deliver({ "one.txt": "new" });
    folder.close();
    expect(readFileSync(join(root, "one.txt"), "utf8")).toBe("new");
    expect(readdirSync(root).sort()).toEqual(["one.txt", "other.txt"]);
  });

  it("refuses a path below a file, and leaves what it made", () => {
    writeFileSync(join(root, "file"), "");
    expect(() => OutputFolder.open(join(root, "file/out"))).toThrow(
      expect.objectContaining({ code: "OUTPUT_UNWRITABLE" }),
    );
    expect(readdirSync(root)).toEqual(["file"]);
  });

  it("shows no file when one of them cannot be written", () => {
    const folder = OutputFolder.open(join(root, "out"));
    expect(() => folder.deliver({ "one.txt": "1", "missing/two.txt": "2" })).toThrow(
      expect.objectContaining({ code: "OUTPUT_UNWRITABLE" }),
    );
    folder.close();
    expect(existsSync(join(root, "out"))).toBe(false);
  });
});

describe("writeWholeFile", () => {
  it("writes the file, over one that is there", () => {
    const path = join(root, "request.json");
    writeFileSync(path, "old");
    writeWholeFile(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(readdirSync(root)).toEqual(["request.json"]);
  });

  it("leaves nothing behind when it cannot", () => {
    mkdirSync(join(root, "folder"));
    expect(() => writeWholeFile(join(root, "folder"), "x")).toThrow(
      expect.objectContaining({ code: "OUTPUT_UNWRITABLE" }),
    );
    expect(() => writeWholeFile(join(root, "none/x"), "x")).toThrow(
      expect.objectContaining({ code: "OUTPUT_UNWRITABLE" }),
    );
    expect(readdirSync(root)).toEqual(["folder"]);
  });
});
