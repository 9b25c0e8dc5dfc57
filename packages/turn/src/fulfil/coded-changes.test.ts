import {
  AgentThread,
  type ArtifactId,
  applySummaryChanges,
  asMessageId,
  asThreadId,
  asToolCallId,
  emptySummary,
  finishSteps,
  type JsonValue,
  type Message,
  type MessageInput,
  renderSummary,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryChange,
  spanOf,
} from "@threadfold/core";
import { countingTokenizer, message } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import {
  codedChanges,
  changedFiles as filesInSteps,
  isNameOf,
  type OwedItems,
  reservedTokens,
} from "./coded-changes.ts";
import type { Fulfilment } from "./fulfilment.ts";

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

const changedFiles = (messages: readonly Message[]) => finishSteps(filesInSteps(messages));

describe("changedFiles", () => {
  it("reads at most a thousand messages in a step", () => {
    const calls = Array.from({ length: 5_000 }, (_, index) => ["Write", { path: `${index}.ts` }] as const);
    let read = 0;
    const watched = work(...calls).map(({ parts, ...message }) =>
      Object.defineProperty({ ...message, parts }, "parts", { get: () => ++read && parts }),
    );
    const counts: number[] = [];
    for (const _ of filesInSteps(watched)) counts.push(read);
    expect(read).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...counts.map((count, step) => count - (counts[step - 1] ?? 0)))).toBeLessThanOrEqual(1_000);
  });

  it("lists files that calls wrote, edited or deleted, newest first, once each", () => {
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

  it("leaves out files that a later command removed or moved, and calls without a result", () => {
    const write = ["Write", { file_path: "/h/tt/t.java" }] as const;
    const keep = ["Write", { file_path: "/h/tt/s.java" }] as const;
    const paths = (...calls: readonly (readonly [string, JsonValue])[]) =>
      changedFiles(work(...calls)).map(({ path }) => path);
    for (const command of [
      "rm t.java",
      "cd /h/tt && rm -f ./t.java",
      "Remove-Item .\\t.java",
      "git mv t.java u.java",
      ["bash", "-lc", "rm t.java"],
    ])
      expect(paths(write, keep, ["Bash", { command }])).toEqual(["/h/tt/s.java"]);
    expect(paths(write, ["!Bash", { command: "rm t.java" }])).toHaveLength(1);
    expect(paths(write, ["Bash", { command: "cat t.java; rm att.java" }])).toHaveLength(1);
    expect(paths(write, ["Bash", { command: "mv new.java t.java" }])).toHaveLength(1);
    expect(paths(["Bash", { command: "rm t.java" }], write)).toHaveLength(1);
    expect(changedFiles(work(write, keep).slice(0, -1)).map(({ path }) => path)).toEqual(["/h/tt/t.java"]);
  });
});

