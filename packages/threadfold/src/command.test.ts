import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";

const command = fileURLToPath(new URL("../bin/threadfold.mjs", import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-command-"));
  for (const name of ["bin", "dist"]) mkdirSync(join(folder, name));
  copyFileSync(command, join(folder, "bin/threadfold.mjs"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("the command starts where the runtime has no compile cache", async () => {
  writeFileSync(join(folder, "dist/main.cjs"), "console.log('started')");
  const without = "data:text/javascript,process.getBuiltinModule('node:module').enableCompileCache=undefined";
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--import",
    without,
    join(folder, "bin/threadfold.mjs"),
  ]);
  expect(stdout).toBe("started\n");
});
