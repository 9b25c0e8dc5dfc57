import { type JsonValue, renderItem, type StructuredSummary } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { Conversation, foldAt, summaryOf } from "../testing/conversation.ts";
import { notableCommand } from "./reading/shell-command.ts";

const told = (...runs: readonly (readonly [command: string, output: string, exitCode?: number])[]) => {
  const conversation = new Conversation().user("Go.");
  for (const [command, output, exitCode = 0] of runs) {
    const text = exitCode === 0 ? output : `Exit code ${exitCode}${output === "" ? "" : `\n${output}`}`;
    conversation.tool("Bash", { command }, text, exitCode === 0 ? "success" : "failure");
  }
  return summaryOf(conversation).summary.toolOutcomes.map(({ outcome, keyFields, errorMessage }) => [
    outcome,
    keyFields["result"] ?? errorMessage,
  ]);
};

describe("a search without a match", () => {
  it.each([
    ["grep -rn total src", 1],
    ["grep -rn total src", 0],
    ["rg -n total", 1],
    ["grep -rn total src || true", 0],
    ["grep -n total src/a.ts && sed -n '1,9p' src/a.ts", 0],
    ["cat notes.txt | grep -i total", 1],
    ["ps aux | grep vite | grep -v grep", 0],
    ["git log --oneline | grep -i total | head -3", 0],
    ["cd /repo && git grep -n total", 1],
    ["git tag -l", 0],
    ["git ls-files -m", 0],
    ["git stash list", 0],
    ["ls src/empty", 0],
  ])("found nothing, which is neither success nor failure: %s, exit code %i", (command, exitCode) => {
    expect(told([command, "", exitCode])).toEqual([["success", "nothing found"]]);
  });

  it("says of a program whose output was searched that the search found nothing", () => {
    expect(told(["npm test 2>&1 | grep -i 'fail'", "", 1])).toEqual([["success", "grep -i fail found nothing"]]);
  });

  it.each([
    ["grep -rn total gone", "grep: gone: No such file or directory", 2, "failure"],
    ["grep -rn total src && make", "", 2, "failure"],
    ["grep -q total src/a.ts", "", 1, "failure"],
    ["npm test | grep -c fail > count.txt", "", 0, "success"],
    ["git tag v1", "", 0, "success"],
  ])("is not taken for one: %s", (command, output, exitCode, outcome) => {
    const [[found, said]] = told([command, output, exitCode]) as [[string, string | null]];
    expect(found).toBe(outcome);
    expect(said ?? "").not.toContain("found nothing");
    expect(said ?? "").not.toBe("nothing found");
  });
});

describe("a command", () => {
  it.each<readonly [command: readonly string[], told: string]>([
    [["bash", "-lc", "npm test"], "npm test"],
    [["npm", "test"], "npm test"],
    [["git", "commit", "-m", "Begin on Monday"], "git commit -m Begin on Monday"],
    [["/bin/sh", "-c", "cd app && make test"], "make test"],
    [["cat", "src/it's here.ts"], "cat 'src/it'\\''s here.ts'"],
  ])("is told as one would type it when it is a list of arguments: %j", (command, told) => {
    const { summary } = summaryOf(new Conversation().user("Go.").tool("shell", { command: [...command] }, "12 lines"));
    expect(summary.toolOutcomes.map(({ keyFields }) => keyFields["command"])).toEqual([told]);
  });

  it("is told without the headings that it prints first", () => {
    const script = `cd /repo && echo "Sizes:" && echo '---'; wc -l a.ts && echo "done"`;
    const { summary } = summaryOf(new Conversation().user("Go.").bash(script, "Sizes:\n---\n 41 a.ts\ndone"));
    expect(summary.toolOutcomes[0]?.keyFields["command"]).toBe('wc -l a.ts && echo "done"');
  });

  it("that only prints words of its own is not told", () => {
    const conversation = new Conversation()
      .user("Go.")
      .bash('echo "=== The first commit ==="', "=== The first commit ===");
    conversation.bash('echo "$HOME"', "/home/of/somebody").bash("printf 'a line' > notes.txt", "");
    expect(summaryOf(conversation).summary.toolOutcomes.map(({ keyFields }) => keyFields["command"])).toEqual([
      'echo "$HOME"',
      "printf 'a line' > notes.txt",
    ]);
  });
});

describe("a warning", () => {
  const WARNED = [
    "/usr/lib/python3.11/site-packages/docutils.py:45: DeprecationWarning: Version classes are deprecated.",
    "  if Version(sphinx) < Version('4'):",
    "<frozen importlib._bootstrap>:241: UserWarning: numpy.dtype size changed",
  ].join("\n");

  it("is no result of a script", () => {
    expect(told(["python issue.py", `total = 4\n${WARNED}`])).toEqual([["success", "total = 4"]]);
    expect(told(["python -c 'import app; print(app.total())'", `total = 4\n${WARNED}`])).toEqual([
      ["success", "total = 4"],
    ]);
    expect(
      told([
        "node build.mjs",
        "built 12 pages\n(node:4711) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.\n(Use `node --trace-deprecation ...` to show where the warning was created)",
      ]),
    ).toEqual([["success", "built 12 pages"]]);
  });

  it("is told as nothing but warnings if there is nothing else", () => {
    expect(told(["python issue.py", WARNED])).toEqual([["success", "only warnings"]]);
  });

  it("does not hide an error below it", () => {
    const [[outcome, said]] = told(["python issue.py", `${WARNED}\nTypeError: total() takes no arguments`, 1]) as [
      [string, string],
    ];
    expect([outcome, said]).toEqual(["failure", "TypeError: total() takes no arguments"]);
  });
});

describe("a command that was run again", () => {
  it("is no place of the failures that it no longer shows", () => {
    const failed = (test: string, error: string): string => `FAILED tests/payments/test_refund.py::${test} - ${error}`;
    const conversation = new Conversation()
      .user("Fix the refunds.")
      .bash(
        "pytest tests/payments",
        `cached in build_refunds_1\n${failed("test_partial", "AssertionError: assert 10.00 == 9.99")}\n${failed("test_currency", "KeyError: 'RUB'")}\n2 failed, 3 passed`,
        1,
      )
      .bash("pytest tests/payments", `${failed("test_currency", "KeyError: 'RUB'")}\n1 failed, 4 passed`, 1)
      .bash("pytest tests/payments", "5 passed in 1.11s");
    const [, where = ""] = summaryOf(conversation).text.split("## What is where");
    expect(where).not.toContain("FAILED");
    expect(where).toContain("build_refunds_1");
  });
});

