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
  it("gives a summary back from its canonical JSON, byte for byte", () => {
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

  it("accepts nothing that cannot be hashed", () => {
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
      "an open item of no status",
      { openItems: [{ id: "1", sources: [], description: "", context: "", priority: "low", status: "later" }] },
    ],
  ])("refuses %s", (_, fields) => {
    expect(structuredSummarySchema.safeParse({ ...emptySummary(span), ...fields }).success).toBe(false);
  });

  it("knows nine sections in rendering order", () => {
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
  ])("%s and %s are one file", (one, other) => expect(isSameFile(one, other)).toBe(true));

  it.each([
    ["a.ts", "/home/me/app/src/a.ts"],
    ["src/a.ts", "/home/me/app/other-src/a.ts"],
    ["/src/a.ts", "/home/me/app/src/a.ts"],
  ])("%s and %s need not be", (one, other) => expect(isSameFile(one, other)).toBe(false));
});

describe("what is true of a file after two actions", () => {
  it.each([
    ["created", "modified", "created"],
    ["modified", "read", "modified"],
    ["modified", "deleted", "deleted"],
    ["deleted", "created", "modified"],
    ["read", "modified", "modified"],
  ] as const)("after it was %s and %s it is %s", (earlier, later, both) =>
    expect(strongestAction(earlier, later)).toBe(both),
  );
});

describe("all that a summary says with its sources", () => {
  it("are the items of every section, the original task and the narrative, where there are any", () => {
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

describe("rules that do not hold any more", () => {
  const add = (text: string, section = "constraints") =>
    ({ op: "add", section, item: { text, sources: [] } }) as unknown as SummaryChange;
  const lifted = [samplePin("p1", { text: "Never push  to main." })];
  const rule = (id: string, text: string) => ({ id, text, sources: [] });
  const previous = {
    ...emptySummary(span),
    constraints: [rule("1", "Never push to\nmain."), rule("2", "Write tests.")],
  } as unknown as StructuredSummary;

  it("are not added, and taken out of the summary before, with what took them back as the reason", () => {
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

describe("the last turn of what is summarized", () => {
  const thread = (...rest: readonly MessageInput[]) =>
    threadOf(user("u1", "Go."), assistant("a1", call("c1")), ...rest);
  const after = (...rest: readonly MessageInput[]) => lastTurnAfter(thread(...rest), asMessageId("a1"));
  const aside = { ...assistant("s", "Elsewhere."), branch: "side" };

  it("is running while calls are made behind it, and ended by an answer or the next question", () => {
    expect(after()).toBeUndefined();
    expect(after(tool("t1", result("c1", "ok")))).toBe("running");
    expect(after(tool("t1", result("c1", "ok")), assistant("a2", call("c2")))).toBe("running");
    expect(after(tool("t1", result("c1", "ok")), assistant("a2", "Done."))).toBe("ended");
    expect(after(tool("t1", result("c1", "ok")), user("u2", "And?"))).toBe("ended");
    expect(after(tool("t1", result("c1", "ok")), assistant("a2", call("c2")), aside)).toBe("running");
    expect(after(aside)).toBeUndefined();
    expect(lastTurnAfter(thread(), asMessageId("nobody"))).toBeUndefined();
  });
});

describe("what two summaries say of one file", () => {
  const file = (fields: object) =>
    ({ id: "1", path: "a.ts", action: "modified", description: "", sources: [], ...fields }) as Parameters<
      typeof joinedFile
    >[0];

  it("is one item: the longer spelling, the stronger action, the newer words, and all changes and sources", () => {
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

  it("is the lower trust and the higher sensitivity of all of its messages", () => {
    const secret = said("system", { metadata: { sensitivity: "restricted" } });
    const open = said("user", { metadata: { sensitivity: "public" } });
    expect(handlingOf([open])).toEqual({ trust: "user", sensitivity: "public" });
    expect(handlingOf([open, secret])).toEqual(handlingOf([secret, open]));
    expect(handlingOf([open, secret])).toEqual({ trust: "user", sensitivity: "restricted" });
    expect(handlingOf([said("user", { metadata: { sensitivity: "whatever" } })]).sensitivity).toBe("internal");
    expect(handlingOf([])).toEqual({ trust: "external", sensitivity: "internal" });
  });
});

describe("what a change brings", () => {
  const item = { text: "x", sources: [asMessageId("m1")] };

  it("is its item, its task or its account, and nothing where it only takes out or sets what has no source", () => {
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
