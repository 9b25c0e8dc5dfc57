import { fileName } from "@threadfold/core";
import { oneLine } from "../../text/excerpt.ts";

/** One simple command of a shell line: its words without quotes, and the files that its output is redirected to. */
export interface ShellSegment {
  readonly words: readonly string[];
  readonly redirects: readonly string[];
  /** What joins it to the command before it; `;` when it runs in any case. */
  readonly joint: "|" | "&&" | "||" | ";";
}

const JOINTS: Readonly<Record<string, ShellSegment["joint"]>> = { "|": "|", "&&": "&&", "||": "||" };

/** The most of a command that is read, in UTF-16 code units. */
const MAX_SCANNED = 20_000;

/** Splits a shell command into simple commands. Handles quotes, redirections and here-documents; expands nothing. */
export function readShellCommand(command: string): readonly ShellSegment[] {
  return new ShellReader(command.slice(0, MAX_SCANNED)).read();
}

/** Returns the lines of a shell script, whole with what is quoted or continued, and without here-documents. */
export function shellLines(script: string): readonly string[] {
  const reader = new ShellReader(script.slice(0, MAX_SCANNED));
  reader.read();
  return reader.lines;
}

class ShellReader {
  readonly lines: string[] = [];
  readonly #text: string;
  readonly #segments: ShellSegment[] = [];
  #lineStart = 0;
  #words: string[] = [];
  #redirects: string[] = [];
  #word = "";
  #quoted = false;
  #redirecting = false;
  #joint: ShellSegment["joint"] = ";";
  #hereDocument: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly ShellSegment[] {
    for (let index = 0; index < this.#text.length; index++) index = this.#take(index);
    this.#endSegment();
    this.#endLine(this.#text.length);
    return this.#segments;
  }

  #endLine(end: number): void {
    this.lines.push(this.#text.slice(this.#lineStart, end));
    this.#lineStart = end + 1;
  }

  /** Reads the token that begins at an index and returns the index of its last character. */
  #take(index: number): number {
    const sign = this.#text[index] as string;
    switch (sign) {
      case "'":
      case '"':
        return this.#takeQuoted(index, sign);
      case "\\":
        this.#word += this.#escaped(this.#text[index + 1] ?? "");
        return index + 1;
      case " ":
      case "\t":
        this.#endWord();
        return index;
      case "\n":
        this.#endSegment();
        this.#endLine(index);
        return this.#skipHereDocument(index);
      case ";":
      case "|":
      case "&":
        if (sign === "&" && this.#text[index - 1] === ">") return index;
        this.#endSegment();
        this.#joint = JOINTS[this.#text[index - 1] === sign ? sign + sign : sign] ?? ";";
        return index;
      case ">":
        return this.#takeRedirect(index);
      case "<":
        return this.#takeInput(index);
      case "#":
        if (this.#word === "" && !this.#quoted) return this.#skipComment(index);
        this.#word += sign;
        return index;
      default:
        this.#word += sign;
        return index;
    }
  }

  /** What a backslash and the sign after it stand for. Within a word before a letter it is the slash of Windows. */
  #escaped(sign: string): string {
    if (sign === "\n") return "";
    const isSlash =
      this.#word !== "" && (/\w/.test(sign) || (sign === "." && /\\|^(?:[A-Za-z]:|\.{1,2})$/.test(this.#word)));
    return isSlash ? `\\${sign}` : sign;
  }

  #skipComment(index: number): number {
    const end = this.#text.indexOf("\n", index);
    return (end < 0 ? this.#text.length : end) - 1;
  }

  #takeQuoted(index: number, quote: string): number {
    const end = quote === "'" ? this.#text.indexOf(quote, index + 1) : this.#endOfQuoted(index + 1);
    const stop = end < 0 ? this.#text.length : end;
    this.#word += this.#text.slice(index + 1, stop);
    this.#quoted = true;
    return stop;
  }

  /** Returns the end of a text in double quotes, in which substitutions may hold quotes and here-documents. */
  #endOfQuoted(start: number): number {
    const closing: string[] = [];
    for (let index = start; index < this.#text.length; index++) {
      const sign = this.#text[index] as string;
      const inner = closing.at(-1) === ")";
      if (sign === "\\") index++;
      else if (sign === "(" && (inner || this.#text[index - 1] === "$")) closing.push(")");
      else if (sign === closing.at(-1)) closing.pop();
      else if (sign === '"') {
        if (closing.length === 0) return index;
        closing.push(sign);
      } else if (inner && sign === "<") index = this.#behindHereDocument(index);
    }
    return -1;
  }

  #behindHereDocument(index: number): number {
    const mark = this.#hereDocumentMark(index);
    const end = mark === null ? -1 : this.#text.indexOf(`\n${mark[2]}`, index);
    return mark === null ? index : end < 0 ? this.#text.length : end + (mark[2] as string).length;
  }

  #hereDocumentMark(index: number): RegExpExecArray | null {
    return /^<<-?\s*(['"]?)([\w.-]+)\1/.exec(this.#text.slice(index, index + 80));
  }

  #takeRedirect(index: number): number {
    // The digit of `2>` is not a word.
    if (/^\d$/.test(this.#word)) this.#word = "";
    this.#endWord();
    this.#redirecting = true;
    return this.#text[index + 1] === ">" ? index + 1 : index;
  }

  #takeInput(index: number): number {
    this.#endWord();
    if (this.#text[index + 1] !== "<") return index;
    const mark = this.#hereDocumentMark(index);
    if (mark === null) return index + 1;
    this.#hereDocument = mark[2] as string;
    return index + mark[0].length - 1;
  }

  #skipHereDocument(index: number): number {
    if (this.#hereDocument === null) return index;
    const end = this.#text.indexOf(`\n${this.#hereDocument}`, index);
    const last = end < 0 ? this.#text.length : end + this.#hereDocument.length;
    this.#hereDocument = null;
    this.#lineStart = last + 1;
    return last;
  }

  #endWord(): void {
    if (this.#word !== "" || this.#quoted) (this.#redirecting ? this.#redirects : this.#words).push(this.#word);
    else return;
    this.#word = "";
    this.#quoted = false;
    this.#redirecting = false;
  }

  #endSegment(): void {
    this.#endWord();
    if (this.#words.length > 0 || this.#redirects.length > 0) {
      this.#segments.push({ words: this.#words, redirects: this.#redirects, joint: this.#joint });
      this.#joint = ";";
    }
    this.#words = [];
    this.#redirects = [];
    this.#redirecting = false;
  }
}

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