describe("a run of the whole", () => {
  const RED = "FAIL  src/week.test.ts > begins on Monday\nAssertionError: expected 0 to be 1\n\n Tests  1 failed (1)";
  const GREEN = " Test Files  4 passed (4)\n      Tests  31 passed (31)";
  /** What is told after one run failed and another passed: what failed then, and how its error ended. */
  const afterBoth = (part: string, whole: string, output: string, borders: readonly number[]) => {
    const conversation = new Conversation().user("Go.");
    conversation.bash(part, RED, 1).tool("edit", { path: "src/week.ts", old: "0", new: "1" }, "ok").bash(whole, output);
    const summary = foldAt(conversation, borders).at(-1) as StructuredSummary;
    const red = summary.toolOutcomes.filter(({ outcome }) => outcome === "failure");
    return {
      red: red.map(({ keyFields }) => keyFields["command"]),
      ends: summary.errors.map((item) => item.resolution),
    };
  };

  const PARTS = [
    ["npm test -- week", "npm test"],
    ["npx vitest run src/week.test.ts -t 'begins on Monday'", "npx vitest run"],
    ["pytest tests/test_week.py -k monday -x", "pytest -q"],
    ["pytest tests/unit/test_week.py::test_monday", "pytest tests/"],
    ["pytest tests/test_week.py::TestWeek::test_monday", "pytest tests/test_week.py"],
    ["pytest tests/test_week.py::TestWeek::test_monday", "pytest tests/test_week.py::TestWeek"],
    ["go test ./cmd/week/... -run TestWeek -v", "go test ./..."],
    ["cargo test week", "cargo test"],
  ] as const;

  it.each(PARTS)("that passes leaves no failure of a part: %s, %s", (part, whole) => {
    for (const borders of [[7], [3, 7], [5, 7]]) {
      const { red, ends } = afterBoth(part, whole, GREEN, borders);
      expect(red, borders.join()).toEqual([]);
      for (const end of ends) expect(end, borders.join()).toMatch(/^succeeded/);
    }
  });

  it.each<readonly [failed: string, passed: string, output: string]>([
    ...PARTS.map(([part, whole]) => [whole, part, GREEN] as const),
    ["npm test -- week", "npm test", "No tests found"],
    ["npm test -- --coverage", "npm test", GREEN],
    ["npm run test:e2e", "npm run test", GREEN],
    ["pytest tests/test_week.py", "pytest tests/unit", GREEN],
    ["pytest tests/test_week.py::test_monday", "pytest tests/test_week.py::test_mon", GREEN],
    ["pytest tests/unit; pytest tests/slow", "pytest tests/unit", GREEN],
    ["go test ./cmd/week", "go test", GREEN],
    ["make install", "make", GREEN],
  ])("is known as one, and anything else leaves what failed: %s, %s", (failed, passed, output) => {
    for (const borders of [[7], [3, 7], [5, 7]])
      expect(afterBoth(failed, passed, output, borders), borders.join()).toMatchObject({
        red: [notableCommand(failed)],
        ends: [null],
      });
  });

  it("does not hide that a part failed again after it", () => {
    const conversation = new Conversation().user("Go.").bash("npm test -- week", RED, 1).bash("npm test", GREEN);
    conversation.bash("npm test -- week", RED, 1);
    for (const borders of [[7], [3, 7], [5, 7], [3, 5, 7]]) {
      const summary = foldAt(conversation, borders).at(-1) as StructuredSummary;
      expect(summary.errors.at(-1)?.resolution, borders.join()).toBeNull();
      expect(summary.toolOutcomes.map(({ outcome }) => outcome).sort(), borders.join()).toEqual(["failure", "success"]);
    }
  });
});

describe("a patch that did not apply", () => {
  const patch = (file: string): string => `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch`;
  const framed = (output: string, code: number): string =>
    JSON.stringify({ output, metadata: { exit_code: code, duration_seconds: 0 } });

  it("is told in its own words, without what its harness wrote around them, and changed nothing", () => {
    const conversation = new Conversation()
      .user("Rename it.")
      .tool("apply_patch", { input: patch("src/cart.ts") }, framed("Permission denied: src/cart.ts\n", 1))
      .tool(
        "apply_patch",
        { input: patch("src/tax.ts") },
        framed("Success. Updated the following files:\nM src/tax.ts\n", 0),
      );
    const { summary, text } = summaryOf(conversation);
    expect(summary.files.map(({ path, action }) => [path, action])).toEqual([["src/tax.ts", "modified"]]);
    expect(text).toContain("apply_patch src/cart.ts: Permission denied: src/cart.ts → not resolved yet");
    expect(text).not.toMatch(/metadata|exit_code/);
  });

  it.each([
    ["a word of a command", { command: ["apply_patch", patch("src/cart.ts")] }],
    ["a document of a command", { command: ["bash", "-lc", `apply_patch <<'EOF'\n${patch("src/cart.ts")}\nEOF`] }],
  ])("changed nothing as %s either", (_, input) => {
    const conversation = new Conversation().user("Rename it.").tool("shell", input, framed("Invalid Context 0:\na", 1));
    expect(summaryOf(conversation).summary.files).toEqual([]);
  });

  it("changed a file when only what ran after it failed", () => {
    const script = `apply_patch <<'EOF'\n${patch("src/cart.ts")}\nEOF\nnpm test`;
    const input = { command: ["bash", "-lc", script] };
    const conversation = new Conversation().user("Rename it.").tool("shell", input, framed("1 failing", 1));
    expect(summaryOf(conversation).summary.files.map(({ path }) => path)).toEqual(["src/cart.ts"]);
  });
});

describe("a command that the user ran", () => {
  const typed = (command: string): string => `<bash-input>${command}</bash-input>`;
  const printed = (out: string, errors = ""): string =>
    `<bash-stdout>${out}</bash-stdout><bash-stderr>${errors}</bash-stderr>`;

  it("is told with its newest outcome, like one that the agent ran", () => {
    const conversation = new Conversation()
      .user(typed("npx vitest run cart.test.ts"))
      .user(
        printed("\n FAIL  cart.test.ts > total\nError: cart.items is empty\n\n      Tests  1 failed (1)"),
        "harness",
      )
      .user("Why?")
      .agent("The cart is empty.");
    expect(summaryOf(conversation).text).toContain("`npx vitest run cart.test.ts` → failure — 1 failed");
    conversation
      .user(typed("npx vitest run cart.test.ts"))
      .user(printed(" RUN  v4\n\n      Tests  1 passed (1)"), "harness");
    const { text } = summaryOf(conversation);
    expect(text).toContain("`npx vitest run cart.test.ts` → 1 passed");
    expect(text).not.toMatch(/1 failed|bash-(?:input|stdout)/);
  });

  it.each([
    [
      "pi",
      (command: string, out: string, code: number) => `Ran \`${command}\`\n\`\`\`\n${out}\n\`\`\`\nExit code ${code}`,
    ],
    [
      "Codex",
      (command: string, out: string, code: number) =>
        `<user_shell_command>\n<command>\n${command}\n</command>\n<result>\nExit code: ${code}\nDuration: 2.1000 seconds\nOutput:\n${out}\n</result>\n</user_shell_command>`,
    ],
  ])("is told in one message by %s", (_, ran) => {
    const conversation = new Conversation()
      .user("Make the login faster.")
      .agent("Removed the sleep.")
      .user(ran("go test ./...", "--- FAIL: TestLogin (2.01s)\nFAIL\nFAIL\tapi/auth\t2.014s", 1), "harness")
      .user("Fix that test, too.");
    expect(summaryOf(conversation).text).toContain("`go test ./...` → failure (exit 1)");
    conversation.agent("Fixed the test.").user(ran("go test ./...", "ok  \tapi/auth\t0.004s", 0), "harness");
    const { text } = summaryOf(conversation);
    expect(text).toMatch(/`go test \.\/\.\.\.` → (?!failure).*ok/);
    expect(text).not.toMatch(/notes in the log|user_shell|Duration/);
  });

  it("is a user's own word when the user wrote it", () => {
    const { summary } = summaryOf(new Conversation().user("Ran `make`\n```\nno rule\n```\nWhat now?"));
    expect(summary.originalTask?.text).toContain("What now?");
  });

  it("is told with its error", () => {
    const conversation = new Conversation()
      .user(typed("make dist"))
      .user(printed("", "make: *** No rule to make target 'dist'.  Stop."), "harness")
      .user("Add that target.");
    expect(summaryOf(conversation).text).toContain("No rule to make target 'dist'");
  });
});

