import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileProblem, OutputFolder, proveWritable, streamWholeFile, writeWholeFile } from "./output-folder.ts";

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

  it("changes no file when one of them cannot be written over", () => {
    mkdirSync(join(root, "two.txt"));
    writeFileSync(join(root, "one.txt"), "old");
    const folder = OutputFolder.open(root);
    expect(() => folder.deliver({ "one.txt": "new", "two.txt": "2" })).toThrow(
      expect.objectContaining({ code: "OUTPUT_UNWRITABLE", message: expect.stringContaining("two.txt") }),
    );
    folder.close();
    expect(readFileSync(join(root, "one.txt"), "utf8")).toBe("old");
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

describe.skipIf(process.platform === "win32")("a pipe or a device", () => {
  it("is written to and never replaced, however long the text", async () => {
    const path = join(root, "pipe");
    execFileSync("mkfifo", [path]);
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const read = () => {
      const buffer = Buffer.alloc(100);
      return buffer.toString("utf8", 0, readSync(reader, buffer));
    };
    proveWritable(path);
    writeWholeFile(path, "one");
    expect([read(), statSync(path).isFIFO()]).toEqual(["one", true]);
    const texts = (async function* () {
      yield* ["two", "three"];
    })();
    expect([await streamWholeFile(path, texts), read(), statSync(path).isFIFO()]).toEqual([2, "twothree", true]);
    closeSync(reader);
    const file = openSync(join(root, "file"), "w");
    writeWholeFile(`/dev/fd/${file}`, "text");
    closeSync(file);
    expect(readFileSync(join(root, "file"), "utf8")).toBe("text");
    expect(readdirSync(root).sort()).toEqual(["file", "pipe"]);
  });
});

describe("what is wrong with a file", () => {
  it("is said in words, with the code that stands for it", async () => {
    mkdirSync(join(root, "folder"));
    writeFileSync(join(root, "file"), "");
    const [inFolder, noFolder, belowFile] = ["folder", "none/x", "file/x"].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    const words: [() => unknown, string][] = [
      [() => writeWholeFile(inFolder, "x"), `${inFolder} cannot be written: it is a folder (EISDIR).`],
      [() => writeWholeFile(noFolder, "x"), `${noFolder} cannot be written: there is no such file or folder (ENOENT).`],
      [
        () => OutputFolder.open(belowFile),
        `${belowFile} cannot be written: what should be a folder is a file (ENOTDIR).`,
      ],
    ];
    for (const [work, message] of words) expect(work).toThrow(expect.objectContaining({ message }));
    const texts = (async function* () {
      yield "x";
    })();
    await expect(streamWholeFile(noFolder, texts)).rejects.toMatchObject({
      message: expect.stringContaining("(ENOENT)"),
    });
  });

  it.skipIf(process.platform !== "linux")("is said of what is full, with the code that stands for it", async () => {
    const texts = async function* () {
      for (let piece = 0; piece < 100; piece++) yield "x".repeat(10_000);
    };
    await expect(streamWholeFile("/dev/full", texts())).rejects.toMatchObject({
      message: "/dev/full cannot be written: the disk is full (ENOSPC).",
    });
  });

  it("is not said of what failed while the text was made", async () => {
    const texts = (async function* () {
      yield "x";
      throw new TypeError("a defect");
    })();
    await expect(streamWholeFile(join(root, "page.html"), texts)).rejects.toThrow(new TypeError("a defect"));
    expect(readdirSync(root)).toEqual([]);
  });

  it("is the bare code, or what was thrown, where there are no words for it", () => {
    expect(fileProblem(Object.assign(new Error("x"), { code: "EIO" }))).toBe("EIO");
    expect(fileProblem(new TypeError("x"))).toBe("TypeError: x");
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
