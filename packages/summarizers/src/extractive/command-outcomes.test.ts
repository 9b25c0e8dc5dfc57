import { describe, expect, it } from "vitest";
import { Conversation, summaryOf } from "../testing/conversation.ts";

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
  ])("is not taken for one: %s", (command, output, exitCode, outcome) => {
    const [[found, said]] = told([command, output, exitCode]) as [[string, string | null]];
    expect(found).toBe(outcome);
    expect(said ?? "").not.toContain("found nothing");
    expect(said ?? "").not.toBe("nothing found");
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

  const SHOWN =
    "[File: src/fields.py (1997 lines total)]\n(1373 more lines above)\n1374:def _serialize_delta(self, value):\n1375:  base_unit = timedelta_of_unit(self)\n1380:def _bind_to_schema(self, field_name):";

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
