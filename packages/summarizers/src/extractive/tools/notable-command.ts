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

/**
 * The part of a shell command whose outcome is worth remembering: what builds, tests, installs, publishes or changes
 * history, without what pipes, redirects and looks around. Null when there is no such part.
 */
export function notableCommand(command: string): string | null {
  const parts = readShellCommand(command)
    .filter(({ words }) => isNotable(words))
    .map(({ words }) => words.join(" "));
  if (parts.length === 0) return null;
  return oneLine(parts.join(" && ")).replaceAll('"', "'").slice(0, MAX_LENGTH).toWellFormed();
}

function isNotable(words: readonly string[]): boolean {
  const first = words.findIndex((word) => !NO_COMMAND.test(word));
  const [name, action = ""] = first < 0 ? [] : words.slice(first);
  if (name === undefined) return false;
  if (name === "git") return GIT_ACTIONS.has(action);
  return RUNNERS.has(name.slice(name.lastIndexOf("/") + 1)) && !SHOWS_ONLY.test(action);
}
