import {
  type DropRecord,
  emptyPlan,
  finishSteps,
  historyNotLoaded,
  type JsonValue,
  NO_RECORDS,
  type PlanRecords,
  schemaDigestOf,
  spanOf,
  type ToolDefinition,
} from "@threadfold/core";
import { assistant, call, result, tool } from "@threadfold/core/laws";
import { describe, expect, it, vi } from "vitest";
import { shapeOf, threadOf } from "../testing/fold-case.ts";
import { hiddenTools, searchesBehind } from "./hidden-tools.ts";

const deferred = (name: string, type = "object"): ToolDefinition => ({
  name,
  inputSchema: { type },
  providerMetadata: { anthropic: { defer_loading: true } },
});
const plain: ToolDefinition = { name: "bash", inputSchema: { type: "object" } };
const digest = (type = "object") => schemaDigestOf(deferred("any", type));

/** A search that found a tool of the host's. */
const search = (at: number, name: string, branch?: string) => {
  const value: JsonValue = [{ type: "tool_reference", tool_name: name }];
  const place = branch === undefined ? {} : { branch };
  return [
    { ...assistant(`s${at}`, call(`c${at}`, "find", {})), ...place },
    { ...tool(`r${at}`, result(`c${at}`, "", { toolName: "find", content: { type: "json", value } })), ...place },
  ];
};
/** A search of the provider's that defined a tool. */
const definition = (at: number, name: string, type = "object") =>
  assistant(`d${at}`, [
    {
      ...{ type: "opaque", provider: "openai" },
      value: { type: "tool_search_output", tools: [{ type: "function", name, parameters: { type } }] },
    },
  ]);

const thread = threadOf(
  ...search(1, "deploy"),
  ...search(2, "notify"),
  definition(3, "lookup"),
  definition(4, "lookup", "array"),
);

function dropping(of: typeof thread, ...ids: readonly string[]): PlanRecords {
  const drop: DropRecord = {
    ...{ action: "drop", span: spanOf([...of.messages].filter(({ id }) => ids.includes(id))), strategy: "drop" },
    ...{ reason: "to make room", sincePlanVersion: 1, originalTokens: 9, keywords: [] },
  };
  return { ...NO_RECORDS, drops: [drop] };
}

type Fields = Partial<Parameters<typeof hiddenTools>[1]>;
const found = (records: PlanRecords, { plan, ...fields }: Fields & { thread?: typeof thread } = {}) =>
  hiddenTools(records, { thread, plan: plan ?? emptyPlan(thread.id, "test"), ...fields }).revealedTools?.map(
    ({ name, schemaDigest }) => [name, schemaDigest],
  );
const tools = [plain, deferred("deploy"), deferred("notify")];