describe("a command that printed nothing", () => {
  it.each([
    "(Bash completed with no output)",
    "Tool ran without output or errors",
    "Command completed with no output.",
  ])("is not told by what its harness says of that: %s", (silence) => {
    const conversation = new Conversation()
      .user("Commit it.")
      .tool("Bash", { command: "git add -A" }, silence)
      .tool("Bash", { command: "npm run build" }, silence);
    const { text } = summaryOf(conversation);
    expect(text).toContain("`npm run build` → success");
    expect(text).not.toMatch(/output/);
  });
});

describe("the tests that passed", () => {
  it.each([
    ["go test ./...", "ok  \tgithub.com/shop/cart/pricing\t(cached)\nok  \tgithub.com/shop/cart/orders\t7.197s"],
    ["go test -v ./...", "=== RUN   TestCartPricing\n--- PASS: TestCartPricing (0.00s)\nPASS\nok  \tshop\t0.1s"],
    ["cargo test", "test cart::pricing::rounds_totals ... ok\ntest result: ok. 1 passed; 0 failed"],
    ["pytest -v", "tests/test_cart.py::test_rounds_totals PASSED [100%]\n=== 1 passed in 0.1s ==="],
    ["npx vitest run", " ✓ src/cart-pricing.test.ts (3 tests) 12ms\n Tests  3 passed (3)"],
    ["npx jest", "PASS src/cart-pricing.test.ts\n  ✓ rounds roundedTotals (3 ms)\nTests: 1 passed, 1 total"],
    ["npx tap", "ok 1 - rounds roundedTotals\n# passed 1 of 1"],
  ])("are not where anything stands, since their run tells of them: %s", (command, output) => {
    const { summary } = summaryOf(new Conversation().user("Test it.").bash(command, output));
    expect(summary.toolOutcomes).toHaveLength(1);
    expect(summary.identifiers.map(({ text }) => text).join(" ")).not.toMatch(/cart|Cart|pricing|roundedTotals/);
  });

  it("are no lines that a search finds", () => {
    const shown = "export const PASSED = statusOfRun(1);";
    const found = `src/status.ts:3:${shown}\nsrc/zones.ts:4:}`;
    const { summary } = summaryOf(new Conversation().user("Go.").bash("grep -rn PASSED src", found));
    expect(summary.identifiers.map(({ text }) => text)).toContain(shown);
  });

  it("leave the place to what else their run says", () => {
    const output = "ok  \tgithub.com/shop/cart\t0.1s\nok to read the vatRateTable twice, from vat_rates.csv";
    const { summary } = summaryOf(new Conversation().user("Test it.").bash("go test ./...", output));
    expect(summary.identifiers.map(({ text }) => text)).toEqual([
      "ok to read the vatRateTable twice, from vat_rates.csv",
    ]);
  });
});

describe("a command that only writes a file", () => {
  const written = (command: string, output = "", exitCode = 0) =>
    summaryOf(new Conversation().user("Go.").bash(command, output, exitCode).agent("That is what was to be written."))
      .summary;

  it.each([
    "cat <<'EOF' > check_totals.py\nprint(1)\nEOF",
    "cat > check_totals.py << EOF\nprint(1)\nEOF",
    "cd /shop && cat >> check_totals.py <<-'EOF'\nprint(1)\nEOF",
  ])("is told as that file alone: %s", (command) => {
    const { files, toolOutcomes } = written(command);
    expect(files).toMatchObject([{ path: expect.stringMatching(/check_totals\.py$/) }]);
    expect(toolOutcomes).toEqual([]);
  });

  it.each(["Dockerfile", ".env", "$HOME/check.py", '"the notes.md"'])("is told where no file is: %s", (path) => {
    const { files, toolOutcomes } = written(`cat > ${path} <<EOF\nprint(1)\nEOF`);
    expect(files.length + toolOutcomes.length).toBe(1);
  });

  it("is told by what it runs then, and by its failure", () => {
    const commands = ({ toolOutcomes }: ReturnType<typeof written>) =>
      toolOutcomes.map(({ keyFields, errorMessage }) => [keyFields["command"], errorMessage ?? keyFields["result"]]);
    const heredoc = "cat <<'EOF' > check.py\nprint(1)\nEOF\n";
    expect(commands(written(`${heredoc}python check.py`, "1 total"))).toEqual([["python check.py", "1 total"]]);
    expect(commands(written(heredoc, "bash: check.py: Permission denied", 1))).toEqual([
      ["cat <<'EOF' > check.py", "bash: check.py: Permission denied"],
    ]);
  });
});

