import type { AnthropicBeta } from "@anthropic-ai/sdk/resources/beta/beta";
import type {
  BetaContextManagementConfig,
  MessageCreateParams,
} from "@anthropic-ai/sdk/resources/beta/messages/messages";
import { asPinId, type ClearRecord, type CompactionPlan, type PlanRecord, planRecords } from "@threadfold/core";
import { call, result, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages/format.ts";
import { renderInputs } from "../laws/render-inputs.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { type AnyJson, renderSample } from "../testing/render-sample.ts";
import { type MessageSpec, planWith, recordOver, signed, summaryOver, threadOf } from "../testing/sample-thread.ts";
import { anthropicNativeEdits } from "./anthropic-native-edits.ts";
import type { AnthropicNativeFields, ClearToolUsesEdit } from "./clear-tool-uses.ts";

const thread = threadOf(
  ["user", "go"],
  ["assistant", signed, call("a")],
  ["tool", result("a", "one")],
  ["assistant", signed, call("b", "bash")],
  ["tool", result("b", "two", { toolName: "bash" })],
  ["assistant", call("c")],
  ["tool", result("c", "three")],
  ["user", "on"],
  ["assistant", signed, call("d")],
  ["tool", result("d", "four")],
  ["user", "end"],
);

const cleared = (numbers: readonly number[], more: Partial<ClearRecord> = {}): ClearRecord => ({
  ...recordOver(thread, ...numbers),
  action: "clear",
  targets: ["tool-result"],
  preservedFields: {},
  ...more,
});

const kindsOf = (plan: CompactionPlan, options = {}) =>
  anthropicNativeEdits(thread, plan, options).differences.map(({ kind }) => kind);

describe("native clearing at Anthropic", () => {
  it("keeps the newest tool uses and excludes the tools that the plan spares", () => {
    const { fields, betas, headers, rest, differences } = anthropicNativeEdits(
      thread,
      planWith(thread, cleared([3, 7])),
    );
    expect(fields).toEqual({
      context_management: {
        edits: [
          {
            type: "clear_tool_uses_20250919",
            trigger: { type: "tool_uses", value: 1 },
            keep: { type: "tool_uses", value: 1 },
            exclude_tools: ["bash"],
          },
        ],
      },
    });
    expect(betas).toEqual(["context-management-2025-06-27"]);
    expect(headers).toEqual({ "anthropic-beta": "context-management-2025-06-27" });
    expect(planRecords(rest)).toEqual([]);
    expect(differences).toEqual([{ kind: "edited-out-of-sight" }]);
  });

  it("keeps the same results cleared while the thread grows", () => {
    const plan = planWith(thread, cleared([3, 7]));
    const longer = threadOf(
      ...[...thread.messages].map(({ role, parts }) => [role, ...parts] as const),
      ["assistant", call("e")],
      ["tool", result("e", "five")],
    );
    const [edit] = anthropicNativeEdits(longer, plan).fields.context_management?.edits ?? [];
    expect(edit).toMatchObject({ keep: { value: 2 } });
  });

  it("leaves results after a kept one to rendering, or clears them too if allowed", () => {
    const plan = planWith(thread, cleared([3, 10], { preservedFields: { path: "a.ts" } }));
    const careful = anthropicNativeEdits(thread, plan);
    expect(careful.rest.clearings.map(({ span }) => span.messageIds)).toEqual([["m10"]]);
    expect(careful.differences).toEqual([
      { kind: "left-to-rendering", action: "clear", reason: "something-older-stays", messageIds: ["m10"] },
      { kind: "key-data-lost", messageIds: ["m3"] },
      { kind: "edited-out-of-sight" },
    ]);
    const more = anthropicNativeEdits(thread, plan, { mayClearMore: true });
    expect(planRecords(more.rest)).toEqual([]);
    expect(more.differences).toContainEqual({ kind: "cleared-too", messageIds: ["m7"] });
  });

  it("clears inputs only if the plan clears all of them, and leaves other bodies to rendering", () => {
    const both = planWith(thread, cleared([2, 3], { targets: ["tool-result", "tool-input", "text"] }));
    const { fields, rest, differences } = anthropicNativeEdits(thread, both);
    expect(fields.context_management?.edits[0]).toMatchObject({ clear_tool_inputs: true });
    expect(rest.clearings.map(({ targets, span }) => [targets, span.messageIds])).toEqual([
      [["tool-result", "text"], ["m2"]],
      [["tool-input", "text"], ["m3"]],
    ]);
    expect(differences.map(({ kind }) => kind)).toContain("left-to-rendering");
    expect(kindsOf(planWith(thread, cleared([3], { keep: { headCharacters: 1, tailCharacters: 1 } })))).toEqual([
      "left-to-rendering",
    ]);
  });

  it("clears the thinking of the oldest turns as the first edit, and never that of the newest turn", () => {
    const all = planWith(thread, cleared([2, 3, 4, 9], { targets: ["reasoning", "tool-result"] }));
    const { fields, rest } = anthropicNativeEdits(thread, all);
    expect(fields.context_management?.edits.map(({ type, ...rest }) => [type, "keep" in rest && rest.keep])).toEqual([
      ["clear_thinking_20251015", { type: "thinking_turns", value: 1 }],
      ["clear_tool_uses_20250919", { type: "tool_uses", value: 3 }],
    ]);
    expect(
      rest.clearings.flatMap(({ targets, span }) => (targets.includes("reasoning") ? span.messageIds : [])),
    ).toContain("m9");
  });
});

describe("native compaction at Anthropic", () => {
  const plan = {
    ...planWith(thread, summaryOver(thread, [2, 3, 4, 5])),
    originalTokens: 160_000,
    compactedTokens: 70_000,
  };

  it("replaces the plan's summaries, and reports what happens to the other records", () => {
    const { fields, betas, rest, differences } = anthropicNativeEdits(thread, plan, { pauseAfterCompaction: true });
    expect(fields.context_management?.edits).toEqual([
      { type: "compact_20260112", trigger: { type: "input_tokens", value: 70_000 }, pause_after_compaction: true },
    ]);
    expect(betas).toEqual(["compact-2026-01-12"]);
    expect(planRecords(rest)).toEqual([]);
    expect(differences).toEqual([
      { kind: "summary-by-provider", messageIds: ["m2", "m3", "m4", "m5"] },
      { kind: "summarized-too", messageIds: ["m1", "m6", "m7", "m8", "m9", "m10", "m11"] },
      { kind: "edited-out-of-sight" },
    ]);
    expect(kindsOf(plan, { edits: ["clear-tool-uses"] })).toEqual(["left-to-rendering"]);
  });

  it("raises a threshold below the provider's minimum, and reports that compaction is not due", () => {
    const small = { ...plan, originalTokens: 9_000, compactedTokens: 4_000 };
    expect(anthropicNativeEdits(thread, small, { compactAt: 8_000 }).differences).toEqual(
      expect.arrayContaining([
        { kind: "not-due", tokens: 9_000, threshold: 50_000 },
        { kind: "threshold-raised", asked: 8_000, threshold: 50_000 },
      ]),
    );
  });

  it("is due only above its threshold, and reports a raised threshold only if less was asked for", () => {
    const differences = (originalTokens: number, compactAt?: number) =>
      anthropicNativeEdits(thread, { ...plan, originalTokens }, compactAt === undefined ? {} : { compactAt })
        .differences.map(({ kind }) => kind)
        .filter((kind) => kind === "not-due" || kind === "threshold-raised");
    expect(differences(50_001, 50_000)).toEqual([]);
    expect(differences(50_000, 50_000)).toEqual(["not-due"]);
    expect(differences(50_001, 49_999)).toEqual(["threshold-raised"]);
    expect(differences(70_001)).toEqual([]);
    expect(differences(160_000, 100_000)).toEqual([]);
  });

  it("leaves the plan's other actions to rendering, each with its reason", () => {
    const left = (records: readonly PlanRecord[], options = {}) =>
      anthropicNativeEdits(thread, planWith(thread, ...records), options).differences.flatMap((difference) =>
        difference.kind === "left-to-rendering" ? [[difference.action, difference.reason, difference.messageIds]] : [],
      );
    const summary = summaryOver(thread, [2, 3, 4, 5]);
    expect(left([summary], { edits: ["clear-tool-uses"] })).toEqual([
      ["summarize", "not-asked-for", ["m2", "m3", "m4", "m5"]],
    ]);
    expect(left([{ ...recordOver(thread, 1), action: "drop", keywords: [] }])).toEqual([
      ["drop", "no-such-edit", ["m1"]],
    ]);
    expect(left([cleared([3], { keep: { headCharacters: 1, tailCharacters: 1 } })])).toEqual([
      ["clear", "keeps-head-and-tail", ["m3"]],
    ]);
    expect(left([cleared([3], { targets: ["media"] })])).toEqual([["clear", "no-such-edit", ["m3"]]]);
    expect(left([cleared([3])], { edits: ["compact"] })).toEqual([["clear", "not-asked-for", ["m3"]]]);
    expect(left([cleared([9], { targets: ["reasoning"] })])).toEqual([["clear", "thinking-by-turn", ["m9"]]]);
    expect(left([cleared([2], { targets: ["reasoning"] })], { edits: ["compact"] })).toEqual([
      ["clear", "not-asked-for", ["m2"]],
    ]);
  });

  it("passes the pins word for word to the provider's summarizer", () => {
    const text = "Never touch src/legacy.";
    const pinned = thread.appendEntries([
      { type: "pin", pin: { id: asPinId("p"), text, authority: "user", origin: "explicit" } },
    ]);
    const { fields, differences } = anthropicNativeEdits(pinned, plan);
    expect(fields.context_management?.edits[0]).toMatchObject({
      instructions: expect.stringContaining(`- (user) "${text}"`),
    });
    expect(differences).toContainEqual({ kind: "pins-at-risk", told: true, pinIds: ["p"] });
    const own = anthropicNativeEdits(pinned, plan, { instructions: "Be brief." });
    expect(own.differences).toContainEqual({ kind: "pins-at-risk", told: false, pinIds: ["p"] });
  });

  it("requests the beta whenever a compaction block is sent, even without a plan", () => {
    const block = { type: "opaque", provider: "anthropic", value: { type: "compaction", content: "…" } } as const;
    const compacted = threadOf(["assistant", block, "so"], ["user", "on"]);
    expect(anthropicNativeEdits(compacted, planWith(compacted))).toMatchObject({
      fields: {},
      betas: ["compact-2026-01-12"],
      differences: [],
    });
  });
});

const blocksOf = (payload: AnyJson, type: string): readonly AnyJson[] =>
  payload.messages.flatMap(({ content }: AnyJson) => content.filter((block: AnyJson) => block.type === type));

/** Ids of the calls whose results are placeholders already. */
const clearedHere = (payload: AnyJson): readonly string[] =>
  blocksOf(payload, "tool_result")
    .filter(({ content }) => JSON.stringify(content).includes("cleared"))
    .map((block) => block.tool_use_id);

/** Ids of the calls that the API clears, by its documentation: all but the newest uses, except those of named tools. */
function clearedThere(payload: AnyJson, { context_management }: AnthropicNativeFields): readonly string[] {
  const edit = context_management?.edits.find(({ type }) => type === "clear_tool_uses_20250919") as
    | ClearToolUsesEdit
    | undefined;
  const uses = edit === undefined ? [] : blocksOf(payload, "tool_use");
  const old = uses.slice(0, uses.length - (edit?.keep.value ?? 0));
  return old.filter(({ name }) => !edit?.exclude_tools?.includes(name)).map(({ id }) => id);
}

describe("native edits for any plan", () => {
  it("lose no record, and leave a rendering that is legal", () => {
    fc.assert(
      fc.property(renderInputs, (input) => {
        const { rest, fields } = anthropicNativeEdits(input.thread, input.plan);
        const { request, manifest } = renderRequest({ ...input, plan: rest }, anthropicMessages);
        const { payload } = anthropicMessages.lower(request);
        expect(anthropicMessages.check({ ...payload, ...fields }, manifest)).toEqual([]);
        expect([rest.drops, rest.externalizations]).toEqual([input.plan.drops, input.plan.externalizations]);
      }),
      runs(100),
    );
  });

  const steps = fc.array(
    fc.record({
      tool: fc.constantFrom("read", "mcp.search", "bash"),
      isCleared: fc.boolean(),
      isAnswered: fc.boolean(),
      isTurn: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  );

  it("together with rendering, clear exactly what the plan clears from the payload", () => {
    let edits = 0;
    fc.assert(
      fc.property(steps, (list) => {
        const uses = list.map((step, index) => ({ ...step, id: `use_${index}` }));
        const specs = uses.flatMap(({ tool, id, isAnswered, isTurn }): readonly MessageSpec[] => [
          ["assistant", call(id, tool)],
          ...(isAnswered ? [["tool", result(id, "long body", { toolName: tool })] as const] : []),
          ...(isTurn ? [["user", "on"] as const] : []),
        ]);
        const long = threadOf(["user", "go"], ...specs, ["user", "end"]);
        const wanted = uses.filter(({ isCleared, isAnswered }) => isCleared && isAnswered).map(({ id }) => id);
        const numbers = [...long.messages].flatMap(({ parts: [part] }, index) =>
          part?.type === "tool-result" && wanted.includes(part.result.callId) ? [index + 1] : [],
        );
        const record = numbers.map((number): ClearRecord => ({ ...cleared([3]), ...recordOver(long, number) }));
        const native = anthropicNativeEdits(long, planWith(long, ...record));
        const { payload } = renderSample(long, { plan: native.rest, format: "anthropic-messages" });
        const gone = [...clearedHere(payload), ...clearedThere(payload, native.fields)];
        edits += native.fields.context_management?.edits.length ?? 0;
        expect(gone.toSorted()).toEqual(wanted.toSorted());
      }),
      runs(200),
    );
    expect(edits).toBeGreaterThan(runs(10).numRuns);
  });

  it("have the SDK's types", () => {
    type Writable<Value> = Value extends readonly (infer Item)[]
      ? Writable<Item>[]
      : Value extends object
        ? { -readonly [Key in keyof Value]: Writable<Value[Key]> }
        : Value;
    expectTypeOf<
      Writable<NonNullable<AnthropicNativeFields["context_management"]>>
    >().toExtend<BetaContextManagementConfig>();
    expectTypeOf<{ edits: { type: "clear_tool_uses" }[] }>().not.toExtend<BetaContextManagementConfig>();
    const native = anthropicNativeEdits(thread, planWith(thread, cleared([3])));
    const { request } = renderSample(thread, { plan: native.rest, format: "anthropic-messages" });
    const params: Partial<MessageCreateParams> = {
      ...(structuredClone(native.fields) as Writable<AnthropicNativeFields>),
      betas: native.betas as AnthropicBeta[],
    };
    expect(params.context_management?.edits).toHaveLength(1);
    expect(request.messages.some(({ synthetic }) => synthetic === "placeholder")).toBe(false);
  });
});
