import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asMessageId, type DeterminismMetadata, type JsonValue } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileDeterminism, fileDeterminismProbe } from "./file-determinism-probe.ts";

const TEXT = "export const answer = 42;\n";
const HASH = createHash("sha256").update(TEXT).digest("hex");
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "threadfold-probe-"));
  await mkdir(join(root, "src"));
  await writeFile(join(root, "src/a.ts"), TEXT);
});
afterEach(() => rm(root, { recursive: true }));

const look = (input: JsonValue, determinism: DeterminismMetadata = { contentHash: HASH }, maxBytes?: number) =>
  fileDeterminismProbe({ root: join(root, "src"), ...(maxBytes !== undefined && { maxBytes }) }).probe(
    { messageId: asMessageId("m"), toolName: "read", input, determinism },
    new AbortController().signal,
  );

describe("fileDeterminismProbe", () => {
  it.each<[string, DeterminismMetadata]>([
    ["the whole hash", { contentHash: HASH }],
    ["its first 16 digits, as seed 002 notes them", { contentHash: HASH.slice(0, 16) }],
    ["a hash that names its algorithm", { contentHash: `sha256:${HASH.toUpperCase()}` }],
    ["a hash beside another time", { contentHash: HASH, mtime: 1 }],
  ])("reports a file as unchanged by %s", async (_, determinism) => {
    expect(await look({ path: "a.ts" }, determinism)).toBe("matches");
  });

  it("finds a relative or absolute path under each of the usual argument names", async () => {
    for (const field of ["path", "file_path", "filePath", "filename", "file"]) {
      expect(await look({ [field]: join(root, "src/a.ts") })).toBe("matches");
    }
  });

  it("reports a file as changed when it was written to or deleted", async () => {
    await writeFile(join(root, "src/a.ts"), `${TEXT}\n`);
    expect(await look({ path: "a.ts" })).toBe("changed");
    await rm(join(root, "src/a.ts"));
    expect(await look({ path: "a.ts" })).toBe("changed");
  });

  it("compares the modification time, in milliseconds or seconds, when the tool recorded nothing else", async () => {
    const { mtimeMs } = await stat(join(root, "src/a.ts"));
    for (const mtime of [mtimeMs, mtimeMs / 1_000]) expect(await look({ path: "a.ts" }, { mtime })).toBe("matches");
    expect(await look({ path: "a.ts" }, { mtime: mtimeMs - 1 })).toBe("changed");
    await rm(join(root, "src/a.ts"));
    expect(await look({ path: "a.ts" }, { mtime: mtimeMs })).toBe("changed");
  });

  it.each<[string, JsonValue, DeterminismMetadata]>([
    ["time and version, of which a file has one", { path: "a.ts" }, { mtime: 1, version: "2" }],
    ["a time beside a hash of another kind", { path: "a.ts" }, { mtime: 1, contentHash: "not hexadecimal" }],
    ["what was noted as nothing", { path: "a.ts" }, {}],
    ["a hash of another kind", { path: "a.ts" }, { contentHash: "not hexadecimal" }],
    ["a hash behind other words", { path: "a.ts" }, { contentHash: `md5 ${HASH}` }],
    ["a hash with other words behind it", { path: "a.ts" }, { contentHash: `${HASH.slice(0, 20)} and so on` }],
    ["a hash too short to tell", { path: "a.ts" }, { contentHash: HASH.slice(0, 8) }],
    ["arguments without a path", { command: "cat a.ts" }, { contentHash: HASH }],
    ["arguments that are no object", "a.ts", { contentHash: HASH }],
    ["a folder", { path: "." }, { contentHash: HASH }],
  ])("cannot verify %s", async (_, input, determinism) => {
    expect(await look(input, determinism)).toBe("unverifiable");
  });

  it("never looks outside its root, neither by relative or absolute paths nor through links", async () => {
    await writeFile(join(root, "secret.ts"), TEXT);
    await symlink(join(root, "secret.ts"), join(root, "src/link.ts"));
    for (const path of ["../secret.ts", join(root, "secret.ts"), "link.ts"]) {
      expect(await look({ path })).toBe("unverifiable");
    }
  });

  it("does not read a file above the size limit", async () => {
    expect(await look({ path: "a.ts" }, { contentHash: HASH }, TEXT.length - 1)).toBe("unverifiable");
    expect(await look({ path: "a.ts" }, { contentHash: HASH }, TEXT.length)).toBe("matches");
  });

  it("spec-61 matches the metadata that fileDeterminism recorded", async () => {
    expect(await look({ path: "a.ts" }, await fileDeterminism(join(root, "src/a.ts")))).toBe("matches");
  });

  it("uses the path that the host's pathOf returns for a call", async () => {
    const probe = fileDeterminismProbe({
      root: join(root, "src"),
      pathOf: ({ input }) => (typeof input === "string" ? input : undefined),
    });
    const ask = (input: JsonValue) =>
      probe.probe(
        { messageId: asMessageId("m"), toolName: "read", input, determinism: { contentHash: HASH } },
        new AbortController().signal,
      );
    expect([await ask("a.ts"), await ask({ path: "a.ts" })]).toEqual(["matches", "unverifiable"]);
  });

  it("takes the path from the first usual argument name that holds one", async () => {
    await writeFile(join(root, "src/other.ts"), "other");
    expect(await look({ path: "a.ts", file: "other.ts" })).toBe("matches");
    expect(await look({ path: "other.ts", file: "a.ts" })).toBe("changed");
    for (const path of ["", 7, null]) expect(await look({ path, file: "a.ts" })).toBe("matches");
    expect(await look(["a.ts"])).toBe("unverifiable");
  });

  it("compares a shortened hash to its last digit, and cannot verify one that is too long", async () => {
    const last = HASH[19] === "0" ? "1" : "0";
    expect(await look({ path: "a.ts" }, { contentHash: `${HASH.slice(0, 19)}${last}` })).toBe("changed");
    expect(await look({ path: "a.ts" }, { contentHash: `${HASH}0` })).toBe("unverifiable");
  });

  it("reports a file as unverifiable once the signal is aborted", async () => {
    const probe = fileDeterminismProbe({ root: join(root, "src") });
    const asked = { messageId: asMessageId("m"), toolName: "read", input: { path: "a.ts" } };
    expect(await probe.probe({ ...asked, determinism: { contentHash: HASH } }, AbortSignal.abort())).toBe(
      "unverifiable",
    );
  });
});
