// Adds what npm leaves out of package-lock.json when a registry does not serve a package's binaries for other platforms:
// the entries of those optional packages, without an integrity, marked with the platform that they are for. Without
// them `npm ci` refuses the lockfile, although it would not install one of them. Run it after `npm install`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./workspaces.mjs";

const PLATFORMS = ["android", "darwin", "freebsd", "linux", "openbsd", "openharmony", "sunos", "win32", "windows"];
const ARCHITECTURES = ["x64", "arm64", "arm", "ia32", "ppc64", "riscv64", "s390x"];
/** How some packages write an architecture in their names. */
const ALIASES = { 64: "x64" };
/** A version and not a range. What meets a range is for npm to say. */
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
 * Where npm would put what a package needs, or undefined when Node finds it already. One that is found in another
 * version does not count: two versions of a package each need binaries of their own.
 */
function placeFor(packages, path, name, version) {
  const folders = lookedUpFrom(path).map((folder) => `${folder}node_modules/${name}`);
  const found = folders.find((folder) => folder in packages);
  if (found !== undefined && (!EXACT.test(version) || packages[found].version === version)) return undefined;
  const [inside, beside] = folders;
  if (found === undefined) return folders.at(-1);
  return beside === undefined || beside in packages ? inside : beside;
}

/** The folders whose node_modules Node looks through for a package's own dependencies, its own first, the root last. */
function lookedUpFrom(path) {
  if (path === "") return [""];
  const above = path.lastIndexOf("/node_modules/");
  return [`${path}/`, ...lookedUpFrom(above === -1 ? "" : path.slice(0, above))];
}

/** The platform that a package's name names, or undefined when it names none. */
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
