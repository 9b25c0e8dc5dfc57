import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const built = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Writes the address of every file that a program loads, one a line, behind its output when it ends. */
const LISTS_FILES = `data:text/javascript,${encodeURIComponent(`
const files = new Set();
process.getBuiltinModule("node:module").registerHooks({
  load(url, context, next) { files.add(url); return next(url, context); },
});
process.on("exit", () => process.getBuiltinModule("node:fs").writeSync(1, "\\0" + [...files].join("\\n")));
`)}`;

function filesLoaded(program: string, ...given: readonly string[]): readonly string[] {
  const { stdout } = spawnSync(process.execPath, ["--import", LISTS_FILES, program, ...given], { encoding: "utf8" });
  const urls = stdout.slice(stdout.indexOf("\0") + 1).split("\n");
  return urls.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
}

const packageOf = (file: string): string | undefined =>
  /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1]?.replace("\\", "/");
/** Names of files without what the bundler puts behind them. */
const namesOf = (files: readonly string[]): readonly string[] =>
  files.map((file) => basename(file).replace(/-[\w-]{8}\.cjs$/, ".cjs"));
const bytesOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + statSync(file).size, 0);

describe("what a start loads", () => {
  it("of others' packages, the import loads these: no driver, no encoding, no stemmer, no provider's client", () => {
    const files = filesLoaded(built("dist/index.js"));
    expect([...new Set(files.flatMap((file) => packageOf(file) ?? []))].sort()).toEqual([
      "image-size",
      "immer",
      "lru-cache",
    ]);
    expect(files.filter((file) => file.includes("encodings"))).toEqual([]);
  });

  const READERS_OF_SPANS = ["fold-reader", "select-changes", "summarize-span"];

  it("the import loads no reader of a log or a span, no store on a disk, and no module of Node that takes long", () => {
    const names = filesLoaded(built("dist/index.js")).map((file) => basename(file));
    const late = ["read-session", "sqlite", ...READERS_OF_SPANS];
    expect(names.filter((name) => late.some((start) => name.startsWith(start)))).toEqual([]);
    const asked = `await import("threadfold"); process.stdout.write(JSON.stringify(process.moduleLoadList));`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", asked], {
      cwd: built("."),
      encoding: "utf8",
    });
    const slow = ["crypto", "zlib", "fs/promises", "worker_threads", "sqlite", "http"];
    expect(slow.filter((name) => JSON.parse(stdout).includes(`NativeModule ${name}`))).toEqual([]);
  });

  it("a summarizer that is made loads what reads spans, so that no fold depends on files that an update replaced", () => {
    const made = `import { ExtractiveSummarizer, modelSummarizer } from ${JSON.stringify(built("dist/index.js"))};
      new ExtractiveSummarizer();
      modelSummarizer({ model: { id: "m", complete: () => Promise.reject(new Error()) }, contextWindow: 100_000 });`;
    const files = filesLoaded("--input-type=module", "--eval", made).map((file) => basename(file));
    for (const reader of READERS_OF_SPANS)
      expect(files.filter((file) => file.startsWith(`${reader}-`))).toHaveLength(1);
  });

  it.each([["--version"], ["--help"], ["--no-such-option"], ["no-such-command"]])(
    "the command reads its line before it loads the library: %s",
    (given) => {
      const files = filesLoaded(built("bin/threadfold.mjs"), given);
      expect(namesOf(files)).toEqual(["threadfold.mjs", "main.cjs", "rolldown-runtime.cjs", "start.cjs"]);
      expect(bytesOf(files)).toBeLessThan(100_000);
    },
  );

  it("a command loads six files, and none of the encodings that tokens are counted with", () => {
    const files = filesLoaded(built("bin/threadfold.mjs"), "presets");
    expect(namesOf(files)).toEqual([
      ...["threadfold.mjs", "main.cjs", "rolldown-runtime.cjs", "start.cjs"],
      ...["commands.cjs", "library.cjs"],
    ]);
    expect(bytesOf(files)).toBeLessThan(2_250_000);
  });
});
