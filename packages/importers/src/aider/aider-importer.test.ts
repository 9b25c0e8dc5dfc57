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
  it("reads user messages and verbatim answers, and leaves out commands and output", async () => {
    const session = await importSession(bytesOf(HISTORY));
    expect([session.format, session.malformed]).toEqual(["aider", []]);
    expect(session.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ["user", [{ type: "text", text: "Make sum take any number of values.\nKeep the name." }]],
      ["assistant", [{ type: "text", text: '# Plan\n\nI take a rest parameter:\n\n```ts\n7\n{"a":1}\n```' }]],
      ["user", [{ type: "text", text: "what of an empty list?" }]],
      ["assistant", [{ type: "text", text: "It gives 0." }]],
    ]);
    expect(session.messages[0]?.createdAt).toBe("2026-03-01T10:00:00.001Z");
    expect(session.nonPrompt.map(({ kind }) => kind).sort()).toEqual(["command", "output", "start"]);
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