describe("a call that changes a file", () => {
  const changed = (name: string, input: JsonValue) =>
    changedFiles(work([name, input])).map(({ path, action }) => [path, action]);

  it.each([
    ["write_file", "created"],
    ["fs.createFile", "created"],
    ["functions.save-file", "created"],
    ["MultiEdit", "modified"],
    ["mcp__a__b__apply_diff", "modified"],
    ["NotebookEdit", "modified"],
    ["search_and_replace", "modified"],
    ["delete_file", "deleted"],
  ])("is recognized by its tool's name, in any spelling: %s", (name, action) => {
    for (const field of ["path", "file_path", "filePath", "target_file", "notebook_path"])
      expect(changed(name, { [field]: "src/a.ts" })).toEqual([["src/a.ts", action]]);
  });

  it.each<[string, JsonValue, string | undefined]>([
    ["create", { command: "create", path: "a.ts" }, "created"],
    ["insert", { command: "insert", path: "a.ts" }, "modified"],
    ["view", { command: "view", path: "a.ts" }, undefined],
    ["undo", { command: "undo_edit", path: "a.ts", old_text: "a" }, undefined],
    ["an old text without a command", { path: "a.ts", old_text: "" }, "modified"],
    ["an old string without a command", { path: "a.ts", old_str: "" }, "modified"],
    ["a line to insert at without a command", { path: "a.ts", insert_line: 3, new_text: "a" }, "modified"],
    ["only a new text without a command", { path: "a.ts", new_text: "a" }, "created"],
    ["only a path", { path: "a.ts" }, undefined],
  ])("is classified by the editor command: %s", (_what, input, action) => {
    for (const editor of ["str_replace_editor", "text_editor", "editor", "file_editor", "planning_file_editor"])
      expect(changed(editor, input)).toEqual(action === undefined ? [] : [["a.ts", action]]);
  });

  it.each<[string, JsonValue]>([
    ["no path", { content: "x" }],
    ["an empty path", { path: "" }],
    ["a path of several lines", { path: "a\rb" }],
    ["a path that is not a string", { path: 7 }],
    ["a path of 301 characters", { path: "x".repeat(301) }],
    ["a list", ["a.ts"]],
    ["nothing", null],
    ["a text", "a.ts"],
  ])("is not recognized with %s", (_what, input) => {
    expect(changed("write", input)).toEqual([]);
    expect(changed("write", { path: "x".repeat(300) })).toHaveLength(1);
  });

  it.each<[string, (patch: string) => JsonValue]>([
    ["as its input", (patch) => patch],
    ["as a field", (input) => ({ input })],
    ["as a patch", (patch) => ({ patch })],
    ["as the text of a patch", (patchText) => ({ patchText })],
    ["as a diff", (diff) => ({ diff })],
  ])("is read from a patch passed %s", (_where, made) => {
    const patch =
      "*** Begin Patch\n*** Add File: new.ts \n+x\n*** Update File: old.ts\n*** Delete File: gone.ts\n *** Add File: no.ts";
    expect(changed("apply_patch", made(patch))).toEqual([
      ["gone.ts", "deleted"],
      ["old.ts", "modified"],
      ["new.ts", "created"],
    ]);
    expect(changed("apply_patch", { other: patch })).toEqual([]);
  });

  it("keeps a created file as created after edits, and as deleted after a deletion", () => {
    const made = (...names: readonly string[]) =>
      changedFiles(work(...names.map((name) => [name, { path: "a.ts" }] as const)));
    expect(made("write", "edit", "edit")).toMatchObject([
      { action: "created", changes: 3, sources: ["a0", "a1", "a2"] },
    ]);
    expect(made("edit", "write")).toMatchObject([{ action: "created", changes: 2 }]);
    expect(made("write", "delete_file")).toMatchObject([{ action: "deleted" }]);
    expect(made("write", "!edit")).toMatchObject([{ changes: 1 }]);
  });
});

