import {
  AgentThread,
  asMessageId,
  asThreadId,
  asToolCallId,
  type CompactionPlan,
  emptyPlan,
  type JsonValue,
  type Message,
  type MessageInput,
  SUMMARY_SECTIONS,
  type SummaryItem,
} from "@threadfold/core";
import { message, runs } from "@threadfold/core/laws";
import { presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runFold } from "../testing/run-fold.ts";
import { changedFiles, isSameFile } from "./coded-changes.ts";

const createdAt = "2026-01-01T00:00:00.000Z";

/** Calls, each answered; a tool name that begins with `!` fails. */
function work(...calls: readonly (readonly [string, JsonValue])[]): readonly Message[] {
  const messages = calls.flatMap(([name, input], index): readonly MessageInput[] => {
    const [toolName, callId] = [name.replace("!", ""), asToolCallId(`call_${index}`)];
    const outcome = name.startsWith("!") ? "failure" : "success";
    const result = { toolName, callId, outcome, content: { type: "text", text: "ok" } } as const;
    return [
      {
        id: asMessageId(`a${index}`),
        role: "assistant",
        createdAt,
        parts: [{ type: "tool-call", callId, toolName, input }],
      },
      { id: asMessageId(`t${index}`), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
    ];
  });
  return [...AgentThread.empty(asThreadId("t")).append(messages).messages];
}

describe("changedFiles", () => {
  it("names what calls wrote, edited and deleted, newest first, once each", () => {
    const files = changedFiles(
      work(
        ["Write", { file_path: "src/a.ts", content: "" }],
        ["mcp__fs__edit_file", { path: "src/b.ts" }],
        ["Edit", { file_path: "src/a.ts" }],
        ["str_replace_based_edit_tool", { command: "view", path: "src/c.ts" }],
        ["str_replace_based_edit_tool", { command: "str_replace", path: "src/d.ts" }],
        ["editor", { path: "src/i.ts", old_text: "a", new_text: "b" }],
        ["editor", { path: "src/j.ts" }],
        ["apply_patch", "*** Begin Patch\n*** Delete File: src/e.ts\n*** Update File: src/f.ts\n*** End Patch"],
        ["Read", { file_path: "src/g.ts" }],
        ["!Edit", { file_path: "src/h.ts" }],
        ["Edit", { file_path: "two\nlines" }],
      ),
    );
    expect(files.map(({ path, action, changes }) => [path, action, changes])).toEqual([
      ["src/f.ts", "modified", 1],
      ["src/e.ts", "deleted", 1],
      ["src/i.ts", "modified", 1],
      ["src/d.ts", "modified", 1],
      ["src/a.ts", "created", 2],
      ["src/b.ts", "modified", 1],
    ]);
    expect(files.find(({ path }) => path === "src/a.ts")?.sources).toEqual(["a0", "a2"]);
  });
});

describe("isSameFile", () => {
  it("knows a path by its end, and no other path", () => {
    expect(isSameFile("/srv/app/src/a.ts", "src/a.ts")).toBe(true);
    expect(isSameFile("a.ts", "/srv/app/a.ts")).toBe(true);
    expect(isSameFile("/srv/app/data.ts", "a.ts")).toBe(false);
  });
});

/** One fact a message, so that every fold adds facts and has to let old ones go. */
const factEach = {
  id: "fact-each@1",
  summarize: async ({ messages }: { readonly messages: readonly { readonly id: string }[] }) => ({
    changes: messages.map(({ id }) => ({
      op: "add" as const,
      section: "facts" as const,
      item: { text: `${id} said what nobody else said`, sources: [id as never] },
    })),
  }),
};

const itemsOf = (plan: CompactionPlan): readonly SummaryItem[] =>
  plan.summarizations.flatMap(({ summary }) =>
    SUMMARY_SECTIONS.flatMap((section): readonly SummaryItem[] => summary[section]),
  );

/** What the fold that made a plan took out of summaries. */
const goneIn = ({ summarizations, version }: CompactionPlan): readonly string[] =>
  summarizations
    .filter(({ sincePlanVersion }) => sincePlanVersion === version)
    .flatMap(({ resolved }) => resolved.map(({ item }) => item.id));

describe("what a fold took out of a summary", () => {
  it("is said once, by the plan of that fold, and never left unsaid", async () => {
    let gone = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("codex", "ladder", "spring-session-turns"),
        fc.array(fc.integer({ min: 4, max: 30 }), { minLength: 3, maxLength: 5 }),
        fc.integer({ min: 60, max: 400 }),
        async (name, growth, summaryMaxTokens) => {
          let thread = AgentThread.empty(asThreadId("t"));
          let plan = emptyPlan(thread.id, "test");
          const said: string[] = [];
          for (const [round, turns] of growth.entries()) {
            for (let turn = 0; turn < turns; turn++) {
              const id = `${round}.${turn}`;
              thread = thread.append([
                message(`u${id}`, "user", `Question ${id}?`),
                message(`a${id}`, "assistant", "Answer. ".repeat(20)),
              ]);
            }
            const fold = runFold(thread, {
              preset: presetByName(name),
              plan,
              config: { maxInputTokens: 2_000, targetPercent: 0.4, summaryMaxTokens },
              ports: { summarizer: factEach },
            });
            const result = await fold.result;
            if (result.type !== "ready" || result.floor) return;
            const kept = new Set(itemsOf(result.plan).map(({ id }) => id));
            const missing = itemsOf(plan).filter(({ id }) => !kept.has(id));
            const taken = goneIn(result.plan);
            expect(taken).toEqual(expect.arrayContaining(missing.map(({ id }) => id)));
            said.push(...taken);
            plan = result.plan;
          }
          gone += said.length;
          expect(new Set(said).size).toBe(said.length);
        },
      ),
      runs(60),
    );
    expect(gone).toBeGreaterThan(100);
  });
});
