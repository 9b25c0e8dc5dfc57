import { fileName } from "@threadfold/core";
import { oneLine } from "../../text/excerpt.ts";
import { MAX_SCANNED, readShellCommand, type ShellSegment } from "./shell-reader.ts";

const RUNNERS: ReadonlySet<string> = new Set(
  (
    "npm npx yarn pnpm bun deno node vitest jest mocha playwright tsc eslint biome prettier turbo nx mise just ava " +
    "karma cypress stylelint ctest bats prove phpunit pest bazel meson xcodebuild ginkgo gotestsum golangci-lint " +
    "python python3 pytest tox nox uv pip pip3 poetry hatch pdm pipenv ruff mypy black coverage pylint flake8 " +
    "pyright go cargo rustc make cmake ninja mvn gradle gradlew ./gradlew dotnet swift bundle rake rspec rubocop " +
    "php composer mix docker docker-compose podman kubectl terraform helm ansible brew apt apt-get systemctl gh " +
    "psql sqlite3 mysql redis-cli java javac clojure clj lein sbt ruby perl Rscript julia elixir dart flutter zig " +
    "gcc g++ clang nix cc c++ clang++ nvcc hipcc swiftc kotlinc kotlin scalac scala ghc cabal stack dune opam " +
    "crystal gleam rebar3 erlc ponyc protoc buf solc forge hardhat scons conan vcpkg ant bazelisk buck2 vite " +
    "webpack rollup esbuild tsx ts-node hyperfine valgrind torchrun sbatch pre-commit sphinx-build dbt alembic az " +
    "aws gcloud vercel wrangler prisma pulumi cdk flyctl netlify firebase"
  ).split(" "),
);
const GIT_ACTIONS: ReadonlySet<string> = new Set(
  "commit push pull merge rebase tag revert cherry-pick clone init".split(" "),
);
/** Words after a command that make it only show something, or a one-off. */
const SHOWS_ONLY = /^(?:-c|-e|-|--version|-v|-V|-version|--help|-h|list|ls|show|view|config|info|-l|-n|tags)$/;
/** Runners of tests, whose short options say how they run. */
const TESTS = /^(?:pytest|rspec|prove|bats|ctest|nox|tox|phpunit)$/;
const LISTS_ONLY = /^(?:-V|--version|-h|--help|-l|--list|--collect-only|-N)$/;

