import { oneLine } from "../text/excerpt.ts";
import { readShellCommand } from "./shell-command.ts";

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
/** Words after a command that make it a look or a one-off. */
const SHOWS_ONLY = /^(?:-c|-e|-|--version|-v|-V|--help|-h|list|ls|show|view|config|info)$/;

const NO_COMMAND = /^(?:sudo|time|timeout|\d+s?|env|nohup|[A-Za-z_]\w*=.*)$/;
const MAX_LENGTH = 160;
const MAX_PATH = 60;

/**
 * The part of a shell command whose outcome is worth remembering: what builds, tests, installs, publishes or changes
 * history, without what pipes, redirects and looks around. Null when there is no such part.
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

/** A word as a label shows it: a long path by its end, and without the brackets of a substitution around it. */
function shown(word: string): string {
  const plain = word.replace(/^[$(]+(?=[\w./])/, "").replace(/(?<=[\w./])\)+$/, "");
  return plain.length > MAX_PATH && plain.includes("/") ? `…/${plain.split("/").slice(-2).join("/")}` : plain;
}

function isNotable([name, action = ""]: readonly string[]): boolean {
  if (name === undefined) return false;
  if (name === "git") return GIT_ACTIONS.has(action);
  return RUNNERS.has(name.slice(name.lastIndexOf("/") + 1)) && !SHOWS_ONLY.test(action);
}
