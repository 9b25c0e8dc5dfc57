import { applySummaryChanges, asMessageId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { Conversation, foldAt, summaryOf } from "../../testing/conversation.ts";
import { isConclusion, type Sentence, sentencesOf } from "../text/sentence.ts";
import { commitMessage } from "./report-collectors.ts";

describe("what an agent wrote down of its work", () => {
  it.each([
    ['git commit -m "Fix the cart"', ["Fix the cart"]],
    [
      "cd shop && git add -A && git -C . commit -am 'Fix the cart' -m 'It lost items.' && git push",
      ["Fix the cart", "It lost items."],
    ],
    ['git commit --message="Say \\"no\\" to empty carts"', ['Say "no" to empty carts']],
    [
      "git commit -m \"$(cat <<'EOF'\nFix the cart\n\n- It lost items\n- Tests added\n\nCo-Authored-By: Somebody <a@b.c>\nEOF\n)\"",
      ["Fix the cart", "It lost items", "Tests added"],
    ],
    ['gh pr create --title "Cart" --body "Keeps items."', ["Cart", "Keeps items."]],
    ['git log -m "no"', []],
    ["echo 'git' commit", []],
    ["npm run commit -m 'x'", []],
  ])("of %j", (command, lines) => expect(commitMessage(command)).toEqual(lines));

  it("stands in the summary once it went through, subject first, and not when it failed", () => {
    const conversation = new Conversation()
      .user("Mend the cart.")
      .bash(
        "git commit -m 'Keep items of guests' -m 'They were lost at login, because the session id changes.'",
        "1 file changed",
      )
      .bash("git commit -m 'Never happened'", "nothing to commit", 1);
    const { summary, text } = summaryOf(conversation);
    expect(summary.facts.slice(0, 2)).toMatchObject([
      { text: "Committed: Keep items of guests", sources: ["m2"] },
      { text: "They were lost at login, because the session id changes.", sources: ["m2"] },
    ]);
    expect(text).not.toContain("Committed: Never");
  });
});

describe("what a reader would not miss", () => {
  it("announcements that name nothing stand in the last steps only", () => {
    const conversation = new Conversation().user("Find the leak.");
    for (const step of ["sockets", "timers", "caches", "listeners"])
      conversation
        .agent(`Let me look at the ${step} more carefully.`)
        .bash(`grep -rn ${step} src`, `src/a.ts:1: ${step}`);
    const said = summaryOf(conversation).summary.facts.map(({ text }) => text);
    expect(said).not.toContain("Let me look at the sockets more carefully.");
    expect(said).toContain("Let me look at the listeners more carefully.");
  });

  it("the label before a thought is no part of it, and what has to be found out first is not found yet", () => {
    const conversation = new Conversation().user("Find the leak.");
    for (const step of ["THOUGHT: I need to understand the listeners first.", "Thought: The timers of `cart.ts` leak."])
      conversation.agent(step).bash("grep -rn timer src", "src/cart.ts:1: timer");
    for (const said of ["Sockets are closed in `stop`.", "Caches end with their owner."])
      conversation.agent(`DISCUSSION: ${said}`).bash("ls src", "src/cart.ts");
    const { summary, text } = summaryOf(conversation);
    // What it said last stands with the work.
    expect(summary.facts.map((fact) => fact.text)).toEqual([
      "The timers of `cart.ts` leak.",
      "Sockets are closed in `stop`.",
    ]);
    expect(text).toContain("the agent last said: Caches end with their owner.");
  });

  it("passing ideas of one who thinks aloud give way to what says why", () => {
    const ideas = [
      "Wait, `openCart` in `shop/open.ts` could be the one.",
      "Ah, `closeCart` in `shop/close.ts` matches an exact string.",
      "Oops, `dropCart` in `shop/drop.ts` was replaced too.",
      "等等，`cleanCart` 在 `shop/clean.ts` 里面。",
    ];
    const findings = [
      "Guests lose their carts because `login.ts` starts a session.",
      "The listeners stay with the old one.",
      "Nobody calls `stopTimers` on the way out.",
      "Sockets of the queue are closed by the broker.",
      "Prices are read again at every visit.",
      "Vouchers belong to customers who pay.",
      "This means that `merge` never sees them.",
    ];
    const conversation = new Conversation().user("Find the leak.").agent([...ideas, ...findings].join("\n"));
    conversation.bash("ls", "a").agent("The carts are kept now.").bash("ls", "a");
    const said = summaryOf(conversation).summary.facts.map(({ text }) => text);
    expect(said).toEqual(findings);
  });

  it.each([
    ["Guests lose carts because `login` starts anew.", "English"],
    ["Gäste verlieren Körbe, weil `login` neu beginnt.", "German"],
    ["Les paniers sont perdus parce que `login` recommence.", "French"],
    ["Los carritos se pierden porque `login` empieza otra vez.", "Spanish"],
    ["Корзины теряются, потому что `login` начинает заново.", "Russian"],
    ["购物车丢失，因为 `login` 重新开始会话。", "Chinese"],
    ["カートが消えるのは `login` が新しく始めるためだ。", "Japanese"],
    ["`login`이 새로 시작하기 때문에 장바구니가 사라진다.", "Korean"],
  ])("a reason ranks with conclusions: %s (%s)", (text) =>
    expect(isConclusion(sentencesOf(text)[0] as Sentence)).toBe(true),
  );

  it("a full stop inside a code span ends no sentence", () => {
    const conversation = new Conversation().user("Document the cart.");
    conversation
      .agent("I used `.. automodule:: cart` with `:members:`. It lists `Cart` first. The node `one. two` is lost.")
      .bash("make html", "done")
      .agent("The pages are complete.");
    const said = summaryOf(conversation).summary.facts.map(({ text }) => text);
    expect(said).toEqual([
      "I used `.. automodule:: cart` with `:members:`.",
      "It lists `Cart` first.",
      "The node `one. two` is lost.",
    ]);
  });

  it("what it means to do next is an announcement in other words too", () => {
    const conversation = new Conversation().user("Find the leak.");
    for (const step of [
      "Now run the whole suite of tests again.",
      "I should verify that nothing else depends on it.",
      "We need to first understand how the carts are closed.",
      "So the listeners of a cart are never taken away.",
      "The suite of tests passes without them.",
      "Carts should be closed by whoever opened them.",
      "Now the listeners go with their cart.",
    ])
      conversation.agent(step).bash("npm test", "3 passed");
    const { summary, text } = summaryOf(conversation);
    expect(summary.facts.map((fact) => fact.text)).toEqual([
      "So the listeners of a cart are never taken away.",
      "The suite of tests passes without them.",
      "Carts should be closed by whoever opened them.",
    ]);
    // What it said last stands with the work.
    expect(text).toContain("the agent last said: Now the listeners go with their cart.");
  });

  it.each(["```", "  ~~~"])("code at the end of a long message is no words, nor words behind it code: %s", (fence) => {
    const line = "lines[start:end] = new_lines + old_lines[first:last]\n";
    const said = `I mend the parser.\n\n${fence}python\n${line.repeat(60)}${fence}\n\nThe parser keeps the lines of its caller now.`;
    const conversation = new Conversation()
      .user("Mend the parser.")
      .agent(said)
      .bash("npm test", "3 passed")
      .agent("On to the printer of the pages.");
    const told = summaryOf(conversation).summary.facts.map(({ text }) => text);
    expect(told).toContain("The parser keeps the lines of its caller now.");
    expect(told.join("\n")).not.toContain("old_lines");
  });

  it("remarks, words before a list and what was understood are not told, what they speak of is", () => {
    const conversation = new Conversation()
      .user("Mend the cart.")
      .agent("Good catch! Now I have a clear picture of the situation. The cart forgets guests at login.")
      .bash("grep -rn session src", "src/cart.ts:1: session")
      .agent("That's much better.\n\nHere's what I found in the code:\n\n- `openCart()` reads the old session id.")
      .bash("npm test", "3 passed")
      .agent("Now add the methods at the end of the class:")
      .bash("npm test", "4 passed");
    const { summary, text } = summaryOf(conversation);
    expect(summary.facts.map((fact) => fact.text)).toEqual(["The cart forgets guests at login."]);
    // What it found last stands with the work that it is of.
    expect(text).toContain("The original task (high) — Here's what I found in the code: `openCart()` reads the old");
    expect(text).not.toMatch(/That's much better|a clear picture/);
  });

  it("how the agent feels is not told, and what another statement says with all its words is told once", () => {
    const conversation = new Conversation()
      .user("Make the patch.")
      .agent("The patch file is complete. I understand this is extremely frustrating.")
      .bash("ls", "patch.diff")
      .agent("Now the patch file is signed, compressed, uploaded and complete. I'm at a complete loss about the check.")
      .bash("ls", "patch.diff")
      .agent("I apologize for the confusion in what I said before. The lines of its header were folded twice.");
    const { facts, openItems } = summaryOf(conversation).summary;
    expect(openItems).toMatchObject([{ context: "The lines of its header were folded twice." }]);
    expect(facts.map(({ text }) => text)).toEqual(["Now the patch file is signed, compressed, uploaded and complete."]);
  });

  it("a statement and its denial, or another count, are two, however much they share", () => {
    for (const [one, other] of [
      ["The patch file is complete.", "The patch file is not complete."],
      ["All tests of the parser pass now.", "All tests of the parser don't pass now."],
      ["Of the tests of the parser and the lexer 31 fail.", "Of the tests of the parser and the lexer 4 fail."],
      ["The proxy keeps nothing of its requests.", "The proxy keeps all of its requests."],
    ] as const) {
      const conversation = new Conversation()
        .user("Make the patch.")
        .agent(one)
        .bash("ls", "patch.diff")
        .agent(other)
        .bash("ls -la", "patch.diff")
        .agent("The lines of its header were folded twice.");
      expect(summaryOf(conversation).summary.facts.map(({ text }) => text)).toEqual([one, other]);
    }
  });

  it("where the agent was at the end of an earlier fold is told by what it did since", () => {
    const conversation = new Conversation()
      .user("Find the leak.")
      .agent("Let me look at the sockets more carefully.")
      .bash("grep -rn socket src", "src/a.ts:1: socket")
      .agent("The pool in src/pool.ts keeps sockets of failed requests.")
      .bash("npm test", "3 passed");
    const [first, second] = foldAt(conversation, [3, 6]).map((summary) => summary?.facts.map(({ text }) => text));
    expect(first).toEqual(["Let me look at the sockets more carefully."]);
    expect(second).toEqual(["The pool in src/pool.ts keeps sockets of failed requests."]);
  });

  it("what a user said of himself, and a long sentence of a model, stay when an earlier fold is taken up", () => {
    const long = `The importer ${"drops what it cannot read and ".repeat(12)}says nothing.`;
    const facts = ["I have a problem with my reservation.", "Let me add that my budget is small.", long];
    const { messages } = new Conversation()
      .user("Find a room.")
      .bash("git commit -m 'Keep sockets of guests'", "1 file changed");
    const { summary: previous } = applySummaryChanges(
      null,
      { messageIds: [asMessageId("m0")], firstTurn: 0, lastTurn: 0 },
      facts.map((text) => ({ op: "add", section: "facts", item: { text, sources: [asMessageId("m0")] } }) as const),
    );
    const told = summaryOf(messages, { previous }).summary.facts.map(({ text }) => text);
    expect(told).toEqual([...facts, "Committed: Keep sockets of guests"]);
  });

  it("of an old report of a sub-agent the beginning stays longest", () => {
    const details = Array.from(
      { length: 14 },
      (_, index) =>
        `In section ${index} the supplier lists article A-${index}77 at ${index}12 EUR with ${index + 3} weeks of delivery.`,
    );
    const report = `The page must show the renewal terms next to the button. ${details.join(" ")}`;
    const conversation = new Conversation().user("Check the page for two markets.");
    for (const market of ["US", "DE"])
      conversation.tool(
        "delegate_task",
        { agent: "legal", task: `Check ${market}` },
        report.replaceAll("article", market),
      );
    for (let step = 0; step < 9; step++)
      conversation
        .agent(`Row ${step} of the table is in brief.md, with the fee of ${step}9 EUR.`)
        .bash("ls", `${step}`);
    for (const maxTokens of [400, 500, 600]) {
      const facts = foldAt(conversation, [5, 14, 23, 32], { maxTokens })
        .at(-1)
        ?.facts.filter(({ by }) => by === "sub-agent");
      for (const { text, at } of facts ?? [])
        if (at !== 0)
          expect(
            facts?.some((one) => one.at === 0),
            text,
          ).toBe(true);
      expect(facts?.length, `${maxTokens}`).toBeGreaterThan(0);
    }
  });

  it("of an old message the sentence stays that tells most, wherever it stands", () => {
    const causes = [
      "The pool in src/pool.ts keeps sockets of failed requests.",
      "`openLedger()` reads a file that nobody closes.",
      "Umlauts break in parse_name(), which counts bytes.",
      "The nightly job overwrites /var/lib/shop.db while 3 readers are in it.",
      "Retries double because onTimeout() is bound twice.",
      "A null price comes from the importer in src/import/csv.ts.",
    ];
    const conversation = new Conversation().user("Go through the modules.");
    for (const cause of causes)
      conversation
        .agent(`Everybody was afraid of it for years and nobody looked. ${cause} It is not nice to read at all.`)
        .bash("npm test", "3 passed");
    const borders = causes.map((_, index) => 1 + 3 * (index + 1));
    for (let maxTokens = 130; maxTokens <= 260; maxTokens += 10) {
      const summary = foldAt(conversation, borders, { maxTokens }).at(-2);
      const told = new Set(summary?.facts.flatMap(({ text }) => (causes.includes(text) ? text : [])));
      for (const { text, sources } of summary?.facts ?? []) {
        const said = conversation.messages.find(({ id }) => id === sources[0])?.parts[0];
        const cause = causes.find((one) => said?.type === "text" && said.text.includes(one)) ?? "none";
        expect(told, `${maxTokens}: ${text}`).toContain(cause);
      }
    }
  });

  it("a line of a source knows its place there, by its number or by counting", () => {
    const { summary } = summaryOf(
      new Conversation()
        .user("Look at the ledger.")
        .tool(
          "read",
          { file_path: "src/ledger.ts" },
          "   41→export function openLedger() {\n   42→  return ledgerOfGuests;",
        )
        .tool(
          "read",
          { file_path: "src/cart.ts" },
          "import { total } from './total';\nexport const cartOfGuests = [];",
        ),
    );
    const places = summary.identifiers.filter(({ where }) => where !== undefined);
    expect(places.map(({ where, text, at }) => [where, text, at])).toEqual(
      expect.arrayContaining([
        ["src/ledger.ts", "export function openLedger() {", 41],
        ["src/cart.ts", "export const cartOfGuests = [];", 1],
      ]),
    );
  });

  it("a script is told by the line that does something, a program by its first line", () => {
    const { summary } = summaryOf(
      new Conversation()
        .user("Count.")
        .bash('ROOT="$(git rev-parse HEAD)"\ncd packages\nwc -l README.md', "12 README.md")
        .bash('python3 -c "\nimport json\nprint(1)"', "1 file"),
    );
    const commands = summary.toolOutcomes.map(({ keyFields }) => keyFields["command"]);
    expect(commands).toEqual(["wc -l README.md", 'python3 -c " import json']);
  });

  it("what a script runner repeats of a command is not its outcome", () => {
    const { summary } = summaryOf(
      new Conversation().user("Check.").bash("npm run check", "\n> shop@1.0.0 check\n> tsc --noEmit\n"),
    );
    expect(summary.toolOutcomes.map(({ keyFields }) => keyFields["result"])).toEqual([undefined]);
  });

  it("a text within JSON is quoted by its own lines", () => {
    const record = JSON.stringify({
      id: 7,
      text: `${"x ".repeat(80)}\nexport function openLedgerFile(path: string) {\n  return "${"y".repeat(90)}";\n}`,
    });
    const { text } = summaryOf(
      new Conversation().user("Look at the log.").bash("head -1 session.jsonl", record).agent("I see what happened."),
    );
    expect(text.split("\n")).toContain("  export function openLedgerFile(path: string) {");
  });

  it("names of a change are not words that every text has", () => {
    const { summary } = summaryOf(
      new Conversation()
        .user("Write it down.")
        .tool(
          "write",
          { file_path: "src/cart.ts", content: "// When this returns, then with which guestLedger?" },
          "ok",
        ),
    );
    expect(summary.files[0]?.changed).toEqual(["guestLedger", "returns"]);
  });

  it("a document is told by the sections that a change brings in", () => {
    const content =
      "# Carts\n\n## Why they are kept\n\nGuests leave.\n\n## 2. Ledger\n\n### Drafts ###\n\n```sh\n# no section\n```";
    const { summary } = summaryOf(
      new Conversation().user("Describe carts.").tool("write", { file_path: "docs/cart.md", content }, "ok"),
    );
    expect(summary.files[0]?.changed).toEqual(["“Why they are kept”", "“Ledger”", "“Drafts”"]);
  });

  it("a change of a document is told in its lines, cut around what is new, each once", () => {
    const before = "## Carts\n\n- A cart is kept for an hour.";
    const { summary, text } = summaryOf(
      new Conversation()
        .user("Describe carts.")
        .tool("write", { file_path: "docs/cart.md", content: `${before}\n` }, "ok")
        .tool(
          "edit",
          {
            file_path: "docs/cart.md",
            old_string: before,
            new_string: `${before}\n\n## Guest ledger\n\n1. Whatever happens to the socket of a visitor in the meantime, the reconciler writes an unsigned draft.`,
          },
          "ok",
        ),
    );
    expect(summary.files[0]?.changed).toEqual([
      "“…socket of a visitor in the meantime, the reconciler writes an unsigned draft.”",
      "“Carts”",
      "“A cart is kept for an hour.”",
    ]);
    expect(text).toContain("- docs/cart.md (created, 2 changes): “…socket of a visitor in the meantime");
  });
});
