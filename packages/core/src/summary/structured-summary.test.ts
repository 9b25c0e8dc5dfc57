import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../json/canonical-json.ts";
import { parseJson } from "../json/parse-json.ts";
import { assistant, call, result, threadOf, tool, user } from "../laws/messages.ts";
import { structuredSummaries } from "../laws/plan-record-arbitrary.ts";
import { samplePin } from "../laws/samples.ts";
import { withTextReplaced } from "../laws/text-arbitrary.ts";
import { asMessageId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { lastTurnAfter } from "../ports/summarizer.ts";
import { isSameFile, joinedFile, strongestAction } from "./file-item.ts";
import {
  emptySummary,
  handlingOf,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  sourcedItems,
  structuredSummarySchema,
} from "./structured-summary.ts";
import { type SummaryChange, saidIn, withoutLiftedRules } from "./summary-change.ts";

const span = { messageIds: [asMessageId("m1"), asMessageId("m2")], firstTurn: 1, lastTurn: 3 };

describe("structuredSummarySchema", () => {
  it("restores a summary from its canonical JSON, byte for byte", () => {
    fc.assert(
      fc.property(structuredSummaries(span), (summary) => {
        const text = canonicalJson(summary);
        const read = structuredSummarySchema.parse(parseJson(text));
        expect(canonicalJson(read)).toBe(text);
        expect(structuredSummarySchema.parse(summary)).toEqual(summary);
      }),
      { numRuns: 200 },
    );
  });

  it("accepts no text that cannot be hashed", () => {
    fc.assert(
      fc.property(structuredSummaries(span), fc.nat(), (summary, leaf) => {
        expect(structuredSummarySchema.safeParse(withTextReplaced(summary, leaf, "a\ud800")).success).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, object]>([
    ["another schema version", { schemaVersion: 2 }],
    ["a round of 0", { round: 0 }],
    ["an empty span", { span: { ...span, messageIds: [] } }],
    ["a missing section", { facts: undefined }],
    ["an item without an id", { facts: [{ id: "", sources: [], text: "x" }] }],
    [
      "an open item with an unknown status",
      { openItems: [{ id: "1", sources: [], description: "", context: "", priority: "low", status: "later" }] },
    ],
  ])("refuses %s", (_, fields) => {
    expect(structuredSummarySchema.safeParse({ ...emptySummary(span), ...fields }).success).toBe(false);
  });

  it("has nine sections in rendering order", () => {
    expect(SUMMARY_SECTIONS).toEqual([
      "constraints",
      "facts",
      "decisions",
      "openItems",
      "files",
      "toolOutcomes",
      "errors",
      "artifacts",
      "identifiers",
    ]);
    expect(structuredSummarySchema.safeParse(emptySummary(span)).success).toBe(true);
  });
});

describe("two spellings of a path", () => {
  it.each([
    ["src/a.ts", "./src/a.ts"],
    ["/home/me/app/src/a.ts", "src/a.ts"],
    ["src/a.ts", "/home/me/app/src/a.ts"],
    ["src\\a.ts", ".\\src\\a.ts"],
    ["C:\\app\\src\\a.ts", "src\\a.ts"],
    ["C:\\app\\src\\a.ts", "src/a.ts"],
    ["C:\\app\\src\\a.ts", "c:/app/src/a.ts"],
    // As Git's shell on Windows writes it.
    ["C:\\app\\src\\a.ts", "/c/app/src/a.ts"],
  ])("%s and %s are one file", (one, other) => expect(isSameFile(one, other)).toBe(true));

  it.each([
    ["a.ts", "/home/me/app/src/a.ts"],
    ["src/a.ts", "/home/me/app/other-src/a.ts"],
    ["/src/a.ts", "/home/me/app/src/a.ts"],
    ["a.ts", "C:\\app\\src\\a.ts"],
    ["D:\\app\\src\\a.ts", "C:\\app\\src\\a.ts"],
    ["D:\\a.ts", "C:\\app\\D:\\a.ts"],
  ])("%s and %s need not be", (one, other) => expect(isSameFile(one, other)).toBe(false));
});

describe("strongestAction", () => {
  it.each([
    ["created", "modified", "created"],
    ["modified", "read", "modified"],
    ["modified", "deleted", "deleted"],
    ["deleted", "created", "modified"],
    ["read", "modified", "modified"],
  ] as const)("of a file that was %s and then %s is %s", (earlier, later, both) =>
    expect(strongestAction(earlier, later)).toBe(both),
  );
});

describe("sourcedItems", () => {
  it("lists the items of every section, the original task and the narrative", () => {
    const task = { id: "t", text: "Go.", sources: [] };
    const item = (id: string) => ({ id, sources: [], text: id });
    const summary = { ...emptySummary(span), facts: [item("a")], constraints: [item("b")] };
    const ids = (of: typeof summary) => sourcedItems(of).map(({ id }) => id);
    expect(ids(summary).toSorted()).toEqual(["a", "b"]);
    expect(ids({ ...summary, originalTask: task, narrative: { ...task, id: "n" } }).toSorted()).toEqual([
      "a",
      "b",
      "n",
      "t",
    ]);
    expect(sourcedItems(emptySummary(span))).toEqual([]);
  });
});

describe("lifted rules in a summary", () => {
  const add = (text: string, section = "constraints") =>
    ({ op: "add", section, item: { text, sources: [] } }) as unknown as SummaryChange;
  const lifted = [samplePin("p1", { text: "Never push  to main." })];
  const rule = (id: string, text: string) => ({ id, text, sources: [] });
  const previous = {
    ...emptySummary(span),
    constraints: [rule("1", "Never push to\nmain."), rule("2", "Write tests.")],
  } as unknown as StructuredSummary;

  it("are not added, and are resolved as taken back in the previous summary", () => {
    const changes = [add("Never push to main."), add("Never push to main.", "facts"), add("Write tests.")];
    expect(withoutLiftedRules(changes, null, [])).toBe(changes);
    expect(withoutLiftedRules(changes, null, lifted)).toEqual(changes.slice(1));
    const gone = { op: "resolve", section: "constraints", itemId: "1", reason: "taken back" };
    expect(withoutLiftedRules(changes, previous, lifted)).toEqual([...changes.slice(1), gone]);
    // What the summarizer says of the item itself stands.
    const resolved = { ...gone, reason: "done" } as unknown as SummaryChange;
    expect(withoutLiftedRules([resolved], previous, lifted)).toEqual([resolved]);
  });
});

describe("lastTurnAfter", () => {
  const thread = (...rest: readonly MessageInput[]) =>
    threadOf(user("u1", "Go."), assistant("a1", call("c1")), ...rest);
  const after = (...rest: readonly MessageInput[]) => lastTurnAfter(thread(...rest), asMessageId("a1"));
  const aside = { ...assistant("s", "Elsewhere."), branch: "side" };

  it("is running while calls follow, and ended by an answer or the next question", () => {
    expect(after()).toBeUndefined();
    expect(after(tool("t1", result("c1", "ok")))).toBe("running");
    expect(after(tool("t1", result("c1", "ok")), assistant("a2", call("c2")))).toBe("running");
    expect(after(tool("t1", result("c1", "ok")), assistant("a2", "Done."))).toBe("ended");
    expect(after(tool("t1", result("c1", "ok")), user("u2", "And?"))).toBe("ended");
    expect(after(tool("t1", result("c1", "ok")), assistant("a2", call("c2")), aside)).toBe("running");
    expect(after(aside)).toBeUndefined();
    expect(lastTurnAfter(thread(), asMessageId("nobody"))).toBeUndefined();
  });

  it("is answered when the span ends with an answer behind which the agent says more", () => {
    const spoken = threadOf(user("u1", "Go."), assistant("a1", "Reverted."));
    const behind = (...rest: readonly MessageInput[]) => lastTurnAfter(spoken.append(rest), asMessageId("a1"));
    expect(behind()).toBeUndefined();
    expect(behind(assistant("a2", "I cannot write there."))).toBe("answered");
    expect(behind(aside, assistant("a2", "Done."), user("u2", "And?"), assistant("a3", call("c2")))).toBe("answered");
    expect(behind(assistant("a2", call("c2")))).toBe("running");
    expect(behind(assistant("a2", call("c2")), tool("t2", result("c2", "ok")), user("u2", "And?"))).toBe("answered");
    expect(behind(user("u2", "And?"))).toBe("ended");
    expect(behind(aside, user("u2", "And?"), assistant("a2", "Yes."))).toBe("ended");
  });
});

describe("joinedFile", () => {
  const file = (fields: object) =>
    ({ id: "1", path: "a.ts", action: "modified", description: "", sources: [], ...fields }) as Parameters<
      typeof joinedFile
    >[0];

  it("joins the longer path, the stronger action, the newer description, and all changes and sources", () => {
    const [earlier, later] = [
      file({
        path: "src/a.ts",
        action: "created",
        description: "The parser.",
        changes: 2,
        changed: ["parse"],
        sources: ["m1", "m2"],
      }),
      file({ id: "2", changes: 1, changed: ["read", "parse"], sources: ["m2", "m3"] }),
    ];
    expect(joinedFile(earlier, later)).toEqual({
      ...{ path: "src/a.ts", action: "created", description: "The parser.", changes: 3 },
      ...{ changed: ["read", "parse"], sources: ["m1", "m2", "m3"] },
    });
    expect(joinedFile(later, file({ description: "Reads." }))).toMatchObject({ description: "Reads." });
    expect(joinedFile(earlier, file({ description: "Reads." }))).toMatchObject({ description: "Reads." });
    expect(joinedFile(file({}), file({ path: "./a.ts" }))).toEqual({
      ...{ path: "./a.ts", action: "modified", description: "", sources: [] },
    });
  });
});

describe("the handling of a summary", () => {
  const said = (role: MessageInput["role"], fields: Partial<MessageInput> = {}) =>
    ({ role, parts: [], ...fields }) as MessageInput;
  const image: MessageInput["parts"][number] = { type: "image", source: { kind: "url", url: "https://example.com/a" } };
  const words: MessageInput["parts"][number] = { type: "text", text: "x" };

  it.each([
    ["user", {}, "user"],
    ["system", {}, "operator"],
    ["assistant", {}, "agent"],
    ["tool", {}, "external"],
    ["user", { origin: "harness" }, "agent"],
    ["system", { origin: "compaction" }, "agent"],
    ["user", { parts: [words, image] }, "external"],
    ["user", { parts: [{ ...image, type: "file" }] }, "external"],
    ["assistant", { parts: [{ type: "opaque", provider: "openai", value: {} }] }, "external"],
    ["user", { parts: [words] }, "user"],
  ] as const)("trusts a message of %s with %j as of %s", (role, fields, trust) => {
    expect(handlingOf([said(role, fields as Partial<MessageInput>)])).toEqual({ trust, sensitivity: "internal" });
  });

  it("is the lowest trust and the highest sensitivity of its messages", () => {
    const secret = said("system", { metadata: { sensitivity: "restricted" } });
    const open = said("user", { metadata: { sensitivity: "public" } });
    expect(handlingOf([open])).toEqual({ trust: "user", sensitivity: "public" });
    expect(handlingOf([open, secret])).toEqual(handlingOf([secret, open]));
    expect(handlingOf([open, secret])).toEqual({ trust: "user", sensitivity: "restricted" });
    expect(handlingOf([said("user", { metadata: { sensitivity: "whatever" } })]).sensitivity).toBe("internal");
    expect(handlingOf([])).toEqual({ trust: "external", sensitivity: "internal" });
  });
});

describe("saidIn", () => {
  const item = { text: "x", sources: [asMessageId("m1")] };

  it("gives a change's item, task or narrative, and null for changes without a sourced text", () => {
    const changes: readonly SummaryChange[] = [
      { op: "add", section: "facts", item },
      { op: "supersede", section: "facts", itemId: "f", item },
      { op: "set-original-task", task: item },
      { op: "set-narrative", narrative: item },
    ];
    for (const change of changes) expect(saidIn(change)).toBe(item);
    expect(saidIn({ op: "resolve", section: "facts", itemId: "f", reason: "done" })).toBeNull();
    expect(saidIn({ op: "set-current-task", task: "x" })).toBeNull();
    expect(saidIn({ op: "set-current-plan", plan: ["x"] })).toBeNull();
  });
});
