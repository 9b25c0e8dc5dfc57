// Writes the pages of docs/spec that come from the house itself. Needs a build, because wire rules are read from the
// renderer as it is installed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FORMATS, remedyFor } from "@threadfold/renderer";
import { scenariosPage, wirePage } from "./spec-pages.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Every page by its path under the root. */
export const specPages = (root = ROOT) => ({
  "docs/spec/scenarios.md": scenariosPage(root),
  "docs/spec/wire.md": wirePage(FORMATS, remedyFor),
});

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of Object.entries(specPages())) {
    writeFileSync(join(ROOT, path), text);
    console.log(`${path} was written.`);
  }
