import type { JsonValue } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { Conversation, summaryOf } from "../testing/conversation.ts";

const HANDOFF = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:
## Root cause
ToRelativePath rejects every path that starts with two dots, because the hook takes the working directory for the root of the repository.
## Decisions
- We keep the shadow branches and fix the root instead of the filter.
- The go-git change stays out of this branch, since it was made for the wrong reason.
## Next steps
1. Check checkCanRewindWithWarning for the same mistake.
2. Write a test with sibling directories before anything is committed.
Please continue the conversation from where we left it off without asking the user any further questions.`;

describe("H5: what somebody wrote down already", () => {
  it("stands in the summary word for word: a handoff in the log, without what its harness says of the conversation", () => {
    const { text } = summaryOf(new Conversation().user(HANDOFF, "compaction").agent("I go on with the next step."));
    for (const line of [
      "ToRelativePath rejects every path that starts with two dots, because the hook takes the working directory for the root of the repository.",
      "We keep the shadow branches and fix the root instead of the filter.",
      "The go-git change stays out of this branch, since it was made for the wrong reason.",
      "Check checkCanRewindWithWarning for the same mistake.",
      "Write a test with sibling directories before anything is committed.",
    ])
      expect(text).toContain(line);
    expect(text).not.toMatch(/being continued|Please continue/);
  });

  it.each([
    ["Analysis:", "Summary:", ""],
    ["<analysis>", "</analysis>\n\n<summary>", "</summary>"],
  ])("is told without the draft that its writer made for it: %s", (opened, closed, end) => {
    const draft = "Let me go through the conversation: the user asked about relative paths, and I read hooks.go first.";
    const handoff = HANDOFF.replace("## Root cause", `${opened}\n${draft}\n\n${closed}\n## Root cause`) + end;
    const { text } = summaryOf(new Conversation().user(handoff, "compaction").agent("I go on with the next step."));
    expect(text).toContain("Check checkCanRewindWithWarning for the same mistake.");
    expect(text).not.toContain("the user asked about relative paths");
  });

  it("says under which title each of its lines stands, however short they are", () => {
    const handoff = `## Goal
Ship the cart.

## Progress
### Done
- [x] Added the parser
- [x] Wrote tests
### Blocked
- (none)

**Next steps:**
1. Run \`npm test\`
2. Fix lint

7. Pending Tasks:
   - The docs.
<open_questions>
Which port?
</open_questions>`;
    const { text } = summaryOf(new Conversation().user(handoff, "compaction").agent("I go on with the next step."));
    expect(text).toContain(
      [
        "- (handoff) Goal: Ship the cart.",
        "  Progress: Done: [x] Added the parser",
        "  [x] Wrote tests",
        "  Blocked: (none)",
        "  Next steps: Run `npm test`",
        "  Fix lint",
        "  Pending Tasks: The docs.",
        "  open questions: Which port?\n",
      ].join("\n"),
    );
  });

  it("says under which tag each of its lines stands, where harnesses write tags for titles", () => {
    const handoff = `<state_snapshot>
    <overall_goal>
        Ship the cart.
    </overall_goal>
    <current_plan>
        1. [DONE] Read it.
        2. Release
    </current_plan>
</state_snapshot>`;
    const { text } = summaryOf(new Conversation().user(handoff, "compaction").agent("I go on with the next step."));
    expect(text).toContain("- (handoff) overall goal: Ship the cart.\n  current plan: [DONE] Read it.\n  Release\n");
  });

  it("begins with what an agent that was sent out reports, and not with that it knows enough now", () => {
    for (const opening of [
      "Now I have gathered comprehensive information. I have a full picture now.",
      "Perfect! Now I have gathered comprehensive information. Let me create a detailed summary:",
    ]) {
      const report = `${opening}\n\n## Keys\nThey are minted in routes/keys.ts.`;
      const { text } = summaryOf(
        new Conversation().user("Look into it.").tool("task", { description: "Find keys", prompt: "…" }, report),
      );
      expect(text).toContain("- (sub-agent) Keys: They are minted in routes/keys.ts.");
    }
  });

  it("goes before what the steps say where room is short", () => {
    const conversation = new Conversation().user(HANDOFF, "compaction");
    for (let step = 0; step < 40; step++)
      conversation.agent(`The ${step}th look at module number ${step} showed that nothing of interest happens there.`);
    expect(summaryOf(conversation, { maxTokens: 400 }).text).toContain("fix the root instead of the filter");
  });

  it("is the report of an agent that was sent out", () => {
    const report =
      '<task id="t1" state="completed">The free key is minted in routes/keys.ts, behind the owner\'s flag.\nNo other route mints keys.';
    const { text } = summaryOf(
      new Conversation().user("Look into it.").tool("task", { description: "Find the routes", prompt: "…" }, report),
    );
    expect(text).toContain(
      "(sub-agent) The free key is minted in routes/keys.ts, behind the owner's flag.\n  No other route mints keys.",
    );
  });

  it("is the reports of several agents alike, however little room there is", () => {
    const conversation = new Conversation().user("Look into it.");
    for (const part of ["billing", "catalogue", "delivery", "identity"])
      conversation.tool(
        "task",
        { description: `Read ${part}`, prompt: "…" },
        `<task state="completed">The ${part} module keeps its state in ${part}/store.ts.\n${Array.from({ length: 40 }, (_, at) => `Function ${part}${at} reads table${at * 7} and writes queue${at * 13} of ${part}.`).join("\n")}`,
      );
    const { text } = summaryOf(conversation, { maxTokens: 600 });
    for (const part of ["billing", "catalogue", "delivery", "identity"])
      expect(text).toContain(`keeps its state in ${part}/store.ts`);
  });

  it("keeps the rows of a table whole and leaves out the rule above them", () => {
    const report = `These files hold the gates of the station:
| File | What stands in it |
|------|-------------------|
| gates/north.ts | Opens the gate at six. It is shut at nine. |
| gates/south.ts | Opens the other gate whenever somebody rings. |`;
    const { text } = summaryOf(
      new Conversation().user("Look into it.").tool("task", { description: "Find the gates", prompt: "…" }, report),
    );
    expect(text).toContain("\n  | gates/south.ts | Opens the other gate whenever somebody rings. |");
    expect(text).toContain("\n  … | gates/north.ts | Opens the gate at six. It is shut at nine. |");
    expect(text).not.toMatch(/---|What stands in it/);
  });

  it("keeps the asterisks of a glob and of an argument, and loses those of emphasis", () => {
    const said =
      "Skills are read from `~/.agent/skills/**/SKILL.md` by **every** host.\n\nThe call passes **options on, and 2 ** 8 stays.";
    const { text } = summaryOf(new Conversation().user("Look.").agent(said).user("Go on with the next part."));
    expect(text).toContain("Skills are read from `~/.agent/skills/**/SKILL.md` by every host.");
    expect(text).toContain("The call passes **options on, and 2 ** 8 stays.");
  });

  it("leaves out what was announced in earlier turns and names nothing; what names something stays", () => {
    const conversation = new Conversation()
      .user("Look around.")
      .agent("You're right, let me look at the other folder first.");
    conversation.bash("ls", "src").agent("Let me see what `openStore` does with it.").bash("cat src/store.ts", "x");
    const { text: now } = summaryOf(conversation);
    expect(now).toContain("let me look at the other folder first.");
    const { text } = summaryOf(conversation.user("Now the checkout.").agent("The checkout stands in pay.ts."));
    expect(text).not.toContain("let me look at the other folder first.");
    expect(text).toContain("Let me see what `openStore` does with it.");
  });

  it.each([
    "I start with the map of the house and then read the folder of plans.",
    "I look at the failures and at what changed, side by side.",
    "First the code that the test is about.",
    "And then everything that may still change a message.",
    "Now who calls it, and what its tests promise.",
    "The command itself comes first.",
  ])("leaves out what says only where its speaker turns to: %s", (said) => {
    expect(toldLater(said)).not.toContain(said);
  });

  it.each([
    "Now the check that failed before works without a network.",
    "Now the tests fail in the lexer, and nowhere else.",
    "First the parser drops the comment, and the lexer sees none.",
    "I looked at the failures: all of them come from one import.",
    "Now what `openStore` returns.",
  ])("keeps what begins like that and says more: %s", (said) => {
    expect(toldLater(said)).toContain(said);
  });

  it("is told once: what came of a request is no finding beside it", () => {
    const conversation = new Conversation().user("Add a cart.").agent("The cart keeps its items in local storage.");
    const { text } = summaryOf(conversation.user("Now the checkout."));
    expect(text.split("The cart keeps its items in local storage.")).toHaveLength(2);
  });

  it("is quoted once, however often it was said in one message", () => {
    const said =
      "The filter icon opens the panel.\n- The filter icon opens the panel.\n- The export icon saves a file.";
    const conversation = new Conversation().user("Add a toolbar.").agent(said).user("Now the checkout.");
    const { summary } = summaryOf(conversation);
    const quotes = [...summary.openItems.map(({ context }) => context), ...summary.facts.map(({ text }) => text)];
    expect(quotes.join(" ")).toContain("The export icon saves a file.");
    for (const quote of quotes) expect(quote.split("The filter icon opens the panel.").length - 1).toBeLessThan(2);
  });

  it("is no answer when the harness only says that nothing was asked", () => {
    const conversation = new Conversation().user("Set up the shop.").agent("Done. The shop is set up.");
    conversation.user("Add a cart to it.").agent("The cart is there, with tests.").user("/exit");
    const { text } = summaryOf(conversation.agent("No response requested.").user("Now add the checkout."));
    expect(text).toContain("The cart is there, with tests.");
    expect(text).not.toContain("No response requested");
  });
});

