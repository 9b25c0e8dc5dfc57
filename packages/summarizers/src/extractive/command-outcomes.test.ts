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

describe("what an editor says of itself", () => {
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
