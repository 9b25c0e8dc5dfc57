import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { asArtifactId } from "@threadfold/core";
import { keepLaws } from "@threadfold/core/laws";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { metadata, THREAD } from "../laws/sample-data.ts";
import { storeLaws } from "../laws/store-laws.ts";
import { segmentPlaces, storeWithArtifacts } from "../open-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { fileFolder, makeFolders, openFileArtifacts } from "./file-artifacts.ts";

// Many small files that nobody needs after a crash: memory is a good enough disk for them.
const disk = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
let folder = "";

keepLaws(
  "SQLite with artifacts in a folder store",
  storeLaws({
    open: async ({ clock }) => {
      folder = mkdtempSync(join(disk, "threadfold-"));
      const store = await openSqliteStore(join(folder, "store.db"), { clock });
      return storeWithArtifacts(store, await openFileArtifacts(join(folder, "artifacts"), { clock }));
    },
    reopen: async ({ clock }) => {
      const store = await openSqliteStore(join(folder, "store.db"), { clock });
      return storeWithArtifacts(store, await openFileArtifacts(join(folder, "artifacts"), { clock }));
    },
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  }),
  { describe, it },
);

describe("artifacts in a folder", () => {
  beforeEach(() => void (folder = mkdtempSync(join(disk, "threadfold-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const files = (): readonly string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  it("are complete files that only their owner can read, with no unfinished file left behind", async () => {
    const artifacts = await openFileArtifacts(folder);
    await artifacts.store("content", metadata());
    expect(files()).toHaveLength(3);
    for (const file of files()) expect(file.includes(".unfinished"), file).toBe(false);
    if (process.platform !== "win32") for (const file of files()) expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("R4 keep the strictest sensitivity of concurrent writers, and each content once", async () => {
    const handles = await Promise.all(Array.from({ length: 4 }, () => openFileArtifacts(folder)));
    const levels = ["public", "internal", "confidential", "restricted"] as const;
    for (let round = 0; round < 10; round++) {
      const ids = await Promise.all(
        handles.map((one, index) =>
          one.store(`content ${round}`, metadata({ sensitivity: levels[index] as "public" })),
        ),
      );
      expect(new Set(ids).size).toBe(1);
      expect((await handles[0]?.getMetadata(ids[0] as never))?.sensitivity).toBe("restricted");
    }
    expect(await handles[1]?.list(THREAD)).toHaveLength(10);
  });

  it("R28 are not returned when their file was cut off, changed, removed or replaced by a link", async () => {
    const artifacts = await openFileArtifacts(join(folder, "artifacts"));
    const id = await artifacts.store("content", metadata());
    const content = files().find((file) => file.includes("contents")) as string;
    for (const damage of ["", "conten", "contend"]) {
      writeFileSync(content, damage);
      await expect(artifacts.retrieve(id)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    }
    rmSync(content);
    await expect(artifacts.retrieve(id)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    writeFileSync(join(folder, "elsewhere"), "content");
    symlinkSync(join(folder, "elsewhere"), content);
    await expect(artifacts.retrieve(id)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it("R28 are refused with STORE_CORRUPT when something else stands in place of their record", async () => {
    const artifacts = await openFileArtifacts(folder);
    await artifacts.store("content", metadata());
    const record = files().find((file) => file.includes("records")) as string;
    const again = (): Promise<unknown> => artifacts.store("content", metadata({ sensitivity: "restricted" }));
    for (const replace of [
      () => symlinkSync("nowhere", record),
      () => mkdirSync(record),
      () => writeFileSync(join(dirname(record), "notes"), "no record"),
    ]) {
      rmSync(record, { recursive: true, force: true });
      replace();
      await expect(again()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    }
  });

  it("cannot be used to reach any other file, whatever the id or key", async () => {
    const artifacts = await openFileArtifacts(join(folder, "artifacts"));
    writeFileSync(join(folder, "secret"), "secret");
    for (const id of ["../secret", "artifact_../../secret", "/etc/passwd", "artifact_0123456789abcdef0123456%", "a\0b"])
      expect(await artifacts.retrieve(asArtifactId(id))).toBeNull();
    const raw = fileFolder(join(folder, "artifacts"));
    for (const key of [
      "../secret",
      "a/../../secret",
      "/etc/passwd",
      "a//b",
      ".",
      "..",
      ".hidden",
      "a\0b",
      "",
      "A",
      "a\\b",
    ]) {
      await expect(raw.get(key)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
      await expect(raw.putNew(key, new Uint8Array())).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    }
  });

  it("fail with STORE_UNAVAILABLE when the folder is a file", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(openFileArtifacts(join(folder, "file"))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it.skipIf(!existsSync("/proc/self"))(
    "fail at once with STORE_UNAVAILABLE where no folder can be created",
    async () => {
      const refusal = { code: "STORE_UNAVAILABLE", message: expect.stringContaining("ENOENT") };
      await expect(openFileArtifacts("/proc/nope/artifacts")).rejects.toMatchObject(refusal);
      await expect(segmentPlaces()("file:/proc/nope", true)).rejects.toMatchObject(refusal);
      await expect(fileFolder("/proc/nope").putNew("a/b", new Uint8Array())).rejects.toMatchObject(refusal);
    },
  );
});

describe("makeFolders", () => {
  beforeEach(() => void (folder = mkdtempSync(join(disk, "threadfold-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("creates missing folders and returns the topmost new one", () => {
    expect(makeFolders(join(folder, "a/b/c"))).toBe(join(folder, "a"));
    expect(existsSync(join(folder, "a/b/c"))).toBe(true);
    expect(makeFolders(join(folder, "a/b/c"))).toBeUndefined();
    expect(makeFolders(join(folder, "a/b/d"), 0o700)).toBe(join(folder, "a/b/d"));
    if (process.platform !== "win32") expect(statSync(join(folder, "a/b/d")).mode & 0o777).toBe(0o700);
  });

  it("refuses a path below a file or a dangling link, and leaves nothing behind", () => {
    writeFileSync(join(folder, "file"), "");
    symlinkSync("nowhere", join(folder, "link"));
    for (const path of ["file/below", "link", "link/below"])
      expect(() => makeFolders(join(folder, path)), path).toThrow();
    expect(readdirSync(folder).sort()).toEqual(["file", "link"]);
  });

  it("accepts a folder that another process creates at the same time", async () => {
    const script = `import { makeFolders } from ${JSON.stringify(new URL("file-artifacts.ts", import.meta.url).href)};
      for (let round = 0; round < 300; round++) makeFolders(process.argv[1] + "/" + round + "/deep/er", 0o700);`;
    const flags = ["--conditions=threadfold-source", "--input-type=module", "--eval", script, folder];
    const codes = Array.from({ length: 2 }, async () => {
      const child = spawn(process.execPath, flags, { stdio: ["ignore", "ignore", "inherit"] });
      const [code] = await once(child, "close");
      return code;
    });
    expect(await Promise.all(codes)).toEqual([0, 0]);
  });
});