/** What a summary tells of a turn in which the agent said this, when the next turn is over. */
const toldLater = (said: string): string => {
  const conversation = new Conversation().user("Look around.").agent(said).bash("ls src", "cart.ts");
  conversation.agent("The cart stands in cart.ts.").user("Now the checkout.").agent("The checkout stands in pay.ts.");
  return summaryOf(conversation).text;
};

describe("H5: what only looks like a fact", () => {
  it("is no created file: a comment with an arrow, a script that looks like a path", () => {
    const { summary } = summaryOf(
      new Conversation()
        .user("Go.")
        .bash("# config -> utils/config\n# core/messages > core/oauth\nls", "x")
        .bash("sed 's/main-new/main/g' src/a.ts", "x")
        .bash("sed -i -e 's/one/two/' src/b.ts", "")
        .bash("awk '/src/lib/ {print}' src/c.ts && awk '/src/lib/ {print}' src/c.ts", "x"),
    );
    expect(summary.files.map(({ action, path }) => `${action} ${path}`).sort()).toEqual([
      "modified src/b.ts",
      "read src/c.ts",
    ]);
  });

  it("is one file under one spelling, over folds, too", () => {
    const edit = (path: string) => [{ file_path: path, old_string: "a", new_string: "resetCursor()" }, "ok"] as const;
    const first = summaryOf(
      new Conversation()
        .user("Go.")
        .tool("edit", ...edit("src/mode/interactive.ts"))
        .tool("edit", ...edit("./src/mode/interactive.ts"))
        .tool("edit", ...edit("/home/dev/project/src/mode/interactive.ts")),
    ).summary;
    expect(first.files).toMatchObject([{ path: "/home/dev/project/src/mode/interactive.ts", changes: 3 }]);
    const again = new Conversation().user("On.").tool("edit", ...edit("src/mode/interactive.ts"));
    expect(summaryOf(again, { previous: first }).summary.files).toMatchObject([
      { path: "/home/dev/project/src/mode/interactive.ts", changes: 4, changed: ["resetCursor"] },
    ]);
  });
});