describe("what an editor says of itself", () => {
  it.each([
    "The file PATH has been updated.",
    "The file PATH has been updated. Here's the result of running `cat -n` on a snippet of the edited file:",
    "File created successfully at: PATH",
    "Applied 2 edits to PATH",
    "Successfully modified file: PATH (1 replacements).",
  ])("is not where a file stands, when it only says that it wrote it: %s", (said) => {
    const conversation = new Conversation().user("Round the totals.");
    for (const name of ["cart", "order", "report"]) {
      const path = `/Users/somebody/projects/shop/src/${name}.ts`;
      const input = { file_path: path, old_string: "total", new_string: "rounded" };
      conversation.tool("Edit", input, said.replace("PATH", path));
    }
    expect(summaryOf(conversation).text).not.toMatch(/has been updated|created successfully|Applied 2|Successfully/);
  });

  it("is not where a file stands, when it only says what it shows", () => {
    const path = "/Users/somebody/projects/shop/src/cart.ts";
    const shown = `Here's the result of running \`cat -n\` on ${path}:\n     1\texport function roundedTotal() {\n`;
    const listed = `Here's the files and directories up to 2 levels deep in /Users/somebody/projects/shop, excluding hidden items:\n/Users/somebody/projects/shop/vat-rates.md\n`;
    const conversation = new Conversation()
      .user("Round the totals.")
      .tool("str_replace_based_edit_tool", { command: "view", path }, shown)
      .tool("str_replace_based_edit_tool", { command: "view", path: "/Users/somebody/projects/shop" }, listed);
    const { text } = summaryOf(conversation);
    expect(text).toContain("  export function roundedTotal() {");
    expect(text).not.toMatch(/running|levels deep/);
  });

  const SHOWN =
    "[File: src/fields.py (1997 lines total)]\n(1373 more lines above)\n1374:def _serialize_delta(self, value):\n1375:  base_unit = timedelta_of_unit(self)\n1380:def _bind_to_schema(self, field_name):";

  it("is where the lines of a change stand, and not those that it took out, with their numbers", () => {
    const change =
      "Edited src/cart.ts\n```diff\n-467: \t\t<OldButton label={oldLabel}>\n+467: \t\t<NewButton label={newLabel}>\n```";
    const conversation = new Conversation()
      .user("Use the new button.")
      .tool(
        "editor",
        { path: "src/cart.ts" },
        JSON.stringify({ query: "edit:src/cart.ts", result: change, success: true }),
      )
      .tool("read_files", { path: "src/list.ts" }, "281 | \t\tif (searchQuery) openSearchBox(searchQuery);");
    const lines = summaryOf(conversation).summary.identifiers.filter(({ where }) => where !== undefined);
    expect(lines.map(({ where, at, text }) => [where, at, text])).toEqual([
      ["src/list.ts", 281, "if (searchQuery) openSearchBox(searchQuery);"],
      ["src/cart.ts", 467, "<NewButton label={newLabel}>"],
    ]);
  });

  it("is not where anything stands: neither cursors nor what would have been, had an edit not been refused", () => {
    const refused = [
      "Your proposed edit has introduced new syntax error(s).",
      "",
      "ERRORS:",
      "- E999 IndentationError: unexpected_indent_of_edit",
      "",
      "This is how your edit would have looked if applied",
      "1374:   return wrong_delta_of_value(value)",
    ].join("\n");
    const conversation = new Conversation()
      .user("Fix _serialize_delta.")
      .tool("set_cursors", { path: "src/fields.py" }, `START_CURSOR moved to 1374\nEND_CURSOR moved to 1374\n${SHOWN}`)
      .tool("edit", { path: "src/fields.py", text: "x" }, refused)
      .agent("It was not applied.");
    const { text } = summaryOf(conversation);
    const [, where = ""] = text.split("## What is where");
    expect(where).toContain("def _bind_to_schema(self, field_name):");
    expect(where).not.toMatch(/_CURSOR|E999|wrong_delta/);
  });
});