const INTERPRETER = /^(?:python3?|node|deno|bun|php|psql|mysql|sqlite3|redis-cli|ruby|perl|julia|elixir|Rscript)$/;
/** A program given as an option, which filters or edits text. */
const ONE_LINER = /^(?:perl|ruby) -(?!I)[\w.]*[einp]/;
/** Behind a pipe, an interpreter with an option (`python -m json.tool`) only shows what is printed in another form. */
const FILTER = /^(?:python3?|node|deno|bun|perl|ruby) -/;
const CLOUD_VIEW = /^(?:aws|az|gcloud) (?:[\w-]+ ){0,3}(?:ls|list|show|get|describe)\b/;
const NO_COMMAND = /^(?:sudo|time|timeout|\d+s?|env|nohup|do|then|else|if|!|[{(]|[A-Za-z_]\w*=.*)$/;
/** A script or program that is run by its path, unless it is the system's. */
const OWN_PROGRAM = /^(?!\/(?:usr\/)?s?bin\/)(?:[A-Za-z]:)?[\w.~-]*[\\/][\w.\\/~-]+$/;
const SHELL_SCRIPT = /^[\w./-]+\.sh$/;
const [MAX_LENGTH, MAX_PATH] = [160, 60];

/**
 * Returns the part of a shell command whose outcome is worth remembering, which builds, tests, installs, publishes or
 * changes history; without pipes, redirects and commands that only look around. Null when there is no such part.
 */
export function notableCommand(command: string): string | null {
  let [label, tells] = ["", false];
  let joint: ShellSegment["joint"] = "|";
  for (const segment of readShellCommand(command)) {
    const words = withoutPrefixes(segment.words);
    // Only what needs each success in between, shown or not, is told as if it needed that of the command before it.
    if (joint === "|" || (joint === "&&" && segment.joint !== "|")) joint = segment.joint;
    else if (segment.joint !== "|") joint = ";";
    const isTold = isNotable(words) && !(segment.joint === "|" && FILTER.test(words.join(" ")));
    if (!isTold && !isStash(words)) continue;
    tells ||= !isStash(words);
    label += `${label === "" ? "" : joint === ";" ? "; " : ` ${joint} `}${words.map(shown).join(" ")}`;
    joint = "|";
  }
  return tells ? oneLine(label).replaceAll('"', "'").slice(0, MAX_LENGTH).toWellFormed() : null;
}

/** Commands that print nothing, or only what the script says itself. */
const SAYS_LITTLE =
  /^(?:cd|pushd|popd|echo|printf|true|exit|set|export|source|mkdir|rm|touch|sleep|wait|date|git (?:add|stash|checkout|switch))\b/;

/**
 * Checks whether the exit code of a script is that of something behind its last notable command, of a pipe or of what
 * runs even if that command fails, and nothing else printed the output.
 */
export function hidesExitCode(script: string): boolean {
  const segments = readShellCommand(script).map(({ words, joint }) => ({ words: withoutPrefixes(words), joint }));
  const last = segments.findLastIndex(({ words }) => isNotable(words));
  const hides = ({ words, joint }: (typeof segments)[number]): boolean =>
    words[0] !== "exit" &&
    (joint === "||" || (joint === "|" ? !/\bpipefail\b/.test(script) : joint === ";" && !/\bset -\w*e/.test(script)));
  const isOwn = ({ words, joint }: (typeof segments)[number]): boolean =>
    joint === "|" || joint === "||" || words.length === 0 || isNotable(words) || SAYS_LITTLE.test(words.join(" "));
  return segments.slice(last + 1).some(hides) && segments.every(isOwn);
}

function withoutPrefixes(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !NO_COMMAND.test(word));
  return first < 0 ? [] : words.slice(first);
}

const FROM_HERE_DOCUMENT = /^\$\(cat <<-?\s*['"]?\w+['"]?\n/;

/**
 * A word as shown in a label: its first line, a long absolute path by its end, and without the brackets of a
 * substitution around it. `…/` would be the folder that most files share.
 */
function shown(word: string): string {
  const [line = "", ...more] = word.replace(FROM_HERE_DOCUMENT, "").trimStart().split("\n");
  const plain = more.some((text) => text.trim() !== "")
    ? `${line.trimEnd()}…`
    : line.replace(/^[$(]+(?=[\w./])/, "").replace(/(?<=[\w./])\)+$/, "");
  const [, root, slash = ""] = plain.length > MAX_PATH ? (/^(~|[A-Za-z]:|)([\\/])\S+$/.exec(plain) ?? []) : [];
  return root === undefined ? plain : [root, "…", ...plain.split(/[\\/]/).slice(-2)].join(slash);
}

/** A command that sets changes aside, so that what runs beside it sees another state; by itself it is no result. */
const isStash = ([name, action, what = ""]: readonly string[]): boolean =>
  name === "git" && action === "stash" && !SHOWS_ONLY.test(what);

function isNotable(words: readonly string[]): boolean {
  const [name, action = "", what = ""] = words;
  if (name === undefined) return false;
  if (name === "git") return GIT_ACTIONS.has(action) && !SHOWS_ONLY.test(what);
  if (name === "bash" || name === "sh") return SHELL_SCRIPT.test(action);
  const program = fileName(name).replace(/\.(?:exe|cmd|bat)$/i, "");
  if (OWN_PROGRAM.test(name) && !INTERPRETER.test(program)) return true;
  if ([ONE_LINER, CLOUD_VIEW].some((form) => form.test(words.slice(0, 5).join(" ")))) return false;
  if (TESTS.test(program)) return !words.some((word) => LISTS_ONLY.test(word));
  // Without arguments an interpreter reads a program that is not part of the label.
  return RUNNERS.has(program) && !SHOWS_ONLY.test(action) && (action !== "" || !INTERPRETER.test(program));
}

const SHOWS: ReadonlySet<string> = new Set(
  (
    "ls cat head tail sed awk grep egrep fgrep rg ag ack find fd wc nl less more bat stat file diff tree git " +
    "sort uniq cut tr tac jq column xargs echo printf cd pwd which test [ set true for while done fi " +
    "get-content gc type get-childitem gci dir select-string sls findstr select-object sort-object where-object where " +
    "measure-object format-table format-list out-string write-output write-host test-path get-item get-location set-location"
  ).split(" "),
);

/** Checks whether a command only shows files, folders or history, so that counts in its output are not its own. */
export const onlyShows = (command: string): boolean =>
  readShellCommand(command).every(({ words: [first = "", ...rest] }) =>
    SHOWS.has(withoutPrefixes([first, ...rest])[0]?.toLowerCase() ?? "set"),
  );

const SEARCH = /^(?:git (?:grep|log|ls-files|stash list|tag -l)|[ef]?grep|rg|ag|ack|find|fd|ls)\b/;
/** What passes on what it reads, so that it is silent if the search before it is. */
const PASSES_ON = /^(?:head|tail|sort|uniq|cut|tr|sed|awk|nl|column|cat|less)\b/;
/** Options and pipes with which a search may be silent although it found something. */
const KEEPS_SILENT = /\s-(?:exec\w*|delete|ok\w*|fprint\w*)\b|\s-[a-zA-Z]*q|--(?:quiet|silent)\b|\bxargs\b|(?:^|[^2])>/;

/** A comparison of two states that prints all the differences, not piped to another program. */
const COMPARISON = /^git (?:diff|status)\b(?!.*--check\b)/;

/** The pipelines of a script, in which each command is given by its words. */
function pipelinesOf(script: string): readonly (readonly string[])[] {
  const pipelines: string[][] = [];
  for (const { words, joint } of readShellCommand(script)) {
    const command = withoutPrefixes(words).join(" ");
    if (command === "" || command === "true") continue;
    if (joint === "|") pipelines.at(-1)?.push(command);
    else pipelines.push([command]);
  }
  return pipelines;
}

/** The search of a pipeline that passes on all that the search finds; undefined if there is none. */
function searchIn(pipeline: readonly string[]): string | undefined {
  const search = pipeline.findLast((command) => !PASSES_ON.test(command)) ?? "";
  return SEARCH.test(search) ? search : undefined;
}

/** Returns what it means that a script with a search or a comparison printed nothing; null for others. */
export function saysBySilence(script: string): string | null {
  if (KEEPS_SILENT.test(script)) return null;
  const pipelines = pipelinesOf(script);
  const last = pipelines.at(-1) ?? [];
  if (notableCommand(script) === null) {
    if (pipelines.some((pipeline) => searchIn(pipeline) !== undefined)) return "nothing found";
    return last.length === 1 && COMPARISON.test(last[0] as string) ? "no changes" : null;
  }
  const search = searchIn(last);
  // What ran before the pipeline may have failed.
  const isAlone = pipelines.slice(0, -1).flat().every(onlyShows);
  return search === undefined || !isAlone ? null : `${search.slice(0, MAX_PATH)} found nothing`;
}

/** Checks whether a script ends with a search whose exit code is that of the script. */
export const findsNothing = (script: string): boolean =>
  SEARCH.test(pipelinesOf(script).at(-1)?.at(-1) ?? "") && (saysBySilence(script)?.includes("found") ?? false);

/** A command that prints the newest entry first, with nothing after it that reorders, filters or adds to its output. */
const NEWEST_FIRST =
  /^git (?:log|reflog|stash list)\b(?!.*(?:--reverse\b|;|&&|\|\s*(?:sort|tail|tac|uniq|wc|awk|sed|xargs)\b))/s;

/** Checks whether the first line of a command's output is the newest entry. */
export const printsNewestFirst = (command: string): boolean => NEWEST_FIRST.test(command);

const RUNS_TESTS =
  /(?:^|[/:._-])(?:tests?|pytest|vitest|jest|mocha|ava|rspec|phpunit|ctest|unittest|playwright|cypress|karma)$/;
/** Options that only say how a run goes on or is told. */
const ASIDE = /^(?:-[vqsx]{1,3}|-count=\d+|--(?:verbose|quiet|silent|bail|run|tb=\w+))$/;
/** Options that choose some of the tests. */
const CHOOSES = /^(?:--?(?:k|t|g|p|run|grep|filter|package|tests?|test-?name-?pattern)(?:=.*)?|--)$/i;

/**
 * Checks whether a command runs all the tests that another one runs: the other is the same command with some of the
 * tests chosen, by a name, a file or a folder.
 */
export function coversRun(whole: string, part: string): boolean {
  const [all = [], some = []] = [whole, part].map((command) => command.split(" ").filter((word) => !ASIDE.test(word)));
  const isWhole = all.every((word, index) => word === some[index] || isInside(some[index] ?? "", word));
  // Without a package, `go test` runs the tests of one folder.
  if (!isWhole || !all.some((word) => RUNS_TESTS.test(word)) || (all[0] === "go" && all.length < 3)) return false;
  const chosen = some.slice(all.length);
  return !chosen.some((word) => /^(?:&&|\|\|?)$|;$/.test(word) || (word.startsWith("-") && !CHOOSES.test(word)));
}

const isInside = (part: string, whole: string): boolean =>
  [`${whole.replace(/\/?(?:\.\.\.)?$/, "")}/`, `${whole}::`].some((start) => part.startsWith(start));

/** An interpreter under any of its names, with a version or without. */
const VERSIONED = /^(python|pip|node|ruby|perl|php|julia)[\d.]*$/;
const JOINED = /^(?:&&|\|\|?)$|;$/;

/** The words that make a run the one it is: how its interpreter is called and what a commit says are left out. */
function wordsOfRun(command: string): readonly string[] {
  const words = command.split(" ").filter((word) => !ASIDE.test(word));
  const [first = "", ...rest] = words.map((word) => word.replace(/^(?:\.\/)+(?=.)/, ""));
  const [, interpreter] = VERSIONED.exec(fileName(first)) ?? [];
  if (interpreter === "python" && rest[0] === "-m") return rest.slice(1);
  if (first !== "git" || rest[0] !== "commit") return [interpreter ?? first, ...rest];
  const end = rest.findIndex((word) => JOINED.test(word));
  return [first, "commit", ...(end < 0 ? [] : rest.slice(end))];
}

/** Returns a key that is the same for all spellings of a run, and for few others. */
export const runKey = (command: string): string =>
  wordsOfRun(command)
    .map((word) => fileName(word))
    .join(" ");

/** Checks whether two commands are one run, although they name its interpreter, a path or a commit in other words. */
export function isSameRun(one: string, other: string): boolean {
  const [words, others] = [wordsOfRun(one), wordsOfRun(other)];
  return words.length === others.length && words.every((word, index) => isSameWord(word, others[index] as string));
}

const isSameWord = (one: string, other: string): boolean =>
  one === other || endsWith(one, other) || endsWith(other, one);

/** True when a whole path ends with another one, of which the beginning may be missing or left out. */
const endsWith = (whole: string, end: string): boolean =>
  /^(?:\/|~|[A-Za-z]:)/.test(whole) && whole.endsWith(`/${end.replace(/^.*…\//, "")}`);

/** An interpreter that is given its program on the spot: as an option or as its input. */
const INLINE_PROGRAM = /(?:^|[\s;&|/(])(?:python[\d.]*|node|ruby|perl)\b(?:[^\n|;&]{0,80}<<| +-[ce]\b| +--eval\b)/;
const QUOTED = String.raw`(?:r|Path\()?["']([^"'\n]{1,260})["']`;
/** Where a program opens a file to write to it, or writes it whole. A name stands for what was assigned to it. */
const WRITES = new RegExp(
  [
    String.raw`\bopen\(\s*(?:${QUOTED}\)?|(\w{1,60}))\s*,\s*(?:mode\s*=\s*)?["'][rbt]{0,2}[wax+]`,
    String.raw`(?:\bPath\(\s*${QUOTED}\s*\)|\b(\w{1,60}))\.write_(?:text|bytes)\(`,
    String.raw`\bwriteFile(?:Sync)?\(\s*(?:${QUOTED}|(\w{1,60}))\s*,`,
  ].join("|"),
  "g",
);
const ASSIGNED = new RegExp(String.raw`(?<![\w.])(\w{1,60})\s*=\s*(?:\w+\.)?${QUOTED}`, "g");

/** Returns the paths that a program within a command writes, as far as it names them; each once. */
export function writtenByProgram(command: string): readonly string[] {
  const text = command.slice(0, MAX_SCANNED);
  if (!INLINE_PROGRAM.test(text)) return [];
  const assigned = new Map([...text.matchAll(ASSIGNED)].map(([, name, path]) => [name, path]));
  const written = [...text.matchAll(WRITES)].map((match) => match.slice(1).find((found) => found !== undefined) ?? "");
  return [...new Set(written.map((found) => assigned.get(found) ?? found))];
}
