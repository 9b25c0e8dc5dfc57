import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

let folder: string | undefined;

/**
 * Node's arguments with which a test starts the command from its sources: as one bundle, which takes a third of the time
 * that hundreds of sources take. Made for the first test that asks.
 */
export function commandArguments(): readonly string[] {
  folder ??= bundled();
  return [join(folder, "main.mjs")];
}

/** Removes what was bundled; for the `afterAll` of a file that starts the command. */
export function removeBundle(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
}

function bundled(): string {
  const made = mkdtempSync(join(tmpdir(), "threadfold-command-"));
  buildSync({
    entryPoints: { main: fileURLToPath(new URL("../main.ts", import.meta.url)) },
    outdir: made,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // As in the package, a command loads only what it needs.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    conditions: ["threadfold-source"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return made;
}
