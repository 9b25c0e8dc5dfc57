import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** A full run tries each property this many times as often, so it may take that much longer. */
const scale = Math.max(1, Number(process.env["THREADFOLD_PROPERTY_SCALE"] ?? 1));

// Many tests start processes from source, and each would strip the types of the same files again: a third of their
// cost. The folder is the one that Node uses by default when a program asks for such a cache.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache");

/** The package under test. */
const folder = process.cwd();

/**
 * The test configuration of every package: tests run against the sources of the other packages, so they need no build.
 */
export default defineConfig({
  // One root for all packages: what was transformed for one is not transformed again for the next.
  root: import.meta.dirname,
  resolve: { conditions: ["threadfold-source"] },
  ssr: { resolve: { conditions: ["threadfold-source"] } },
  test: {
    dir: folder,
    include: ["src/**/*.test.ts"],
    reporters: ["default", ["json", { outputFile: join(folder, ".cache/test-results.json") }]],
    // Loading the same sources again for every file took a third of the whole run; no file leaves anything behind that
    // affects another one.
    isolate: false,
    // Several packages are tested at once, and one waits for servers and processes while another works: more workers
    // for each only take the processor from one another.
    maxWorkers: Math.max(1, availableParallelism() - 1),
    // Only for tests that never end; nobody knows how long a test takes on a busy machine.
    testTimeout: 900_000 * scale,
    hookTimeout: 900_000 * scale,
  },
});
