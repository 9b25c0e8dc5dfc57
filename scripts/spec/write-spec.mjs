// Writes the pages that are generated from the repository itself: scenarios, wire rules, errors. Needs a build, because
// wire rules and error codes are read from the installed packages.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ERROR_CODES } from "@threadfold/core";
import { FORMATS, remedyFor } from "@threadfold/renderer";
import { errorsPage, scenariosPage, wirePage } from "./spec-pages.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Returns every page by its path relative to the root. */
export const specPages = (root = ROOT) => ({
  "docs/spec/scenarios.md": scenariosPage(root),
  "docs/errors.md": errorsPage(ERROR_CODES),
  "docs/spec/wire.md": wirePage(FORMATS, remedyFor),
});

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of Object.entries(specPages())) {
    writeFileSync(join(ROOT, path), text);
    console.log(`Wrote ${path}.`);
  }
