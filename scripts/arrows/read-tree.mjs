// The packages and apps under a root folder, with every source file parsed.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { readSource } from "./read-source.mjs";

/**
 * @returns {{ folder: string, kind: "packages" | "apps", name: string, manifest: object, files: object[] }[]} each
 *   package with its source files: `{ path, isTest, imports, impurities }`, paths relative to the root, with slashes
 */
export function readTree(root) {
  return globSync("{packages,apps}/*/package.json", { cwd: root })
    .sort()
    .map((file) => readPackage(root, slashed(dirname(file))));
}

/** Returns the manifest of the root, whose development tools every test may use. */
export function readRootManifest(root) {
  const file = join(root, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

function readPackage(root, path) {
  const [kind, folder] = path.split("/");
  const manifest = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
  const files = globSync("{src,bin,bench}/**/*.{ts,tsx,mts,mjs,js}", { cwd: join(root, path) }).map((file) =>
    readFile(root, posix.join(path, slashed(file))),
  );
  return { kind, folder, name: manifest.name, manifest, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

function readFile(root, path) {
  return {
    path,
    isTest: TEST.test(path),
    ...readSource(path, readFileSync(join(root, path), "utf8")),
  };
}

/** Tests, and files that only tests, measurements and the bundling for browsers use. */
const TEST = /\.(?:test|process)\.m?[jt]sx?$|\/(?:testing|bench|bundling)\//;

const slashed = (path) => path.split(sep).join("/");
