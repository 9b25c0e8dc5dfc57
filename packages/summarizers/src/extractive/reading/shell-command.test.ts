import { describe, expect, it } from "vitest";
import { notableCommand } from "./shell-command.ts";

describe("notable commands", () => {
  it.each([
    ["npm test 2>&1 | tail -20", "npm test"],
    ["cd packages/a && npx vitest run; ls", "npx vitest run"],
    ["FOO=1 make all", "make all"],
    ['git commit -m "it\'s done" && git push', "git commit -m it's done && git push"],
    ["git status && git diff", null],
    ["python -c 'print(1)'", null],
    ["node --version", null],
    ["grep -rn npm .", null],
    ["OUT=$(python bench/run.py)", null],
    ["(cd x; cargo build)", "cargo build"],
    ["python /home/somebody/projects/worktrees/a-very-long-name-of-a-folder/bench/run.py", "python …/bench/run.py"],
  ])("%s: %s", (command, expected) => expect(notableCommand(command)).toBe(expected));
});
