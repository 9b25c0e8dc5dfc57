// Checks every publishable package as a registry would get it, from its tarball: publint accepts its package.json, the
// types of each entry match the module that Node and bundlers load, and it includes the license, a README and its
// author. Runs after the build.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { pack } from "@publint/pack";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { readWorkspaces, root } from "./workspaces.mjs";

/** Fields that say where packages come from: the root's package.json sets them once, and every package repeats them. */
const ORIGIN = ["author", "homepage", "bugs", "repository"];

/** How the entries, which are ES modules only, are resolved: by Node and by bundlers. */
const RESOLUTIONS = ["node16-esm", "bundler"];

const licence = readFileSync(join(root, "LICENSE"), "utf8");
const house = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const packages = readWorkspaces().filter(({ manifest }) => !manifest.private);
const tarballs = mkdtempSync(join(tmpdir(), "threadfold-packed-"));
try {
  const complaints = (await Promise.all(packages.map(complaintsAbout))).flat();
  for (const complaint of complaints) console.log(complaint);
  console.log(`Packages: ${packages.length} publishable, ${complaints.length} complaints.`);
  process.exitCode = complaints.length === 0 ? 0 : 1;
} finally {
  rmSync(tarballs, { recursive: true });
}

async function complaintsAbout({ path, manifest }) {
  const packed = await pack(join(root, path), { packageManager: "npm", destination: tarballs });
  const tarball = new Uint8Array(readFileSync(packed));
  const { messages, pkg } = await publint({ strict: true, pack: { tarball } });
  return [
    ...messages.map((message) => `${path}: ${formatMessage(message, pkg, { color: false })}`),
    ...(await wrongTypes(tarball)).map((problem) => `${path}: ${problem}`),
    ...missingFields(manifest).map((field) => `${path}: package.json has no ${field}`),
    ...otherOrigins(path, manifest).map((field) => `${path}: its ${field} differs from the root's package.json`),
    ...(manifest.license === "Apache-2.0" ? [] : [`${path}: its license is not Apache-2.0`]),
    ...(existsSync(join(root, path, "README.md")) ? [] : [`${path}: it has no README.md, which registries show`]),
    ...(hasLicence(path) ? [] : [`${path}: LICENSE differs from the root's; npm packs only the package's own`]),
  ];
}

async function wrongTypes(tarball) {
  const { types, problems = [] } = await checkPackage(createPackageFromTarballData(tarball));
  if (types === false) return ["it has no types"];
  return problems
    .filter(({ resolutionKind }) => resolutionKind === undefined || RESOLUTIONS.includes(resolutionKind))
    .map(({ kind, entrypoint, resolutionKind, ...rest }) =>
      [kind, entrypoint, resolutionKind && `by ${resolutionKind}`, JSON.stringify(rest)].filter(Boolean).join(" "),
    );
}

/** Returns the missing fields that a registry's page or a bundler reads, in addition to those that publint requires. */
function missingFields(manifest) {
  return ["description", "keywords", "author", "license", "engines", "files", "sideEffects"].filter(
    (field) => manifest[field] === undefined || manifest[field].length === 0,
  );
}

/**
 * Returns the fields that differ from the root's. A package's repository adds the package's folder to the address.
 * While there is no public address, the root has none, and no package may invent one.
 */
function otherOrigins(path, manifest) {
  const { repository } = house;
  const said = { ...house, repository: repository && { ...repository, directory: path } };
  return ORIGIN.filter((field) => JSON.stringify(manifest[field]) !== JSON.stringify(said[field]));
}

function hasLicence(path) {
  try {
    return readFileSync(join(root, path, "LICENSE"), "utf8") === licence;
  } catch {
    return false;
  }
}
