import { brokenLaws } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, sessionLaws } from "../laws/importer-laws.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

const HISTORY = `
# aider chat started at 2026-03-01 10:00:00

> Aider v0.86.2  
> Model: gpt-5.6 with diff edit format  

#### /add src/sum.ts  

> Added src/sum.ts to the chat  

#### Make sum take any number of values.  
#### Keep the name.  

# Plan

I take a rest parameter:

\`\`\`ts
7
{"a":1}
\`\`\`

> Tokens: 2.3k sent, 120 received.  
> Applied edit to src/sum.ts  

#### /ask what of an empty list?  

It gives 0.

# aider chat started at 2026-03-01 11:00:00

> Aider v0.86.2  

# aider chat started at 2026-03-02 09:00:00

#### And the tests?  

They pass.
`;

describe("aiderImporter", () => {
  it("reads user messages and verbatim answers, keeps what Aider did, and leaves out commands and other output", async () => {
    const session = await importSession(bytesOf(HISTORY));
    expect([session.format, session.malformed]).toEqual(["aider", []]);
    expect(session.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ["user", [{ type: "text", text: "Make sum take any number of values.\nKeep the name." }]],
      ["assistant", [{ type: "text", text: '# Plan\n\nI take a rest parameter:\n\n```ts\n7\n{"a":1}\n```' }]],
      ["user", [{ type: "text", text: "Applied edit to src/sum.ts" }]],
      ["user", [{ type: "text", text: "what of an empty list?" }]],
      ["assistant", [{ type: "text", text: "It gives 0." }]],
    ]);
    expect(session.messages.map(({ origin }) => origin === "harness")).toEqual([false, false, true, false, false]);
    expect(session.messages[0]?.createdAt).toBe("2026-03-01T10:00:00.001Z");
    expect(session.nonPrompt.map(({ kind }) => kind).sort()).toEqual(["command", "output", "start"]);
  });

  const heard = async (lines: readonly string[]): Promise<readonly (readonly [string, string])[]> => {
    const text = ["# aider chat started at 2026-03-01 10:00:00", ...lines].join("\n");
    const { messages } = await importSession(bytesOf(text));
    return messages.map(({ role, origin, parts: [part] }) => [origin ?? role, part?.type === "text" ? part.text : ""]);
  };

  it("keeps edits, new files, commits and commands as the words of Aider, and no request in them", async () => {
    const messages = await heard([
      ...["", "#### Add a cart.  ", "", "Done.", ""],
      ...["> src/cart.ts  ", "> Create new file? (Y)es/(N)o [Yes]: y  ", "> Applied edit to src/cart.ts  "],
      ...["> Commit 1a2b3c4 feat: add a cart  ", "> You can use /undo to undo and discard each aider commit.  "],
      ...["", "#### <blank>  ", "", "#### !cd src && npm test  ", "> Added 14 lines of output to the chat.  "],
      ...["", "#### /run ls  ", "> Add 0.1k tokens of command output to the chat? (Y)es/(N)o [Yes]: n  "],
      ...["", "#### !pwd  ", "", "#### Why does it fail?  ", "#### ", "#### It should not.  ", "", "It is red.", ""],
      ...["> Running npm run build  ", "> Did not apply edit to src/tax.ts (--dry-run)  "],
    ]);
    expect(messages).toEqual([
      ["user", "Add a cart."],
      ["assistant", "Done."],
      [
        "harness",
        "src/cart.ts\nCreate new file? (Y)es/(N)o [Yes]: y\nApplied edit to src/cart.ts\nCommit 1a2b3c4 feat: add a cart",
      ],
      ["harness", "!cd src && npm test\nAdded 14 lines of output to the chat."],
      ["user", "Why does it fail?\n\nIt should not."],
      ["assistant", "It is red."],
      ["harness", "Running npm run build\nDid not apply edit to src/tax.ts (--dry-run)"],
    ]);
  });

  it("says which edits were undone, by the commit that was removed", async () => {
    const edited = (...paths: readonly string[]) => paths.map((path) => `> Applied edit to ${path}  `);
    const messages = await heard([
      ...["", "#### Add a cart.  ", "", "Done.", "", "> Commit 0a0a0a0 wip: what was not committed  "],
      ...[...edited("src/cart.ts", "src/tax.ts"), "> Commit 1a2b3c4 feat: add a cart  "],
      ...["", "#### Round.  ", "", "Done.", "", ...edited("src/tax.ts"), "> Commit 2b3c4d5 fix: round  "],
      ...["", "#### /undo  ", "> Removed: 2b3c4d5 fix: round  ", "> Now at:  1a2b3c4 feat: add a cart  "],
      ...["", "#### /undo  ", "> Removed: 1a2b3c4 feat: add a cart  ", "> HEAD is: 0a0a0a0 wip  "],
      ...["", "#### /undo  ", "> Removed: 0a0a0a0 wip: what was not committed  ", "> Now at:  9f9f9f9 init  "],
      ...["", "#### /undo  ", "> The last commit was not made by aider in this chat session.  "],
    ]);
    expect(messages.filter(([speaker]) => speaker === "harness").slice(2)).toEqual([
      ["harness", "Removed: 2b3c4d5 fix: round\nUndone edit to src/tax.ts"],
      ["harness", "Removed: 1a2b3c4 feat: add a cart\nUndone edit to src/cart.ts\nUndone edit to src/tax.ts"],
      ["harness", "Removed: 0a0a0a0 wip: what was not committed"],
    ]);
  });

  it("takes no line of a longer output for an answer", async () => {
    const messages = await heard([
      ...["", "#### Add a cart.  ", "", "Done.", "", "> Applied edit to src/cart.ts  "],
      ...["> Commit 1a2b3c4 feat: add a cart", "", "It holds products.  "],
      ...["> # Start the server              ", "npm start", "    ", "open http://localhost:8000  "],
      ...["> Run shell commands? (Y)es/(N)o [Yes]: n  ", "", "#### /undo  "],
      ...["> Removed: 1a2b3c4 feat: add a cart", "description: It holds products.  "],
      ...[
        "> Now at:  0a0a0a0 init",
        "",
        "The first commit.  ",
        "",
        "#### Again.  ",
        "",
        "Done.",
        "",
        "> I quote  ",
        "",
      ],
      ...["and go on."],
    ]);
    expect(messages.filter(([speaker]) => speaker === "assistant").map(([, text]) => text)).toEqual([
      ...["Done.", "Done.", "and go on."],
    ]);
  });

  it("takes the plan that is handed on to a second model for Aider's message", async () => {
    const plan = ["Change cart.ts as follows:", "", "1. Take a rate.", "2. You must always round down."];
    const messages = await heard([
      ...["", "#### Plan a discount.  ", "", ...plan, "", "> Edit the files? (Y)es/(N)o [Yes]: y  "],
      ...["", ...plan.map((line) => `#### ${line}  `), "", "Done.", "", "#### Done.  "],
    ]);
    expect(messages.map(([speaker]) => speaker)).toEqual(["user", "assistant", "harness", "assistant", "user"]);
    expect(messages[2]?.[1]).toBe(plan.join("\n"));
  });

  it("reads errors that were sent to the model, of which only the first line may be marked", async () => {
    const failed = [
      ...["# 1 SEARCH/REPLACE block failed to match!", "", "## SearchReplaceNoExactMatch: no match in cart.ts"],
      ...["<<<<<<< SEARCH", "a", "=======", "b", ">>>>>>> REPLACE"],
    ];
    const messages = await heard([
      ...["", "#### Fix it.  ", "", "Fixed.", "", "> The LLM did not conform to the edit format.  "],
      ...[`> ${failed.join("\n")}  `, "", "Again.", "", "> Applied edit to cart.ts  "],
      ...["> # Fix any errors below, if possible.  ", ">   ", "> cart.ts:2: undefined name  "],
      ...["> Attempt to fix lint errors? (Y)es/(N)o [Yes]: y  ", "", "Fixed."],
      ...["> # Fix any errors below, if possible.  ", "> Attempt to fix lint errors? (Y)es/(N)o [Yes]: n  "],
      ...["> Commit 1a2b3c4 Here is the message:", "", "fix: it  ", "", "All is well."],
    ]);
    expect(messages).toEqual([
      ["user", "Fix it."],
      ["assistant", "Fixed."],
      ["harness", failed.join("\n")],
      ["assistant", "Again."],
      ["harness", "Applied edit to cart.ts"],
      ["harness", "# Fix any errors below, if possible.\n\ncart.ts:2: undefined name"],
      ["assistant", "Fixed."],
      ["harness", "Commit 1a2b3c4 Here is the message:"],
      ["assistant", "All is well."],
    ]);
  });

  it("makes a thread of each start that has messages, named by its time", async () => {
    const session = await importSession(bytesOf(HISTORY), { thread: "2026-03-02 09:00:00" });
    expect(session.messages).toHaveLength(2);
    expect(session.warnings).toContainEqual({
      ...{ kind: "more-threads", thread: 2, threads: 2 },
      names: ["2026-03-01 10:00:00", "2026-03-02 09:00:00"],
    });
    const first = await importSession(bytesOf(HISTORY));
    const grown = await importSession(bytesOf(`${HISTORY}\n#### More?\n\nNo.\n`));
    expect(grown.threadId).toBe(first.threadId);
    expect(grown.threadId).not.toBe(session.threadId);
  });

  it("keeps the importer laws for damaged logs", async () => {
    const sample = { bytes: bytesOf(HISTORY), format: "aider" } as const;
    expect(await brokenLaws(importerLaws(sample))).toEqual([]);
    expect(await brokenLaws(damageLaws(sample))).toEqual([]);
  });

  it("keeps the session laws for any lines", async () => {
    const line = fc.oneof(
      fc.constantFrom("#### ", "> ", "# ", "", "####", ">", "/", "#### /add x", "```", "7", "{}", "\r", " "),
      fc.constantFrom("# aider chat started at 2026-03-01 10:00:00", "#### /ask", "#### /ask why", "\u2028", "é"),
      fc.constantFrom("> Applied edit to a.ts  ", "> Commit 1a2b3c4 b", "> # 1 SEARCH/REPLACE block failed to match!"),
      fc.constantFrom(
        "x  ",
        "#### !ls",
        "> Added 2 lines of output to the chat.  ",
        "> # Fix any errors below, if possible.",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
        const text = ["# aider chat started at 2026-01-01 00:00:00", "#### Begin.", ...lines].join("\n");
        const session = await importSession(bytesOf(text));
        expect([session.format, await brokenLaws(sessionLaws(session))]).toEqual(["aider", []]);
      }),
    );
  });
});