describe("what harnesses write around results, or in their place", () => {
  const outcomes = (conversation: Conversation) =>
    summaryOf(conversation).summary.toolOutcomes.map(({ toolName, outcome, keyFields, errorMessage }) => [
      outcome,
      keyFields["command"] ?? toolName,
      keyFields["result"] ?? errorMessage,
    ]);
  const files = (conversation: Conversation) =>
    summaryOf(conversation).summary.files.map(({ path, action }) => [path, action]);
  const ran = (output: string, outcome: "success" | "failure" | "partial" = "success", command = "npm run check") =>
    outcomes(new Conversation().user("Go.").tool("bash", { command }, output, outcome));

  it("tells of a search that failed without an exit code and printed nothing that it found nothing", () => {
    expect(ran("(no output)", "failure", "grep -rn total src")).toEqual([
      ["success", "grep -rn total src", "nothing found"],
    ]);
    expect(ran("grep: gone: No such file or directory", "failure", "grep -rn total gone")).toEqual([
      ["failure", "grep -rn total gone", "grep: gone: No such file or directory"],
    ]);
    expect(ran("(no output)", "failure", "make")).toMatchObject([
      ["failure", "make", expect.not.stringContaining("found")],
    ]);
  });

  it("tells of a command that its harness stopped after a time that it failed, in the harness's words", () => {
    const stopped = (note: string) =>
      `part of it\n\n<${note}>\nshell tool terminated command after exceeding timeout 9 ms.\n</${note}>`;
    for (const note of ["bash_metadata", "shell_metadata"])
      expect(ran(stopped(note), "failure")).toEqual([
        ["failure", "npm run check", "shell tool terminated command after exceeding timeout 9 ms."],
      ]);
    expect(
      ran("The command 'npm run check' was cancelled because it took more than 30 seconds. Please try another."),
    ).toEqual([
      ["failure", "npm run check", expect.stringContaining("was cancelled because it took more than 30 seconds")],
    ]);
  });

  it.each([
    [
      "Command is still running in terminal  from '/repo'.\nHere's the output so far:\n\nready on port 3000\n\nYou will be updated on the terminal status and new output in the future.",
    ],
    ["ready on port 3000\n[The command has no new output after 30.0 seconds. You may wait longer.]"],
    ["ready on port 3000\n[The command timed out after 120.0 seconds. You may wait longer to see additional output.]"],
  ])("tells of a command that goes on that it is running: %s", (output) => {
    expect(ran(output)).toEqual([["success", "npm run check", "still running, ready on port 3000"]]);
  });

  it.each([
    ["Exit code: 0", "success", 0],
    ["Command execution was not successful, inspect the cause and adjust as needed.\nExit code: 3", "failure", 3],
    ["Process terminated by signal SIGTERM", "success", null],
  ])("reads a long output below a long line about its folder: %s", (ending, outcome, exitCode) => {
    const folder = `/home/dev/${"deep/".repeat(60)}`;
    const printed = `${"checking one of the dates\n".repeat(40)}17 dates are off`;
    const inline = `Command executed in terminal within working directory '${folder}'. ${ending}\nOutput:\n${printed}\n`;
    const kept = `Command executed in '${folder}'. ${ending}\n\nOutput (1.2MB) persisted. Artifact ID: cmd-1.txt\n\nPreview:\n${printed}\n\nUse read_command_output tool to view full output if needed.`;
    for (const output of [inline, kept]) {
      const { text, summary } = summaryOf(
        new Conversation().user("Go.").tool("execute_command", { command: "npm run check" }, output),
      );
      expect(summary.toolOutcomes).toMatchObject([{ outcome, keyFields: exitCode === null ? {} : { exitCode } }]);
      expect(text).toContain("17 dates are off");
      expect(text.includes("stopped")).toBe(exitCode === null);
      expect(text).not.toMatch(/Command executed|read_command_output/);
    }
  });

  it("reads results below the label that some agents get above each", () => {
    const conversation = new Conversation()
      .user("Go.")
      .tool(
        "str_replace_editor",
        { command: "str_replace", path: "src/a.py", old_str: "x", new_str: "y" },
        "OBSERVATION:\nNo replacement was performed, old_str `x` did not appear verbatim in src/a.py.",
      )
      .tool("bash", { command: "grep -n total src/a.py" }, "OBSERVATION:\n12:total = 4");
    expect(outcomes(conversation)).toEqual([["success", "grep -n total src/a.py", "12:total = 4"]]);
    expect(files(conversation)).toEqual([]);
    expect(ran("OBSERVATION:\nYour command ran successfully and did not produce any output.")).toEqual([
      ["success", "npm run check", null],
    ]);
  });

  const denied = (more: object) => JSON.stringify({ status: "denied", ...more });
  it.each([
    ["success", denied({ feedback: "Never the lock file." }), "refused: Never the lock file."],
    ["success", denied({ message: "The user denied this operation." }), "refused"],
    ["failure", "Action rejected: Never the lock file.", "refused: Never the lock file."],
    ["failure", "Action rejected: User rejected the action", "refused"],
    [
      "success",
      "The user has declined to run this tool. \nDO NOT attempt to call this tool again. \nIf there are no alternative methods to proceed, clearly explain the situation and STOP.",
      "refused",
    ],
    ["failure", "The user has declined to run this tool. \nDO NOT attempt to call this tool again.", "refused"],
    ["failure", "The user rejected permission to use this specific tool call.", "refused"],
  ] as const)("takes no refused call for one that was made: %s, %s", (outcome, output, told) => {
    const conversation = new Conversation()
      .user("Go.")
      .tool("shell", { command: "rm package-lock.json" }, output, outcome);
    expect(outcomes(conversation)).toEqual([["failure", "rm package-lock.json", told]]);
    expect(files(conversation)).toEqual([]);
  });

  it("names what the user refused as a whole, and not only what stands out in it", () => {
    const refused = (command: string) =>
      outcomes(new Conversation().user("Go.").tool("shell", { command }, "Tool execution was not approved."))[0]?.[1];
    expect(refused("rm package-lock.json && npm install")).toBe("rm package-lock.json && npm install");
    expect(refused(`echo ${"x".repeat(120)} && npm install`)).toBe("npm install");
  });

  it.each([
    ["finish", "message"],
    ["task_done", "message"],
    ["TaskComplete", "message"],
    ["message_notify_user", "text"],
    ["final_answer", "answer"],
  ])(
    "takes what a call of %s says for the agent's closing words, and what repeats them for no word of the user",
    (name, field) => {
      const said = "The week picker is fixed: the locale began on Sunday.";
      const conversation = new Conversation()
        .user("Fix the week picker.")
        .tool(name, { [field]: said }, said)
        .user("Now look at the print module.");
      const { summary, text } = summaryOf(conversation);
      expect(text).toContain(`[done] The original task — ${said}`);
      expect(summary.openItems.filter(({ description }) => description.includes("is fixed"))).toEqual([]);
      expect(text.split(said).length).toBe(2);
    },
  );

  it("takes what Goose writes below its own summary for no finding of the agent", () => {
    const conversation = new Conversation()
      .user("Fix the week picker.")
      .user("The week picker was read.", "compaction")
      .agent(
        "Your context was compacted. The previous message contains a summary of the conversation so far.\nDo not mention that you read a summary.",
      );
    expect(summaryOf(conversation).text).not.toContain("context was compacted");
  });

  it.each([
    JSON.stringify({ status: "error", message: "The tool execution failed", error: "ENOENT: no such file" }),
    JSON.stringify({ status: "error", type: "access_denied", message: "Access blocked by .rooignore", path: "a.ts" }),
    "Unable to apply diff to file: /repo/src/a.ts\n\n<error_details>\nNo sufficiently similar match found\n</error_details>",
  ])("takes no edit that failed for one that was made: %s", (output) => {
    const conversation = new Conversation().user("Go.").tool("apply_diff", { path: "src/a.ts", diff: "x" }, output);
    expect(files(conversation)).toEqual([]);
    expect(summaryOf(conversation).summary.errors).toHaveLength(1);
  });

  it.each([
    ["created", "Created src/a.ts (1 lines)"],
    ["modified", "Wrote src/a.ts (1 lines)"],
    ["created", JSON.stringify({ path: "src/a.ts", operation: "created", notice: "x" })],
    ["modified", JSON.stringify({ path: "src/a.ts", operation: "modified", notice: "x" })],
    ["modified", "<file_write_result>\n<path>src/a.ts</path>\n<operation>modified</operation>\n</file_write_result>"],
  ])("tells whether a file that was written was there before: %s, %s", (action, output) => {
    const conversation = new Conversation().user("Go.").tool("write", { path: "src/a.ts", content: "1" }, output);
    expect(files(conversation)).toEqual([["src/a.ts", action]]);
  });

  it("reads patches and edits by any of the names of their fields", () => {
    const patchText =
      "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-old\n+thursdayOf\n*** Delete File: src/b.ts\n*** End Patch";
    const conversation = new Conversation()
      .user("Go.")
      .tool("apply_patch", { patchText }, "Success. Updated the following files:\nM src/a.ts\nD src/b.ts")
      .tool("edit", { path: "src/c.ts", before: "old", after: "weekdayOf" }, "Edited src/c.ts (1 lines -> 1 lines)")
      .tool(
        "file_editor",
        { command: "create", path: "src/d.ts", file_text: "mondayOf" },
        "File created successfully at: src/d.ts",
      )
      .tool("file_editor", { command: "view", path: "src/e.ts" }, "1\tx");
    const { summary, text } = summaryOf(conversation);
    expect(summary.files.map(({ path, action }) => [path, action]).sort()).toEqual([
      ["src/a.ts", "modified"],
      ["src/b.ts", "deleted"],
      ["src/c.ts", "modified"],
      ["src/d.ts", "created"],
    ]);
    for (const name of ["thursdayOf", "weekdayOf", "mondayOf"]) expect(text).toContain(name);
    expect(summary.toolOutcomes).toEqual([]);
  });

  it("tells what a user answered to questions of a tool", () => {
    const questions = [
      { question: "Which weeks?", options: [] },
      { question: "Keep the old format?", options: [] },
    ];
    const said = `User has answered your questions: "Which weeks?"="ISO weeks", "Keep the old format?"="Yes, behind a flag". You can now continue with the user's answers in mind.`;
    for (const toolName of ["question", "AskUserQuestion"]) {
      const { summary } = summaryOf(new Conversation().user("Go.").tool(toolName, { questions }, said));
      expect(summary.openItems.filter(({ kind }) => kind === "question")).toMatchObject([
        { description: "Question to the user: Which weeks?", context: "the user replied: ISO weeks" },
        { description: "Question to the user: Keep the old format?", context: "the user replied: Yes, behind a flag" },
      ]);
      expect(summary.toolOutcomes).toEqual([]);
    }
  });

  it("tells what a user said on approving a call, and reads the result below that", () => {
    const approved = (feedback: string) => `${JSON.stringify({ status: "approved", feedback })}\n\n`;
    const conversation = new Conversation()
      .user("Go.")
      .tool(
        "write_to_file",
        { path: "src/a.ts", content: "1" },
        `${approved('Use tabs, "not" spaces')}${JSON.stringify({ path: "src/a.ts", operation: "modified" })}`,
      )
      .tool(
        "execute_command",
        { command: "npm run check" },
        `${approved("Only once")}Command executed in terminal within working directory '/repo'. Exit code: 0\nOutput:\n12 dates are right\n`,
      );
    const { summary } = summaryOf(conversation);
    expect(summary.toolOutcomes.map(({ toolName, keyFields }) => [toolName, keyFields])).toEqual(
      expect.arrayContaining([
        ["write_to_file", { approved: 'Use tabs, "not" spaces' }],
        ["execute_command", { approved: "Only once" }],
        ["execute_command", { command: "npm run check", exitCode: 0, result: "12 dates are right" }],
      ]),
    );
    expect(files(conversation)).toEqual([["src/a.ts", "modified"]]);
  });

  it("takes the report of a sub-agent out of what its harness writes around it", () => {
    const said =
      "task_id: ses_4 (for resuming to continue this task if needed)\n\n<task_result>\nweekLabel is called in src/header.tsx. Both callers pass a UTC date.\n</task_result>";
    const { text } = summaryOf(new Conversation().user("Go.").tool("task", { description: "Find callers" }, said));
    expect(text).toContain("weekLabel is called in src/header.tsx.");
    expect(text).not.toMatch(/for resuming|task_result/);
  });

  it.each([
    ["update_todo_list", { todos: "[x] Write a test\n[-] Fix isoWeek\n[ ] Update the changelog" }],
    [
      "todo__todo_write",
      { content: "## Week picker\n- [x] Write a test\n- [-] Fix isoWeek\n- [ ] Update the changelog" },
    ],
    [
      "task_tracker",
      {
        command: "plan",
        task_list: [
          { title: "Write a test", status: "done" },
          { title: "Fix isoWeek", status: "in_progress" },
          { title: "Update the changelog", status: "todo" },
        ],
      },
    ],
  ])("reads the to-do list of %s", (toolName, input) => {
    const { summary } = summaryOf(new Conversation().user("Go.").tool(toolName, input, "Updated."));
    const todos = summary.openItems.filter(({ kind }) => kind === "todo");
    expect(todos.map(({ description, status }) => [description, status])).toEqual([
      ["Write a test", "done"],
      ["Fix isoWeek", "open"],
      ["Update the changelog", "open"],
    ]);
    expect(summary.toolOutcomes).toEqual([]);
  });

  it("takes a look at the to-do list for no empty list", () => {
    const { summary } = summaryOf(
      new Conversation()
        .user("Go.")
        .tool("task_tracker", { command: "plan", task_list: [{ title: "Write a test", status: "todo" }] }, "Updated.")
        .tool("task_tracker", { command: "view", task_list: [] }, "1. Write a test"),
    );
    expect(summary.openItems.map(({ description, status }) => [description, status])).toContainEqual([
      "Write a test",
      "open",
    ]);
  });
});

