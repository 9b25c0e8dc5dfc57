import { oneLine } from "../../text/excerpt.ts";

/** One simple command of a shell line: its words without quotes, and the files that its output is redirected to. */
export interface ShellSegment {
  readonly words: readonly string[];
  readonly redirects: readonly string[];
}

/** The most of a command that is read, in UTF-16 code units; longer commands have data at their end. */
const MAX_SCANNED = 4_000;

/** Splits a shell command into simple commands. Handles quotes, redirections and here-documents; expands nothing. */
export function readShellCommand(command: string): readonly ShellSegment[] {
  return new ShellReader(command.slice(0, MAX_SCANNED)).read();
}

class ShellReader {
  readonly #text: string;
  readonly #segments: ShellSegment[] = [];
  #words: string[] = [];
  #redirects: string[] = [];
  #word = "";
  #quoted = false;
  #redirecting = false;
  #hereDocument: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly ShellSegment[] {
    for (let index = 0; index < this.#text.length; index++) index = this.#take(index);
    this.#endSegment();
    return this.#segments;
  }

  /** Reads the token that begins at an index and returns the index of its last character. */
  #take(index: number): number {
    const sign = this.#text[index] as string;
    switch (sign) {
      case "'":
      case '"':
        return this.#takeQuoted(index, sign);
      case "\\":
        this.#word += this.#text[index + 1] === "\n" ? "" : (this.#text[index + 1] ?? "");
        return index + 1;
      case " ":
      case "\t":
        this.#endWord();
        return index;
      case "\n":
        this.#endSegment();
        return this.#skipHereDocument(index);
      case ";":
      case "|":
      case "&":
        if (sign === "&" && this.#text[index - 1] === ">") return index;
        this.#endSegment();
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

  #skipComment(index: number): number {
    const end = this.#text.indexOf("\n", index);
    return (end < 0 ? this.#text.length : end) - 1;
  }

  #takeQuoted(index: number, quote: string): number {
    const end = this.#text.indexOf(quote, index + 1);
    const stop = end < 0 ? this.#text.length : end;
    this.#word += this.#text.slice(index + 1, stop);
    this.#quoted = true;
    return stop;
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
    const mark = /^<<-?\s*(['"]?)([\w.-]+)\1/.exec(this.#text.slice(index, index + 80));
    if (mark === null) return index + 1;
    this.#hereDocument = mark[2] as string;
    return index + mark[0].length - 1;
  }

  #skipHereDocument(index: number): number {
    if (this.#hereDocument === null) return index;
    const end = this.#text.indexOf(`\n${this.#hereDocument}`, index);
    const length = this.#hereDocument.length;
    this.#hereDocument = null;
    return end < 0 ? this.#text.length : end + length;
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
      this.#segments.push({ words: this.#words, redirects: this.#redirects });
    }
    this.#words = [];
    this.#redirects = [];
    this.#redirecting = false;
  }
}

const RUNNERS: ReadonlySet<string> = new Set(
  (
    "npm npx yarn pnpm bun deno node vitest jest mocha playwright tsc eslint biome prettier turbo " +
    "python python3 pytest tox nox uv pip pip3 poetry ruff mypy black coverage " +
    "go cargo rustc make cmake ninja mvn gradle gradlew ./gradlew dotnet swift bundle rake rspec php composer mix " +
    "docker docker-compose podman kubectl terraform helm ansible brew apt apt-get systemctl gh psql sqlite3 mysql redis-cli"
  ).split(" "),
);
const GIT_ACTIONS: ReadonlySet<string> = new Set(
  "commit push pull merge rebase tag revert cherry-pick clone init".split(" "),
);
/** Words after a command that make it only show something, or a one-off. */
const SHOWS_ONLY = /^(?:-c|-e|-|--version|-v|-V|--help|-h|list|ls|show|view|config|info)$/;

const NO_COMMAND = /^(?:sudo|time|timeout|\d+s?|env|nohup|[A-Za-z_]\w*=.*)$/;
const MAX_LENGTH = 160;
const MAX_PATH = 60;

/**
 * Returns the part of a shell command whose outcome is worth remembering, which builds, tests, installs, publishes or
 * changes history; without pipes, redirects and commands that only look around. Null when there is no such part.
 */
export function notableCommand(command: string): string | null {
  const parts = readShellCommand(command)
    .map(({ words }) => withoutPrefixes(words))
    .filter(isNotable);
  if (parts.length === 0) return null;
  const label = parts.map((words) => words.map(shown).join(" ")).join(" && ");
  return oneLine(label).replaceAll('"', "'").slice(0, MAX_LENGTH).toWellFormed();
}

function withoutPrefixes(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !NO_COMMAND.test(word));
  return first < 0 ? [] : words.slice(first);
}

/** A word as shown in a label: a long path by its end, and without the brackets of a substitution around it. */
function shown(word: string): string {
  const plain = word.replace(/^[$(]+(?=[\w./])/, "").replace(/(?<=[\w./])\)+$/, "");
  return plain.length > MAX_PATH && plain.includes("/") ? `…/${plain.split("/").slice(-2).join("/")}` : plain;
}

function isNotable([name, action = ""]: readonly string[]): boolean {
  if (name === undefined) return false;
  if (name === "git") return GIT_ACTIONS.has(action);
  return RUNNERS.has(name.slice(name.lastIndexOf("/") + 1)) && !SHOWS_ONLY.test(action);
}

const SEARCH = /^(?:git (?:grep|log)|[ef]?grep|rg|ag|ack|find|fd)\b/;
/** Options and pipes with which a search may be silent although it found something. */
const KEEPS_SILENT = /\s-(?:exec\w*|delete|ok\w*|fprint\w*)\b|\s-[a-zA-Z]*q|--(?:quiet|silent)\b|\bxargs\b|(?:^|[^2])>/;

/** A comparison of two states that prints all the differences, not piped to another program. */
const COMPARISON = /^git (?:diff|status)\b(?!.*(?:\||--check\b))/;

/** Returns what it means that a search or comparison printed nothing; null for other commands. */
export function saysBySilence(command: string): string | null {
  if (KEEPS_SILENT.test(command)) return null;
  if (SEARCH.test(command)) return "nothing found";
  return COMPARISON.test(command) ? "no changes" : null;
}

/** A command that prints the newest entry first, with nothing after it that reorders, filters or adds to its output. */
const NEWEST_FIRST =
  /^git (?:log|reflog|stash list)\b(?!.*(?:--reverse\b|;|&&|\|\s*(?:sort|tail|tac|uniq|wc|awk|sed|xargs)\b))/s;

/** Checks whether the first line of a command's output is the newest entry. */
export const printsNewestFirst = (command: string): boolean => NEWEST_FIRST.test(command);