describe("names", () => {
  it("stand in the line of their source, under the file or command that showed it", () => {
    const code = "import { x } from 'y';\nexport function normalizePlan(plan: CompactionPlan): PlanRecords {\n}\n";
    const { text } = summaryOf(
      new Conversation()
        .user("Explain it.")
        .tool("read", { path: "src/plan/normalize.ts" }, code)
        .bash(
          "grep -rn ROUNDS src",
          "src/plan/limits.ts:12:const MAX_ROUNDS = 8;\nsrc/plan/other.ts:3:// nothing more of it here",
        ),
    );
    expect(text).toContain(
      "- src/plan/normalize.ts:\n  export function normalizePlan(plan: CompactionPlan): PlanRecords {",
    );
    expect(text).toContain("- src/plan/limits.ts:\n  const MAX_ROUNDS = 8;");
  });

  it("of a long listing are its names, side by side, without owner, size and time", () => {
    const names = Array.from({ length: 12 }, (_, index) => `notes_of_module_${index}.md`);
    const listing = names.map((name, index) => `-rw-r--r-- 1 root root ${9_336 + index} Apr 30 08:32 ${name}`);
    const { text } = summaryOf(new Conversation().user("Look around.").bash("ls -l docs", listing.join("\n")));
    expect(text).toContain("- `ls -l docs`:\n  notes_of_module_0.md, notes_of_module_1.md, notes_of_module_2.md,");
    for (const name of names) expect(text).toContain(name);
    expect(text).not.toContain("08:32");
  });
});