const outcomeLines = ({ toolOutcomes }: StructuredSummary): readonly string[] =>
  toolOutcomes.map((item) => renderItem("toolOutcomes", item).slice(2));

describe("outcomes of tools that touch no files and run no commands", () => {
  const told = (...calls: readonly (readonly [string, JsonValue, string | JsonValue])[]): readonly string[] => {
    const conversation = new Conversation().user("Help this customer.");
    for (const [toolName, input, output] of calls) conversation.tool(toolName, input, output);
    return outcomeLines(summaryOf(conversation).summary);
  };

  it("say what was changed, with lists and inner fields, and what came of it", () => {
    const input = { order_id: "#W23", item_ids: ["498"], new_item_ids: ["774"], payment_method_id: "card_95" };
    const result = { order_id: "#W23", status: "exchange requested", address: { street: "763 Broadway".repeat(20) } };
    expect(told(["exchange_items", input, JSON.stringify(result)])).toEqual([
      'exchange_items: success — item_ids=["498"] new_item_ids=["774"] order_id="#W23" payment_method_id="card_95" result={"status":"exchange requested"}',
    ]);
    const patch = { name: "resizer", patchData: { spec: { limits: { memory: "768Mi" } } } };
    expect(told(["kubectl_patch", patch, "deployment.apps/resizer patched"])[0]).toContain('"memory":"768Mi"');
    const mail = { to: "board@example.com", body: `ARR is 12.4M, churn is 1.9 %. ${"Best wishes. ".repeat(20)}` };
    expect(told(["gmail_send", mail, { id: "18c3", status: "sent" }])[0]).toMatch(/body="ARR is 12.4M.*"id":"18c3"/);
  });

  it("leave out of a long result what was given, and what says nothing of the call", () => {
    const result = { user: "yusuf", order: "#W23", paid_by: "card_95", price_difference: -13.46, status: "requested" };
    const output = { ...result, type: "one_way", items: ["long ".repeat(60)] };
    const input = { order_id: "#W23", card: "card_95" };
    expect(told(["exchange_items", input, output])[0]).toContain(
      'result={"price_difference":-13.46,"status":"requested"}',
    );
  });

  it("compare with calls made again whatever their arguments hold, also what has no text of its own", () => {
    const bare = [{ toString: null, valueOf: null }];
    const conversation = new Conversation()
      .user("Book it.")
      .tool("book_room", { room: bare, night: 3 }, "Error: the room is taken", "failure")
      .tool("book_room", { night: 3, room: bare }, "Booked.");
    expect(summaryOf(conversation).summary.toolOutcomes).toHaveLength(1);
  });

  it("say why a service refused, in its own words, and nothing of a call that went well when it was made again", () => {
    const patch = ["kubectl_patch", { name: "hpa", max: 8 }, { error: 'User "agent" cannot patch "hpa"' }] as const;
    expect(told(patch)[0]).toMatch(/failure — .* — User "agent" cannot patch "hpa"$/);
    expect(told(["refund", { id: 7 }, { error: { code: "E1", message: "Needs a credit note" } }])[0]).toMatch(
      / — Needs a credit note$/,
    );
    expect(
      told(patch, ["kubectl_patch", { max: 9, name: "hpa" }, "patched"], ["kubectl_patch", patch[1], "patched"]),
    ).toEqual([
      'kubectl_patch: success — max=9 name="hpa" result="patched"',
      'kubectl_patch: success — max=8 name="hpa" result="patched"',
    ]);
  });

  it("name what is where in a long record by whole fields", () => {
    const variants = Array.from({ length: 40 }, (_, index) => [
      `77${index}0411${index}`,
      { item_id: `77${index}0411${index}`, options: { size: "full", switch: "clicky" }, price: 100 + index },
    ]);
    const conversation = new Conversation()
      .user("Which keyboards are there?")
      .tool("get_product", { product_id: "165" }, JSON.stringify({ variants: Object.fromEntries(variants) }));
    const lines = summaryOf(conversation).summary.identifiers.flatMap(({ where, text }) =>
      where === undefined ? [] : text,
    );
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line.replace(/^… | …$/g, "")).toMatch(/^[{"].*["\d}\]]$/);
  });

  it("name what was only looked at together, a line for each tool, and keep the newest over folds", () => {
    const look = (id: string) => ["get_order", { order_id: id }, { items: ["long ".repeat(60)] }] as const;
    const change = ["cancel_order", { order_id: "#W5" }, { status: "cancelled" }] as const;
    const route = (to: string) => ["search_flight", { to, on: "May 24" }, { flights: ["x ".repeat(90)] }] as const;
    expect(told(look("#W1"), route("BOS"), look("#W2"), change, route("JFK"))).toEqual([
      'get_order: success — order_id=["#W1","#W2"]',
      'search_flight: success — on, to=["May 24, BOS","May 24, JFK"]',
      'cancel_order: success — order_id="#W5" result={"status":"cancelled"}',
    ]);
    const conversation = new Conversation().user("Help this customer.");
    for (let order = 0; order < 12; order++) conversation.tool(...look(`#W${order}`));
    const lines = outcomeLines(foldAt(conversation, [9, 17, 25]).at(-1) as StructuredSummary);
    expect(lines).toEqual(['get_order: success — order_id=["#W4","#W5","#W6","#W7","#W8","#W9","#W10","#W11"]']);
  });

  it("show a program or a query by its telling lines with what it printed last", () => {
    const code = "import pandas as pd\n# load\ndf = pd.read_csv('churn.csv')\nprint(auc(df))";
    expect(told(["execute_python", { code }, "rows 48213\n0.8231"])).toEqual([
      "`df = pd.read_csv('churn.csv') … print(auc(df))` → 0.8231",
    ]);
    const query = `create table sandbox.orders as select o.customer_id, o.order_id from sales.orders o where o.code = 'A'`;
    expect(told(["execute_sql", { query }, { status: "created" }])[0]).toMatch(
      /^`create table sandbox\.orders as select .*` → \{"status":"created"\}$/,
    );
    expect(told(["execute_sql", { query: "delete from t where refunded" }, { rows_affected: 611 }])).toEqual([
      '`delete from t where refunded` → {"rows_affected":611}',
    ]);
  });

  it.each<[string, JsonValue, string | JsonValue]>([
    ["browser_select_option", { element: "Cost center" }, "### Result\nError: locator.selectOption: Timeout 5000ms."],
    ["execute_sql", { query: "grant select on t to r" }, "SQL access control error: Insufficient privileges on 'T'."],
    ["execute_sql", { query: "select a from t" }, "ERROR 1054 (42S22): Unknown column 'a' in 'field list'"],
    [
      "execute_python",
      { code: "fit(x)\nfit(y)" },
      `${"-".repeat(75)}\nValueError   Traceback (most recent call last)\nCell In[4], line 6\n----> 6 fit(y)\n\nValueError: could not convert '2022'`,
    ],
    ["run_cell", { code: "search()" }, "KeyboardInterrupt: execution timed out after 300 s"],
    ["calendar_update_event", { event_id: "e1" }, { status: "conflict", conflicts: [{ id: "b2" }] }],
    ["book_table", { party: 4 }, { success: false, reason: "No table for 4 at 19:30" }],
    ["fetch_page", { url: "https://a.example" }, "Request failed with status code 403"],
    ["fetch_page", { url: "https://a.example" }, "%PDF error: 403 Forbidden"],
    ["delegate_task", { agent: "legal", task: "Check JP" }, "Error: sub-agent exceeded its budget"],
  ])("are failures when the result says so: %s", (toolName, input, output) => {
    expect(told([toolName, input, output])[0]).toMatch(/failure — /);
  });

  it.each<[string, JsonValue, string | JsonValue]>([
    [
      "kubectl_describe",
      { name: "pod-1" },
      `Name: pod-1\nLast State: Terminated\n  Exit Code: 137\n${"env: x\n".repeat(9)}`,
    ],
    ["get_logs", { lines: 3 }, "[09:10] PHP Fatal error: Too many connections\n[09:11] ok"],
    ["web_search", { query: "rust errors" }, "Error handling in Rust: a guide\nhttps://a.example"],
    ["get_build", { id: 7 }, { id: 7, status: "failed", log: "x ".repeat(200) }],
    ["get_order", { id: 7 }, { id: 7, status: "cancelled" }],
  ])("are none when it only shows that something else failed: %s", (toolName, input, output) => {
    expect(told([toolName, input, output]).join("\n")).not.toContain("failure");
  });
});