describe("hiddenTools, for searches that a plan hides", () => {
  it("names the deferred tools that were found, with the host's current schema", () => {
    expect(found(NO_RECORDS, { tools })).toBeUndefined();
    expect(found(dropping(thread, "s1", "r1"), { tools })).toEqual([["deploy", digest()]]);
    const changed = [deferred("deploy", "array"), deferred("notify")];
    expect(found(dropping(thread, "s1", "r1", "s2", "r2"), { tools: changed })).toEqual([
      ["deploy", digest("array")],
      ["notify", digest()],
    ]);
    // One that is shown without a search, or not offered at all, need not be named.
    expect(
      found(dropping(thread, "s1", "r1"), { tools: [{ ...deferred("deploy"), providerMetadata: {} }] }),
    ).toBeUndefined();
    expect(found(dropping(thread, "s1", "r1"), {})).toBeUndefined();
  });

  it("leaves out tools that another search still shows, and searches on side branches", () => {
    const twice = thread.append(search(5, "deploy"));
    expect(found(dropping(thread, "s1", "r1"), { tools, thread: twice })).toBeUndefined();
    expect(found(dropping(twice, "s1", "r1", "s5", "r5"), { tools, thread: twice })).toEqual([["deploy", digest()]]);
    const aside = thread.append(search(5, "deploy", "side"));
    expect(found(dropping(aside, "s1", "r1"), { tools, thread: aside })).toEqual([["deploy", digest()]]);
    expect(found(dropping(aside, "s5", "r5"), { tools, thread: aside })).toBeUndefined();
  });

  it("looks at each message once, however often a growing thread is folded", () => {
    const thread = threadOf(...search(1, "deploy"), ...search(2, "notify"));
    const plan = emptyPlan(thread.id, "test");
    const first = finishSteps(searchesBehind({ thread, plan, tools }));
    const grown = thread.append(search(6, "lint"));
    const reads = vi.spyOn(grown, "messageAt");
    const ids = finishSteps(searchesBehind({ thread: grown, plan, tools }))?.map(({ id }) => id);
    expect(ids).toEqual([...(first ?? []).map(({ id }) => id), "r6"]);
    expect(reads.mock.calls.map(([ordinal]) => ordinal)).toEqual([thread.length, thread.length + 1]);
    // A value from before it grew still knows only its own.
    expect(finishSteps(searchesBehind({ thread, plan, tools }))).toEqual(first);
  });

  it("passes over no message that was not in memory when it was looked at", () => {
    const thread = threadOf(...search(1, "deploy"));
    const plan = emptyPlan(thread.id, "test");
    const read = vi.spyOn(thread, "messageAt").mockImplementation(() => {
      throw historyNotLoaded();
    });
    const look = () => finishSteps(searchesBehind({ thread, plan, tools }));
    for (let times = 0; times < thread.length; times++)
      expect(look).toThrow(expect.objectContaining({ code: "HISTORY_NOT_LOADED" }));
    read.mockRestore();
    expect(look()?.map(({ id }) => id)).toEqual(["r1"]);
  });

  it("names tools that a provider's search defined, by the newest definition", () => {
    expect(found(dropping(thread, "d3"))).toBeUndefined();
    expect(found(dropping(thread, "d3", "d4"))).toEqual([["lookup", digest("array")]]);
    // The host's own definition goes before what a search gave.
    expect(found(dropping(thread, "d3", "d4"), { tools: [{ ...plain, name: "lookup" }] })).toBeUndefined();
  });

  it("names a tool if the search result is cleared, but not if only the call's arguments are", () => {
    const [drop] = dropping(thread, "r1").drops;
    const clearing = (target: "tool-result" | "tool-input") =>
      ({
        ...NO_RECORDS,
        clearings: [{ ...drop, action: "clear", targets: [target], preservedFields: {} }],
      }) as unknown as PlanRecords;
    expect(found(clearing("tool-result"), { tools })).toEqual([["deploy", digest()]]);
    expect(found(clearing("tool-input"), { tools })).toBeUndefined();
  });

  it("keeps the revealed tools of the plan before while their definitions are unchanged", () => {
    const revealedTools = [
      { name: "deploy", schemaDigest: digest() },
      { name: "lookup", schemaDigest: digest(), definition: deferred("lookup") },
    ];
    const plan = { ...emptyPlan(thread.id, "test"), revealedTools };
    const empty = threadOf();
    expect(found(NO_RECORDS, { thread: empty, plan, tools })).toEqual([
      ["deploy", digest()],
      ["lookup", digest()],
    ]);
    expect(found(NO_RECORDS, { thread: empty, plan, tools: [deferred("deploy", "array")] })).toEqual([
      ["lookup", digest()],
    ]);
    // One that nobody defines any more is none.
    expect(found(NO_RECORDS, { thread: empty, plan, tools: [] })).toEqual([["lookup", digest()]]);
    // A search that shows a tool again takes it out of the list; the newest definition counts.
    expect(found(NO_RECORDS, { plan })).toBeUndefined();
    expect(found(dropping(thread, "d3", "d4"), { plan })).toEqual([["lookup", digest("array")]]);
  });

  it("names all tools that were found before a provider item", () => {
    const item = thread.messageAt(4)?.id as NonNullable<Fields["item"]>;
    expect(thread.messageAt(4)?.id).toBe("r2");
    expect(found(NO_RECORDS, { tools, item })).toEqual([
      ["deploy", digest()],
      ["notify", digest()],
    ]);
    expect(found(NO_RECORDS, { tools, item: thread.messageAt(3)?.id as typeof item })).toEqual([["deploy", digest()]]);
  });

  it("searches only the messages that the fold walks", () => {
    const shape = shapeOf(thread);
    const blind = { ...shape, after: () => thread.length } as unknown as typeof shape;
    expect(found(dropping(thread, "d3", "d4"), { shape })).toEqual([["lookup", digest("array")]]);
    expect(found(dropping(thread, "d3", "d4"), { shape: blind })).toBeUndefined();
  });
});

describe("the searches of a long thread", () => {
  it.each([[[] as const], [tools]])("are looked for once, in steps of a few thousand messages at most", (offered) => {
    const long = threadOf(
      ...Array.from({ length: 6_000 }, (_, at) => assistant(`a${at}`, "I go on.")),
      ...search(1, "deploy"),
    );
    const read: number[] = [];
    const watched = new Proxy(long, {
      get: (target, name: keyof typeof long) =>
        name === "messageAt" ? (at: number) => read.push(at) && target.messageAt(at) : target[name],
    });
    const input = { thread: watched, plan: emptyPlan(long.id, "test"), shape: shapeOf(long), tools: offered };
    const counts: number[] = [];
    for (const _ of searchesBehind(input)) counts.push(read.length);
    expect(Math.max(...counts.map((count, step) => count - (counts[step - 1] ?? 0)))).toBeLessThanOrEqual(2_048);
    const once = read.length;
    expect(once).toBeGreaterThanOrEqual(6_000);
    const records = dropping(long, "s1", "r1");
    expect(hiddenTools(records, input)).toEqual(hiddenTools(records, { ...input, thread: long, shape: shapeOf(long) }));
    expect(read.length).toBe(once);
  });
});