/** The work of an agent on a machine whose paths begin with `root` and have `slash`. */
function workOn(root: string, slash: string): string {
  const at = (path: string): string => path.replace(/^\//, () => `${root}/`).replaceAll("/", slash);
  const source = "export const TAX_RATE = 0.19;\nexport function totalOf(cart: Cart): number {\n  return 0;\n}";
  const { text } = summaryOf(
    new Conversation()
      .user("Carts with a coupon have a wrong total. Find out why.")
      .tool("read_file", { path: at("/shop/src/cart.ts") }, source)
      .tool(
        "read_file",
        { path: at("/shop/src/coupon.ts") },
        "export function applyCoupon(cart: Cart, code: string) {}",
      )
      .bash(`cat ${at("/shop/src/checkout/tax.ts")}`, "export const TAX_TABLE = new Map();")
      .tool(
        "str_replace",
        { path: at("/shop/src/cart.ts"), old_str: "return 0;", new_str: "return sumOf(cart.lines) * TAX_RATE;" },
        "Edited.",
      )
      .bash(`python ${at("tools/check_totals.py")}`, "12 totals are right")
      .bash(`rm ${at("/shop/src/checkout/old-tax.ts")}`, "")
      .bash(
        `${at("./scripts/test.sh")} --all`,
        `3 failed\n${at("/shop/src/coupon.ts")}:4:7: applyCoupon returns nothing`,
        1,
      )
      .agent("The coupon is applied before the tax, which is the cause."),
  );
  return text;
}

describe("the words of the tools themselves", () => {
  it("are no names that somebody could need, alone or with a line", () => {
    const shown =
      "   1\tconst str_replace = old_str(in_progress, replace_all);\n   2\tconst netTotal = sumOf(cart_rows);\n";
    const editor = (command: string, fields: object) => ({ command, path: "src/cart.ts", ...fields });
    const conversation = new Conversation()
      .user("Round the total of the cart, and keep the tests green while you do it.")
      .tool("TodoWrite", { todos: [{ content: "Round it", status: "in_progress", activeForm: "Rounding" }] }, "ok")
      .tool("str_replace_editor", editor("view", { replace_all: false }), shown)
      .agent("The rate is missing in the tax, which is why the totals differ.");
    for (let step = 0; step < 3; step++)
      conversation.tool(
        "str_replace_editor",
        editor("str_replace", { old_str: "taxOf(total)", new_str: `taxOf(total, rate_${step}_of_tax)` }),
        "done",
      );
    const { summary } = summaryOf(conversation.agent("The tax is taken with the rate now."));
    expect(summary.identifiers.map(({ text }) => text)).toEqual(["const netTotal = sumOf(cart_rows);"]);
  });

  it("are not the words of a command, which may be a program of the project", () => {
    const conversation = new Conversation()
      .user("Round the total of the cart, and keep the tests green while you do it.")
      .tool("bash", { command: "round_totals" }, "done")
      .tool("read", { path: "Makefile" }, "all: build\n\tround_totals --quietly\n")
      .agent("The rate is missing in the tax, which is why the totals differ.");
    for (let step = 0; step < 80; step++)
      conversation.tool("bash", { command: `cat part_${step}.txt` }, `the ${step}th part says nothing`);
    const { summary } = summaryOf(conversation.agent("All parts are read."), { maxTokens: 700 });
    expect(JSON.stringify(summary.identifiers)).toContain("round_totals");
  });
});

describe("paths of Windows", () => {
  it("are told as those of other systems, and so is the work on them", () => {
    const told = workOn("/home/me", "/");
    for (const line of [
      "- /home/me/shop/src/cart.ts (modified): sumOf",
      "- /home/me/shop/src/checkout/old-tax.ts (deleted)",
      "- `python tools/check_totals.py` → 12 totals are right",
      "- `./scripts/test.sh --all` → failure (exit 1) — 3 failed",
      "- /home/me/shop/src/cart.ts:\n  export function totalOf(cart: Cart): number {",
    ])
      expect(told).toContain(line);
    const windows = workOn("C:\\me\\work", "\\");
    // Paths that stand nowhere else are found by their slashes.
    const [work] = told.split("\n## Identifiers seen");
    expect(windows.replaceAll("\\", "/").replaceAll("C:/me/work", "/home/me")).toBe(work);
  });
});

describe("a file that a harness puts beside what a user typed", () => {
  const BODY = "export function roundedTotal(cart: Cart): number {\n  return 0;\n}\n";
  const CONTENT = "--- Content from referenced files ---";
  const asked = "Round the total in @src/cart.ts, please.";

  it.each([
    ["a part of its own", [asked, `<file_content path="/shop/src/cart.ts">\n${BODY}</file_content>`]],
    ["below the words", [`${asked}\n\n<file_content path="/shop/src/cart.ts">\n${BODY}</file_content>`]],
    [
      "two of them",
      [
        `${asked}\n<file_content path="a.md">\n# Notes\n</file_content>\n<file_content path="/shop/src/cart.ts">\n${BODY}</file_content>`,
      ],
    ],
  ])("is named by its path: %s", (_, parts) => {
    const { text, summary } = summaryOf(new Conversation().userParts(...parts).agent("I round it."));
    expect(summary.originalTask?.text).toBe(asked);
    expect(text).toContain("- /shop/src/cart.ts:\n  export function roundedTotal(cart: Cart): number {");
    expect(text).not.toContain("notes in the log");
    expect(text).not.toContain("file_content");
  });

  it.each([
    ["Gemini CLI", `\n${CONTENT}\nContent from @/shop/src/cart.ts:\n${BODY}\n--- End of content ---`],
    ["Claude Code", `/shop/src/cart.ts\n\n${BODY}`],
  ])("is named by its path where the harness says it itself: %s", (_, said) => {
    const { text } = summaryOf(new Conversation().user(asked).user(said, "harness").agent("I round it."));
    expect(text).toContain("- /shop/src/cart.ts:\n  export function roundedTotal(cart: Cart): number {");
    expect(text).not.toMatch(/notes in the log|End of content/);
  });

  it("is named by its path where Gemini CLI gives it a part of its own", () => {
    const heading = `${CONTENT}\nContent from @/shop/src/cart.ts:\n`;
    const texts = [heading, BODY, "\nContent from @b.md:\n", "# Notes of the shop", "\n--- End of content ---"];
    const { messages } = new Conversation().user(asked).user(heading, "harness").agent("I round it.");
    const inParts = messages.map((message) =>
      message.origin === "harness"
        ? { ...message, parts: texts.map((text) => ({ type: "text" as const, text })) }
        : message,
    );
    const { text } = summaryOf(inParts);
    expect(text).toContain("- /shop/src/cart.ts:\n  export function roundedTotal(cart: Cart): number {");
    expect(text).not.toMatch(/notes in the log|End of content/);
  });

  it("is none where a user's own words begin with a path", () => {
    const { summary } = summaryOf(new Conversation().user("README.md\n\nShorten it.").agent("Done."));
    expect(summary.originalTask?.text).toBe("README.md\n\nShorten it.");
    expect(summary.files).toEqual([]);
  });
});

describe("a line with nothing in it but a tag", () => {
  it("is not where its name stands", () => {
    const diff = "<example_optimization_diff>\nindex 9de233896..b7bb2affc 100644\n</example_optimization_diff>";
    const { summary } = summaryOf(new Conversation().user("Speed it up.").tool("read", { path: "task.md" }, diff));
    const lines = summary.identifiers.flatMap(({ where, text }) => (where === undefined ? [] : [text]));
    expect(lines).toEqual(["index 9de233896..b7bb2affc 100644"]);
  });
});

describe("a file that was deleted", () => {
  const lines = (conversation: Conversation) =>
    summaryOf(conversation).summary.identifiers.flatMap(({ where, text }) => (where === undefined ? [] : [text]));
  const shown = () =>
    new Conversation()
      .user("Remove the start command.")
      .tool("Read", { file_path: "/cli/start.go" }, "func runStartCommand() error {")
      .tool(
        "Grep",
        { pattern: "start" },
        "cli/start.go:14:\tstartSettings := loadSettings()\ncli/root.go:9:\taddCommand(newStartCmd)",
      );

  it("has no lines any more", () => {
    expect(lines(shown().bash("rm cli/start.go", ""))).toEqual(["addCommand(newStartCmd)"]);
    const patch = "*** Begin Patch\n*** Delete File: cli/start.go\n*** End Patch";
    expect(lines(shown().tool("apply_patch", { input: patch }, "Done!"))).toEqual(["addCommand(newStartCmd)"]);
  });

  it.each([
    [
      "was not deleted after all",
      (seen: Conversation) => seen.bash("rm cli/start.go", "rm: cli/start.go: Permission denied", 1),
    ],
    ["is put back", (seen: Conversation) => seen.bash("rm cli/start.go", "").bash("git checkout -- cli/start.go", "")],
    ["got another name", (seen: Conversation) => seen.bash("git mv cli/start.go cli/begin.go", "")],
  ])("has its lines where it %s", (_, then) => {
    expect(lines(then(shown()))).toHaveLength(3);
  });

  it("has those that were shown when it was made again", () => {
    const again = shown()
      .bash("rm cli/start.go", "")
      .tool("Read", { file_path: "/cli/start.go" }, "func beginCommand() {");
    expect(lines(again)).toEqual(["func beginCommand() {", "addCommand(newStartCmd)"]);
  });
});

describe("the lines that a search found", () => {
  const lines = (toolName: string, input: JsonValue, found: string) =>
    summaryOf(new Conversation().user("Where is it?").tool(toolName, input, found)).summary.identifiers.flatMap(
      ({ where, at, text }) => (where === undefined ? [] : [[where, at, text]]),
    );
  const HITS = [
    ["/shop/src/cart.ts", 56, "export const roundedTotal = 0;"],
    ["/shop/src/list.ts", 8, "import { openSearchBox };"],
  ];

  it.each([
    [
      "OpenCode",
      "Found 2 matches\n/shop/src/cart.ts:\n  Line 56: export const roundedTotal = 0;\n\n/shop/src/list.ts:\n  Line 8: import { openSearchBox };",
    ],
    [
      "Gemini CLI",
      "Found 2 matches\n---\nFile: /shop/src/cart.ts\nL56: export const roundedTotal = 0;\n---\nFile: /shop/src/list.ts\nL8: import { openSearchBox };\n---",
    ],
    [
      "ripgrep",
      "/shop/src/cart.ts\n56:export const roundedTotal = 0;\n\n/shop/src/list.ts\n8:import { openSearchBox };",
    ],
  ])("stand in their files, where each is named once: %s", (_, found) => {
    expect(lines("grep", { pattern: "shopPattern.*otherPattern" }, found)).toEqual(HITS);
  });

  it("are no files and days that a listing shows below a file", () => {
    const listed = "CHANGELOG.md\n2024-11-05-meetingNotes.md\n2024-11-06 releasePlan drafted";
    expect(lines("list_notes", {}, listed)).toEqual([["list_notes", 2, "2024-11-06 releasePlan drafted"]]);
  });

  it("are none of its own pattern", () => {
    expect(lines("Glob", { pattern: "**/free-key-mint*/{AGENTS,README}.md" }, "No files found")).toEqual([]);
  });

  it("do not begin with the path of what a reader shows, which is named above them", () => {
    const shown =
      "<path>/shop/src/cart.ts</path>\n<type>file</type>\n<content>\n1: export const roundedTotal = 0;\n</content>";
    expect(lines("read", { filePath: "/shop/src/cart.ts" }, shown)).toEqual([
      ["/shop/src/cart.ts", 1, "export const roundedTotal = 0;"],
    ]);
  });
});
