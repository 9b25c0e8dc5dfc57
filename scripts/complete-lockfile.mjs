// Adds what npm omits from package-lock.json when a registry does not serve a package's binaries for other platforms:
// entries for those optional packages, without an integrity, marked with their platform. Without them `npm ci` rejects
// the lockfile, although it would not install any of them. Run it after `npm install`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./workspaces.mjs";

const PLATFORMS = ["android", "darwin", "freebsd", "linux", "openbsd", "openharmony", "sunos", "win32", "windows"];
const ARCHITECTURES = ["x64", "arm64", "arm", "ia32", "ppc64", "riscv64", "s390x"];
/** Spellings of an architecture in some packages' names. */
const ALIASES = { 64: "x64" };
/** An exact version, not a range. Whether a version satisfies a range is for npm to decide. */
const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;

/**
 * Adds the missing entries to a lockfile's `packages`.
 *
 * @returns {string[]} where they were added
 */
export function completeLockfile(packages) {
  return Object.entries(packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {}).flatMap(([name, version]) => {
      const platform = platformOf(name);
      const place = platform && placeFor(packages, path, name, version);
      if (place === undefined) return [];
      packages[place] = { version, ...(entry.dev && { dev: true }), optional: true, ...platform };
      return [place];
    }),
  );
}

/**
 * Returns where npm would put a dependency, or undefined when Node already finds it. Finding another version does not
 * count: two versions of a package each need their own binaries.
 */
function placeFor(packages, path, name, version) {
  const folders = lookedUpFrom(path).map((folder) => `${folder}node_modules/${name}`);
  const found = folders.find((folder) => folder in packages);
  if (found !== undefined && (!EXACT.test(version) || packages[found].version === version)) return undefined;
  const [inside, beside] = folders;
  if (found === undefined) return folders.at(-1);
  return beside === undefined || beside in packages ? inside : beside;
}

/** Returns the folders in whose node_modules Node looks for a package's dependencies, its own first, the root last. */
function lookedUpFrom(path) {
  if (path === "") return [""];
  const above = path.lastIndexOf("/node_modules/");
  return [`${path}/`, ...lookedUpFrom(above === -1 ? "" : path.slice(0, above))];
}

/** Returns the platform in a package's name, or undefined if there is none. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = words.find((word) => PLATFORMS.includes(word));
  const cpu = words.map((word) => ALIASES[word] ?? word).find((word) => ARCHITECTURES.includes(word));
  if (os === undefined || cpu === undefined) return undefined;
  const libc = words.some((word) => word.startsWith("musl")) ? ["musl"] : undefined;
  return { cpu: [cpu], os: [os === "windows" ? "win32" : os], ...(libc && { libc }) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(root, "package-lock.json");
  const lock = JSON.parse(readFileSync(path, "utf8"));
  const added = completeLockfile(lock.packages);
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(
    added.length === 0 ? "package-lock.json is complete." : `Added to package-lock.json: ${added.join(", ")}.`,
  );
}
