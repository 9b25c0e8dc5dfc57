import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { THREAD, transcript } from "./conformance/sample-data.ts";
import { openStore } from "./open-store.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "threadfold-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("openStore", () => {
  it("opens one SQLite file by every address of it", async () => {
    const path = join(folder, "a store #1 %20?.db");
    for (const [index, address] of [
      path,
      `sqlite:${path}`,
      `sqlite://${path}`,
      `sqlite:${relative(process.cwd(), path)}`,
    ].entries()) {
      const store = await openStore(address);
      expect(await store.threads.append(THREAD, transcript(index + 1), { expectedVersion: index })).toEqual({
        version: index + 1,
        appended: 1,
      });
      await store.close();
    }
    expect(existsSync(path)).toBe(true);
  });

  it("gives a memory store of its own each time", async () => {
    const stores = [await openStore("memory:"), await openStore("memory:")];
    await stores[0]?.threads.append(THREAD, transcript(1), { expectedVersion: "no-thread" });
    expect(await stores[1]?.threads.load(THREAD)).toBeNull();
  });

  it("refuses addresses of other kinds and repeats no password", async () => {
    for (const address of ["", "sqlite:", "sqlite://", "memory:x", "postgres://me:secret@host/db", "s3://bucket"]) {
      await expect(openStore(address)).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.not.stringContaining("secret"),
      });
    }
  });
});
