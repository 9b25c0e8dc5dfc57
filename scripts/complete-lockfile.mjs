// Adds what npm leaves out of package-lock.json when a registry does not serve a package's binaries for other platforms:
// the entries of those optional packages, without an integrity, marked with the platform that they are for. Without
// them `npm ci` refuses the lockfile, although it would not install one of them. Run it after `npm install`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspaces.mjs";

const PLATFORMS = ["android", "darwin", "freebsd", "linux", "openbsd", "openharmony", "sunos", "win32", "windows"];
const ARCHITECTURES = ["x64", "arm64", "arm", "ia32", "ppc64", "riscv64", "s390x"];
/** How some packages write an architecture in their names. */
const ALIASES = { 64: "x64" };

const path = join(root, "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8"));
const added = Object.entries(lock.packages).flatMap(([at, entry]) =>
  Object.entries(entry.optionalDependencies ?? {}).flatMap(([name, version]) => complete(name, version, entry, at)),
);
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? "package-lock.json is complete." : `Added to package-lock.json: ${added.join(", ")}.`);

function complete(name, version, { dev }, at) {
  const platform = platformOf(name);
  // A second copy of a package, under the one that asks for it, has binaries of its own beside it.
  const folder = at.slice(0, at.lastIndexOf("node_modules/"));
  const key = ["", folder].map((place) => `${place}node_modules/${name}`).find((place) => !isOther(place, version));
  if (key === undefined || key in lock.packages || platform === undefined) return [];
  lock.packages[key] = { version, ...(dev && { dev }), optional: true, ...platform };
  return [name];
}

/** True where another version lies. */
function isOther(key, version) {
  const found = lock.packages[key];
  return found !== undefined && /^\d/.test(version) && found.version !== version;
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
