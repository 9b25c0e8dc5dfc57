import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** A full run tries each property so many times more often, so it may take as much longer. */
const scale = Math.max(1, Number(process.env["THREADFOLD_PROPERTY_SCALE"] ?? 1));

// Many tests start processes from source, each of which would strip the types of the same files again: a third of what
// they cost. The folder is the one that Node takes by itself where a program asks for such a cache.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache");

/** The package that is tested. */
const folder = process.cwd();

/** How every package is tested: against the sources of its neighbours, so that tests need no build. */
export default defineConfig({
  // One root for all packages: what was transformed for one is not transformed again for the next.
  root: import.meta.dirname,
  resolve: { conditions: ["threadfold-source"] },
  ssr: { resolve: { conditions: ["threadfold-source"] } },
  test: {
    dir: folder,
    include: ["src/**/*.test.ts"],
    reporters: ["default", ["json", { outputFile: join(folder, ".cache/test-results.json") }]],
    // Loading the same sources again for every file was a third of the whole run; no file leaves anything behind that
    // another one sees.
    isolate: false,
    // One file's waiting for servers and processes is another one's working time, on two cores too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // For what never ends; how long something takes on a machine with other work, nobody knows.
    testTimeout: 900_000 * scale,
    hookTimeout: 900_000 * scale,
  },
});
