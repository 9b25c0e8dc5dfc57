// Checks every publishable package as a registry would get it: publint is content with its package.json, and it carries
// the licence. Runs after the build.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { readWorkspaces, root } from "./workspaces.mjs";

const licence = readFileSync(join(root, "LICENSE"), "utf8");
const packages = readWorkspaces().filter(({ manifest }) => !manifest.private);
const complaints = (await Promise.all(packages.map(complaintsAbout))).flat();
for (const complaint of complaints) console.log(complaint);
console.log(`Packages: ${packages.length} publishable, ${complaints.length} complaints.`);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function complaintsAbout({ path, manifest }) {
  const { messages, pkg } = await publint({ pkgDir: join(root, path), strict: true, pack: "npm" });
  return [
    ...messages.map((message) => `${path}: ${formatMessage(message, pkg, { color: false })}`),
    ...(manifest.license === "Apache-2.0" ? [] : [`${path}: its license is not Apache-2.0`]),
    ...(hasLicence(path) ? [] : [`${path}: LICENSE is not the same as the root's; npm packs only the package's own`]),
  ];
}

function hasLicence(path) {
  try {
    return readFileSync(join(root, path, "LICENSE"), "utf8") === licence;
  } catch {
    return false;
  }
}