describe("the same run in other words", () => {
  type Told = readonly (readonly [command: string, output: string, exitCode?: number])[];
  const open = (...runs: Told): readonly string[] => {
    const conversation = new Conversation().user("Go.");
    for (const [command, output, exitCode] of runs) conversation.bash(command, output, exitCode);
    const { errors } = summaryOf(conversation).summary;
    return errors.flatMap(({ error, resolution }) => (resolution === null ? [error.split(":")[0] as string] : []));
  };
  const NO_PYTHON = "bash: python: command not found";
  const NO_PYTEST = "/usr/bin/python3: No module named pytest";

  it.each<readonly [string, Told]>([
    [
      "another version of its interpreter",
      [
        ["python bench.py", NO_PYTHON, 127],
        ["python3 bench.py", "done"],
      ],
    ],
    [
      "its interpreter by a path",
      [
        ["python3 bench.py", "ModuleNotFoundError: No module named 'torch'", 1],
        [".venv/bin/python bench.py", "done"],
      ],
    ],
    [
      "a module of its interpreter",
      [
        ["/usr/bin/python3 -m pytest tests/test_cart.py", NO_PYTEST, 1],
        ["pytest -q tests/test_cart.py", "2 passed in 0.1s"],
      ],
    ],
    [
      "a script by its whole path",
      [
        ["python /home/me/shop/.bench/run.py", "ValueError: no cart", 1],
        ["cd /home/me/shop && python ./.bench/run.py", "done"],
      ],
    ],
    [
      "a long path, shortened to its end",
      [
        [`python /home/${"deep/".repeat(20)}.bench/run.py`, "ValueError: no cart", 1],
        ["python .bench/run.py", "done"],
      ],
    ],
    [
      "another message of a commit",
      [
        ["git commit -m 'Add a cart'", "error: gpg failed to sign the data", 128],
        ["git commit -m 'Add a cart' -m 'It holds items.'", "[main 1a2b3c4] Add a cart\n 1 file changed"],
      ],
    ],
  ])("settles what failed before: %s", (_, runs) => {
    expect(open(...runs.slice(0, 1))).toHaveLength(1);
    expect(open(...runs)).toEqual([]);
  });

  it("has one outcome, except for commits that went well", () => {
    const outcomes = (...runs: Told): readonly unknown[] => {
      const conversation = new Conversation().user("Go.");
      for (const [command, output, exitCode] of runs) conversation.bash(command, output, exitCode);
      return summaryOf(conversation).summary.toolOutcomes.map(({ keyFields }) => keyFields["command"]);
    };
    expect(outcomes(["python bench.py", NO_PYTHON, 127], ["python3 bench.py", "done"])).toEqual(["python3 bench.py"]);
    const commits: Told = [
      ["git commit -m 'Add a cart'", "[main 1a2b3c4] Add a cart\n 1 file changed"],
      ["git commit -m 'Add tax'", "[main 2a2b3c4] Add tax\n 1 file changed"],
    ];
    expect(outcomes(...commits)).toEqual(["git commit -m Add a cart", "git commit -m Add tax"]);
  });

  it("tells only of its newest error", () => {
    expect(
      open(
        ["python bench.py", NO_PYTHON, 127],
        ["python3 bench.py", "ModuleNotFoundError: No module named 'torch'", 1],
      ),
    ).toEqual(["`python3 bench.py`"]);
  });

  it.each<readonly [string, Told]>([
    [
      "the same file of another folder",
      [
        ["python a/run.py", "ValueError: no cart", 1],
        ["python b/run.py", "done"],
      ],
    ],
    [
      "the same whole path of another folder",
      [
        ["python /a/run.py", "ValueError: no cart", 1],
        ["python /b/run.py", "done"],
      ],
    ],
    [
      "another interpreter",
      [
        ["ruby run", "no cart (RuntimeError)", 1],
        ["python run", "done"],
      ],
    ],
    [
      "another argument",
      [
        ["python run.py --fast", "ValueError: no cart", 1],
        ["python run.py --slow", "done"],
      ],
    ],
  ])("is not %s", (_, runs) => {
    expect(open(...runs)).toHaveLength(1);
  });

  it("that fails again in other words settles nothing that it passed before", () => {
    const conversation = new Conversation()
      .user("Go.")
      .bash("pytest tests/test_cart.py", "FAILED tests/test_cart.py::test_add - assert 1 == 2\n1 failed in 0.1s", 1)
      .bash("pytest tests", "3 passed in 0.1s")
      .bash(
        "python -m pytest tests",
        "FAILED tests/test_tax.py::test_rate - assert 1 == 2\n1 failed, 2 passed in 0.1s",
        1,
      );
    const [, second] = foldAt(conversation, [3, 7]);
    const before = second?.errors.find(({ error }) => error.includes("test_cart.py"));
    expect([before?.resolution, second?.errors.length]).toEqual([null, 2]);
  });

  it("settles what failed in an earlier fold, and what its newest error took the place of", () => {
    const conversation = new Conversation()
      .user("Go.")
      .bash("python bench.py", NO_PYTHON, 127)
      .bash("python3 check.py", "ValueError: no cart", 1)
      .bash("python3 bench.py", "ModuleNotFoundError: No module named 'torch'", 1)
      .bash("/usr/bin/python3 check.py", "done");
    const [first, second] = foldAt(conversation, [5, 9]);
    const failed = (summary?: StructuredSummary) =>
      summary?.toolOutcomes.flatMap(({ outcome, keyFields }) => (outcome === "failure" ? [keyFields["command"]] : []));
    expect(failed(first)).toEqual(["python bench.py", "python3 check.py"]);
    expect(failed(second)).toEqual(["python3 bench.py"]);
    const told = (summary?: StructuredSummary) =>
      summary?.errors.map(({ error, resolution }) => `${error} → ${resolution}`);
    expect(told(first)).toHaveLength(2);
    expect(told(second)).toEqual([
      "`python3 check.py`: ValueError: no cart → succeeded later",
      "`python3 bench.py`: ModuleNotFoundError: No module named 'torch' → null",
    ]);
  });
});

