// Checks every publishable package as a registry would get it, from its tarball: publint is content with its package.json,
// the types of each entry are those of the module that Node and bundlers load, and it carries the licence, a README and
// who made it. Runs after the build.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { pack } from "@publint/pack";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { readWorkspaces, root } from "./workspaces.mjs";

/** What says where packages come from: the root's package.json says it once, and every package the same. */
const ORIGIN = ["author", "homepage", "bugs", "repository"];

/** How entries are looked up that are ES modules and nothing else: by Node and by bundlers. */
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
    ...otherOrigins(path, manifest).map((field) => `${path}: its ${field} is not that of the root's package.json`),
    ...(manifest.license === "Apache-2.0" ? [] : [`${path}: its license is not Apache-2.0`]),
    ...(existsSync(join(root, path, "README.md")) ? [] : [`${path}: it has no README.md, the page of a registry`]),
    ...(hasLicence(path) ? [] : [`${path}: LICENSE is not the same as the root's; npm packs only the package's own`]),
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

/** What a registry's page and a bundler read of a package, beside what publint asks for. */
function missingFields(manifest) {
  return ["description", "keywords", "author", "license", "engines", "files", "sideEffects"].filter(
    (field) => manifest[field] === undefined || manifest[field].length === 0,
  );
}

/**
 * Fields that say something else than the root's. A repository has the package's folder beside its address. While there is
 * no public address, the root names none, and no package may invent one.
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
