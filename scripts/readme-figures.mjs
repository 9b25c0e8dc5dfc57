// The figures of docs/figures.md and of the README, in one place and written by one command:
//
//   node scripts/readme-figures.mjs                     lists pages that do not match this tree, and fails if any
//   node scripts/readme-figures.mjs --write             computes the cheap figures and writes both (build first)
//   node scripts/readme-figures.mjs --write RUN …       runs these first, such as bench:prefix or agents, and keeps their
//                                                       figures in docs/figures.json with date and commit
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { currentCommit } from "./current-commit.mjs";
import { MEASURED_FIGURES, sayBundledSession, saySideBySide, saySpeed } from "./figures/figures.mjs";
import { npm } from "./npm.mjs";
import { BUNDLED_SESSION, COMMAND } from "./start.mjs";
import { root } from "./workspaces.mjs";

const MEASURED = "docs/figures.json";
const BENCHMARKS = "[docs/benchmarks.md](docs/benchmarks.md)";
const BEGIN = "<!-- figures: written by `node scripts/readme-figures.mjs --write` -->\n";
const END = "<!-- /figures -->";

/** Returns the pages with figures, by path, as they should be with the measured values. */
export function figurePages(measured = readMeasured()) {
  const benchmarks = read("docs/benchmarks.md");
  const bundled = sayBundledSession(foldBundledSession());
  const sideBySide = saySideBySide(benchmarks);
  return { "README.md": readmePage(), "docs/figures.md": figuresPage() };

  function readmePage() {
    const page = read("README.md");
    const [before, rest] = page.split(BEGIN);
    const [, after] = rest.split(END);
    const list = [`${bundled} (\`npm start\`)`, `${sideBySide.brief} (${BENCHMARKS})`].map((line) => `- ${line}\n`);
    return [
      before,
      BEGIN,
      "\n",
      ...list,
      "\nAll figures, each with the command that produces it: [docs/figures.md](docs/figures.md).\n\n",
      END,
      after,
    ].join("");
  }

  function figuresPage() {
    const runs = MEASURED_FIGURES.filter(({ run }) => run in measured).map(({ run, say }) => {
      const { values, date, commit } = measured[run];
      return `- ${say(values)} \`npm run ${run}\`, ${date}, at ${commit}.`;
    });
    return [
      "# Figures",
      "This page is written by `node scripts/readme-figures.mjs --write`; do not edit. Each figure is followed by the command that produces it. Commands that replay recorded sessions need the recordings (`THREADFOLD_DATA`).",
      "## From this tree",
      "Computed whenever the page is written; a test checks that it is up to date.",
      `- ${bundled} \`npm start\`.`,
      "## From the benchmarks page",
      "Read from [benchmarks.md](benchmarks.md), which says when and where they were measured.",
      [`- ${sideBySide.whole} \`npm run bench:peers\`.`, `- ${saySpeed(benchmarks)} \`npm run bench:speed\`.`].join(
        "\n",
      ),
      "## From single runs",
      "Each was measured on the date and at the commit that it names, on two shared cores, some of them alongside other work. `node scripts/readme-figures.mjs --write RUN` repeats a run.",
      `${runs.join("\n")}\n`,
    ].join("\n\n");
  }
}

/** Returns the pages whose figures do not match this tree. */
export const stalePages = () =>
  Object.entries(figurePages())
    .filter(([path, text]) => read(path) !== text)
    .map(([path]) => path);

function foldBundledSession() {
  const args = [COMMAND, "compact", BUNDLED_SESSION.path, "--budget", `${BUNDLED_SESSION.budget}`, "--json"];
  const output = execFileSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(output).data;
}

async function measure(wanted, commit) {
  const figure = MEASURED_FIGURES.find(({ run }) => run.split(" ")[0] === wanted);
  if (figure === undefined) throw new Error(`There is no figure for ${wanted}.`);
  const { run, read: readFigures } = figure;
  const text = await npm(["run", "--silent", ...run.split(" ")], { cwd: root });
  return [run, { date: new Date().toISOString().slice(0, 10), commit, values: readFigures(text) }];
}

function read(path) {
  return readFileSync(join(root, path), "utf8");
}

function readMeasured() {
  return JSON.parse(read(MEASURED));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [flag, ...runs] = process.argv.slice(2);
  if (flag === "--write") {
    const commit = runs.length > 0 ? currentCommit(["README.md", MEASURED, "docs/figures.md"]) : "";
    for (const wanted of runs) {
      const [run, measured] = await measure(wanted, commit);
      writeFileSync(join(root, MEASURED), `${JSON.stringify({ ...readMeasured(), [run]: measured }, null, 2)}\n`);
    }
    for (const [path, text] of Object.entries(figurePages())) writeFileSync(join(root, path), text);
  } else {
    const stale = stalePages();
    for (const path of stale) console.error(`${path}: its figures do not match this tree.`);
    if (stale.length > 0) console.error("Write them with: node scripts/readme-figures.mjs --write");
    process.exitCode = stale.length > 0 ? 1 : 0;
  }
}