describe("an error of a script that was deleted", () => {
  it("says so, as nothing can run it again", () => {
    const conversation = new Conversation()
      .user("Go.")
      .tool("Write", { file_path: "reproduce.py", content: "raise ValueError('no cart')\n" }, "File created.")
      .bash("python reproduce.py", "ValueError: no cart", 1)
      .bash("rm reproduce.py", "");
    expect(summaryOf(conversation).summary.errors).toMatchObject([
      { error: "`python reproduce.py`: ValueError: no cart", resolution: "reproduce.py was deleted" },
    ]);
  });
});

describe("an error of a script that was moved", () => {
  it("stays, as it was not deleted", () => {
    const conversation = new Conversation()
      .user("Go.")
      .bash("python reproduce.py", "ValueError: no cart", 1)
      .bash("mv reproduce.py scratch/reproduce.py", "");
    expect(summaryOf(conversation).summary.errors).toMatchObject([{ resolution: null }]);
  });
});

describe("a file that was only looked for", () => {
  const looked = new Conversation()
    .user("Where is the tax computed?")
    .tool("Read", { file_path: "/shop/src/tax.ts" }, "File does not exist.", "failure");

  it("is not called an unsolved problem", () => {
    expect(summaryOf(looked).text).toContain("Read /shop/src/tax.ts: File does not exist. → only looked for");
  });

  it("is forgotten once it is found, in the same fold or a later one", () => {
    const found = new Conversation()
      .user("Where is the tax computed?")
      .tool("Read", { file_path: "/shop/src/tax.ts" }, "File does not exist.", "failure")
      .tool("Read", { file_path: "/shop/lib/tax.ts" }, "export const tax = 0.19;");
    expect(summaryOf(found).summary.errors).toEqual([]);
    const [first, second] = foldAt(found, [3, 5]);
    expect([first?.errors.length, second?.errors.length]).toEqual([1, 0]);
  });
});

describe("a command whose exit code is that of something behind it", () => {
  const outcome = (command: string, output: string): unknown =>
    summaryOf(new Conversation().user("Go.").bash(command, output)).summary.toolOutcomes[0]?.outcome;
  const BROKEN = "cc cart.c\nmake: *** [Makefile:3: cart.o] Error 1";

  it.each(["make || true", "make 2>&1 | tail -5", "make; echo finished", "make || echo 'did not build'"])(
    "failed if it says so: %s",
    (command) => {
      expect(outcome(command, BROKEN)).toBe("failure");
      expect(outcome(command, "cc cart.c")).toBe("success");
      expect(outcome(command, "cart.c:7:2: error: expected ';'\nmake: *** [cart.o] Error 1")).toBe("failure");
    },
  );

  it.each([
    ["make", BROKEN],
    ["make && ls", BROKEN],
    ["make || exit 1", BROKEN],
    ["set -o pipefail; make | tail -5", BROKEN],
    ["set -e\nmake\necho built", BROKEN],
    ["make 2>&1 | tail -1; cat build.log", BROKEN],
    ["grep -rn error: docs; make | tail -1", BROKEN],
    ["npx vitest run || true", "Error: made on purpose\n      Tests  3 passed (3)"],
  ])("is believed where it is its own, or where a report says what came of it: %s", (command, output) => {
    expect(outcome(command, output)).toBe("success");
  });
});
