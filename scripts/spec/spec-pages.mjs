// The pages of docs/spec that are generated from the repository itself: scenarios from the names of the tests that
// prove them, and wire rules from the formats. `npm run spec` writes them; a test fails if they do not match this tree.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LEADING_IDS, leadingIds, testNames } from "../scenarios/test-names.mjs";

/** What the letters of scenarios stand for, in the order of the page. */
const FAMILIES = {
  V: "Log and view: what a plan shows of a thread",
  A: "Groups: what is kept or folded together",
  G: "Cutting: where a history may be cut",
  S: "Folding: triggers, strategies, summaries",
  L: "The loop: what happens around a fold while an agent works",
  C: "Commit: plans, caches and other writers",
  W: "The wire: what providers refuse",
};

/** Tests, and the law suites that tests call. */
const SOURCES = ["{packages,apps}/*/src/**/*.test.ts", "{packages,apps}/*/src/**/{laws/*,*-laws}.ts"];

/** @returns {Map<string, { words: string, file: string }[]>} by id, the descriptions of the tests named after it */
export function provenScenarios(root) {
  const proven = new Map();
  for (const file of sourcesOf(root, SOURCES))
    for (const name of new Set(testNames(file, readFileSync(join(root, file), "utf8"))))
      for (const id of wordsOf(name) === "" ? [] : leadingIds(name).filter((id) => /^[A-Z]/.test(id)))
        proven.set(id, [...(proven.get(id) ?? []), { words: wordsOf(name), file: file.split("\\").join("/") }]);
  return proven;
}

/** Returns the matching files under a root, sorted, without what is installed or built. */
export const sourcesOf = (root, patterns) =>
  globSync(patterns, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" }).sort();

/** Returns a test's name without its ids and without values that are filled in when it runs. */
const wordsOf = (name) => name.replace(LEADING_IDS, "").replace(/\$\{?[\w.]*\}?|%[sdo]/g, "…");

/** Returns the page of scenarios. */
export function scenariosPage(root) {
  const proven = provenScenarios(root);
  const sections = Object.entries(FAMILIES).map(([letter, title]) => {
    const ids = [...proven.keys()].filter((id) => id[0] === letter).sort(byNumber);
    return [`## ${letter} — ${title}`, ...ids.map((id) => scenario(id, proven.get(id)))].join("\n\n");
  });
  return [
    "# Scenarios",
    "Written by `npm run spec` from the names of the tests; do not edit. Each id stands for one thing that must hold; the lines below it are the names of the tests that carry the id. Gaps in the numbers are scenarios of systems that Threadfold does not include. Promises (`P1`) are in [README.md](README.md), reliability claims (`R1`) in [../reliability.md](../reliability.md).",
    ...sections,
    "",
  ].join("\n\n");
}

function scenario(id, tests) {
  const lines = tests.map(({ words, file }) => `- ${escaped(words)} ([${file.split("/").at(-1)}](../../${file}))`);
  return [`<a id="${id.toLowerCase()}"></a>**${id}**`, "", ...new Set(lines)].join("\n");
}

/** A name is prose here: anything that looks like markup in it is escaped. */
const escaped = (text) => text.replace(/[<>*_[\]|]/g, (sign) => `\\${sign}`);

const byNumber = (one, other) => Number(one.slice(1)) - Number(other.slice(1));

/**
 * Returns the page of errors, by code.
 *
 * @param codes the registry of core: summary, hint and whether the same call may succeed later.
 */
export function errorsPage(codes) {
  const rows = Object.entries(codes).map(
    ([code, { summary, hint, retryable }]) =>
      `| <a id="${code.toLowerCase()}"></a>\`${code}\` | ${cell(summary)} | ${cell(hint)} | ${retryable ? "yes" : ""} |`,
  );
  return [
    "# Errors, by code",
    "Written by `npm run spec` from the registry of codes; do not edit. Everything that Threadfold throws is a `ThreadfoldError`. It has a `code` that never changes, a `message` that says what was wrong and where, a `hint` that says what to do (often more precisely than this page), and `details` as data.",
    "`ThreadfoldError.isInstance(error)` recognizes one, even from another copy of the package. A provider's errors are passed through unchanged. With `--json`, the command prints the code, message and hint.",
    ["| Code | What is wrong | What to do | May succeed later |", "|---|---|---|---|", ...rows].join("\n"),
    "",
  ].join("\n\n");
}

const cell = (text) => text.replaceAll("|", "\\|");

/**
 * Returns the page of wire rules.
 *
 * @param formats every format of the renderer.
 * @param remedyFor returns what to do about a broken rule, by its id.
 */
export function wirePage(formats, remedyFor) {
  const rules = new Map();
  for (const { id: format, rules: table } of formats)
    for (const { id, description, reference } of table.rules) {
      const known = rules.get(id) ?? { reference, says: new Map() };
      known.says.set(description, [...(known.says.get(description) ?? []), format]);
      rules.set(id, known);
    }
  const ids = [...rules.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return [
    "# Wire rules",
    "Written by `npm run spec` from the formats; do not edit. `threadfold lint` and `violations` name a rule by its id. A rule that several providers share is stated in the words of each.",
    ...ids.map((id) => wireRule(id, rules.get(id), remedyFor(id))),
    "",
  ].join("\n\n");
}

/** Scenarios of the wire come first, by number; then the rules that have words as names. */
const rank = (id) => (/^W\d+$/.test(id) ? Number(id.slice(1)) : 1_000);

function wireRule(id, { reference, says }, remedy) {
  const lines = [...says].map(([description, formats]) => `- ${description} (${formats.join(", ")})`);
  return [
    `## <a id="${id.toLowerCase()}"></a>${id}`,
    "",
    `${reference}. What to do: ${remedy ?? "see the provider's documentation"}.`,
    "",
    ...lines,
  ].join("\n");
}

/** Where ids are defined: an anchor on a page of the specification, or a row of the reliability table. */
const PLACES = ["docs/spec/README.md", "docs/spec/scenarios.md", "docs/spec/wire.md", "docs/reliability.md"];
const CITED = /\(((?:[PVAGSLCWR]\d{1,2})(?:(?:,| and) [PVAGSLCWR]\d{1,2})*)[),;]/g;

/**
 * Returns the ids that comments and pages cite but that are defined nowhere, each with the first file that cites it.
 */
export function citedWithoutPlace(root) {
  const places = PLACES.map((page) => readFileSync(join(root, page), "utf8"));
  const known = new Set(
    places.flatMap((text) => [...text.matchAll(/<a id="([a-z]\d+)">|^\| (R\d+) \|/gm)].map(([, id, row]) => id ?? row)),
  );
  const missing = new Map();
  for (const file of sourcesOf(root, ["{packages,apps}/*/src/**/*.ts", "docs/**/*.md", "*.md"]))
    for (const [, ids] of readFileSync(join(root, file), "utf8").matchAll(CITED))
      for (const id of ids.match(/[A-Z]\d+/g))
        if (!known.has(id) && !known.has(id.toLowerCase()) && !missing.has(id)) missing.set(id, file);
  return missing;
}