describe("codedChanges", () => {
  const thread = AgentThread.empty(asThreadId("t")).append([
    message("m1", "user", "Go."),
    message("m2", "user", "On."),
  ]);
  const span = spanOf([...thread.messages]);
  const tokenizer = countingTokenizer();
  const fulfilment = (summaryMaxTokens: number) => ({ tokenizer, summaryMaxTokens }) as unknown as Fulfilment;
  const outcome = (source: string, fields: object = {}) => ({
    ...{ toolName: "get_order", outcome: "success" as const, errorMessage: null, keyFields: { id: source } },
    ...{ sources: [asMessageId(source)], declared: true as const, ...fields },
  });
  const artifact = (id: string) => ({
    ...{ artifactId: id.padEnd(64, "0") as ArtifactId, description: `body ${id}`, rehydrateHint: "full result" },
    sources: [asMessageId("m1")],
  });
  const nothing: OwedItems = { outcomes: [], artifacts: [], files: [] };
  const add = (section: string, item: object): SummaryChange =>
    ({ op: "add", section, item }) as unknown as SummaryChange;
  const file = (path: string, action = "modified") =>
    ({ path, action, description: "", changes: 1, sources: [asMessageId("m1")] }) as OwedItems["files"][number];
  const coded = (
    changes: readonly SummaryChange[],
    owed: Partial<OwedItems>,
    maxTokens = 6_000,
    previous: StructuredSummary | null = null,
  ) => codedChanges(changes, previous, span, { ...nothing, ...owed }, fulfilment(maxTokens));
  const fact = add("facts", { text: "All is well.", sources: [] });

  it("adds the owed outcomes, artifacts and files to the summarizer's changes", () => {
    expect(coded([fact], {})).toEqual([fact]);
    const owed = { outcomes: [outcome("m1")], artifacts: [artifact("a")], files: [file("a.ts")] };
    expect(coded([fact], owed)).toEqual([
      ...[fact, add("toolOutcomes", outcome("m1")), add("artifacts", artifact("a")), add("files", file("a.ts"))],
    ]);
  });

  it("merges an owed outcome with the summarizer's item for the same call only", () => {
    const said = (fields: object = {}) => outcome("m1", { keyFields: { note: "ok", id: "wrong" }, ...fields });
    const { declared: _, ...plain } = said();
    const kept = { ...plain, keyFields: { note: "ok", id: "m1" }, declared: true };
    expect(coded([add("toolOutcomes", plain)], { outcomes: [outcome("m1")] })).toEqual([add("toolOutcomes", kept)]);
    // Nobody else says of an item that it was declared.
    expect(coded([add("toolOutcomes", said())], {})).toEqual([add("toolOutcomes", plain)]);
    for (const other of [{ toolName: "read" }, { sources: [asMessageId("m2")] }])
      expect(coded([add("toolOutcomes", { ...plain, ...other })], { outcomes: [outcome("m1")] })).toEqual([
        ...[add("toolOutcomes", { ...plain, ...other }), add("toolOutcomes", outcome("m1"))],
      ]);
    const both = add("toolOutcomes", { ...plain, sources: [asMessageId("m1"), asMessageId("m2")] });
    expect(coded([both], { outcomes: [outcome("m1"), outcome("m2")] })).toHaveLength(3);
    expect(coded([add("toolOutcomes", plain), add("toolOutcomes", plain)], { outcomes: [outcome("m1")] })).toEqual([
      ...[add("toolOutcomes", kept), add("toolOutcomes", plain)],
    ]);
  });

  it("lets a summarizer resolve its own items, but no owed ones", () => {
    const start = [
      add("toolOutcomes", outcome("m1")),
      add("toolOutcomes", outcome("m2", { declared: undefined })),
      add("artifacts", artifact("a")),
      fact,
    ];
    const { summary: previous } = applySummaryChanges(null, span, start);
    const all = SUMMARY_SECTIONS.flatMap((section) => previous[section].map(({ id }) => [section, id] as const));
    expect(all).toHaveLength(4);
    const removals = all.map(
      ([section, itemId]) => ({ op: "resolve", section, itemId, reason: "done" }) as unknown as SummaryChange,
    );
    const left = coded(removals, {}, 6_000, previous).map((change) => "section" in change && change.section);
    expect(left.toSorted()).toEqual(["facts", "toolOutcomes"]);
  });

  it("adds no artifact or file that is already named", () => {
    const named = [add("artifacts", artifact("a")), add("files", file("/srv/app/src/a.ts"))];
    expect(coded(named, { artifacts: [artifact("a")], files: [file("src/a.ts")] })).toEqual(named);
    const { summary: previous } = applySummaryChanges(null, span, named);
    expect(coded([], { artifacts: [artifact("a")], files: [file("src/a.ts")] }, 6_000, previous)).toEqual([]);
    expect(coded([], { artifacts: [artifact("b")], files: [file("b.ts")] }, 6_000, previous)).toHaveLength(2);
    // An identifier of the same words is no artifact.
    expect(coded([fact], { artifacts: [artifact("a")] })).toHaveLength(2);
  });

  it("keeps a bounded share: the newest artifacts, and as many files as fit", () => {
    const artifacts = Array.from({ length: 30 }, (_, at) => artifact(`a${at}`));
    const shown = coded([], { artifacts }, 2_000).flatMap((change) =>
      "item" in change && "artifactId" in change.item ? [change.item] : [],
    );
    expect(shown.length).toBeGreaterThan(1);
    expect(shown).toEqual(artifacts.slice(-shown.length));
    const { summary } = applySummaryChanges(
      null,
      span,
      shown.map((item) => add("artifacts", item)),
    );
    const empty = tokenizer.countTokens(renderSummary(emptySummary(span)));
    expect(tokenizer.countTokens(renderSummary(summary)) - empty).toBeLessThanOrEqual(2_000 / 8);
    // What an earlier fold named goes for what is newer, oldest first, and says so.
    const { summary: previous } = applySummaryChanges(
      null,
      span,
      artifacts.slice(0, 3).map((item) => add("artifacts", item)),
    );
    const replaced = coded([], { artifacts: artifacts.slice(3) }, 2_000, previous);
    const gone = replaced.flatMap((change) => ("itemId" in change ? [change.itemId] : []));
    expect(gone.toSorted()).toEqual(previous.artifacts.map(({ id }) => id).toSorted());
    expect(
      coded([], { artifacts: artifacts.slice(3, 4) }, 2_000, previous).filter((change) => "itemId" in change),
    ).toEqual([]);

    const partly = artifacts
      .map((_, count) => coded([], { artifacts: artifacts.slice(3, 3 + count) }, 2_000, previous))
      .map((told) => told.flatMap((change) => ("itemId" in change ? [change.itemId] : [])))
      .filter(({ length }) => length > 0 && length < 3);
    expect(partly.length).toBeGreaterThan(0);
    for (const ids of partly)
      expect(ids.toSorted()).toEqual(
        previous.artifacts
          .slice(0, ids.length)
          .map(({ id }) => id)
          .toSorted(),
      );

    const files = Array.from({ length: 400 }, (_, at) => file(`src/file-${at}.ts`));
    const many = coded([], { files }, 1_000);
    expect(many.length).toBeGreaterThan(10);
    expect(many.length).toBeLessThan(400);
    expect(many).toEqual(files.slice(0, many.length).map((item) => add("files", item)));
    const full = add("facts", { text: "x".repeat(8_000), sources: [] });
    const few = coded([full], { files }, 1_000);
    expect(few.length).toBeGreaterThan(1);
    expect(few.length).toBeLessThan(many.length);
    // Where the summarizer named files that changed, there is no share for others.
    expect(coded([full, add("files", file("own.ts"))], { files }, 1_000)).toHaveLength(2);
    expect(coded([full, add("files", file("own.ts", "read"))], { files }, 1_000).length).toBeGreaterThan(2);
  });

  it("has tokens reserved for owed outcomes and artifacts, up to half of the summary", () => {
    const reserved = (owed: Partial<OwedItems>, most: number) =>
      reservedTokens({ ...nothing, ...owed }, fulfilment(most));
    expect([reserved({}, 1_000), reserved({ files: [file("a.ts")] }, 1_000)]).toEqual([0, 0]);
    const [one, artifacts] = [reserved({ outcomes: [outcome("m1")] }, 1_000), { artifacts: [artifact("a")] }];
    expect(one).toBeGreaterThan(0);
    expect(reserved({ outcomes: [outcome("m1")], ...artifacts }, 1_000)).toBe(one + reserved(artifacts, 1_000));
    expect(reserved(artifacts, 80)).toBe(10);
    expect(reserved({ outcomes: Array.from({ length: 90 }, (_, at) => outcome(`m${at}`)) }, 101)).toBe(50);
  });
});

describe("isNameOf", () => {
  it("matches a path to its own suffix, but not to another file name", () => {
    expect(isNameOf("/srv/app/src/a.ts", "src/a.ts")).toBe(true);
    expect(isNameOf("a.ts", "/srv/app/a.ts")).toBe(true);
    expect(isNameOf("/srv/app/data.ts", "a.ts")).toBe(false);
    expect(isNameOf("src\\a.ts", "C:\\app\\src\\a.ts")).toBe(true);
    expect(isNameOf("a.ts", "C:\\app\\src\\a.ts")).toBe(true);
  });
});
