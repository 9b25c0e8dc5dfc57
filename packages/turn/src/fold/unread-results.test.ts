import {
  AgentThread,
  actionOf,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  type JsonValue,
  type MessageInput,
  type PlanRecord,
  parsePlan,
  planRecords,
  previewOf,
  serializePlan,
  type ToolResultContent,
  tokenBudget,
  toolResultText,
} from "@threadfold/core";
import { assistant, call, message, patience, result, runs, tool } from "@threadfold/core/laws";
import { PRESETS, presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RunFoldOptions, runFold } from "../testing/run-fold.ts";

const callsOf = (id: string, count: number, inputCharacters = 0): MessageInput =>
  assistant(
    id,
    Array.from({ length: count }, (_, at) =>
      call(`${id}-${at}`, "bash", { command: `cat part-${at}.log ${"x".repeat(inputCharacters)}` }),
    ),
  );
const resultOf = (callsId: string, at: number, { content, failed }: Body): MessageInput =>
  tool(
    `${callsId}-r${at}`,
    result(`${callsId}-${at}`, content, { toolName: "bash", outcome: failed ? "failure" : "success" }),
  );

interface Body {
  readonly content: ToolResultContent;
  readonly failed: boolean;
}

const lines = (characters: number): string => {
  const line = "2026-01-01 12:00:00 INFO request served in 12 ms\n";
  return line.repeat(Math.ceil(characters / line.length)).slice(0, characters);
};
const KINDS: readonly ((characters: number) => ToolResultContent)[] = [
  (characters) => ({ type: "text", text: lines(characters) }),
  (characters) => ({ type: "text", text: "x".repeat(characters) }),
  (characters) => ({ type: "text", text: "日本語のログ。".repeat(Math.ceil(characters / 7)) }),
  (characters) => ({ type: "text", text: "🚀".repeat(Math.ceil(characters / 2)) }),
  (characters) => {
    const rows: JsonValue = Array.from({ length: Math.ceil(characters / 40) }, (_, row) => ({ row, name: "record" }));
    return { type: "json", value: rows };
  },
  (characters) => ({
    type: "blocks",
    blocks: [
      { type: "text", text: lines(characters) },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png", mediaType: "image/png" } },
    ],
  }),
];
const bodies: fc.Arbitrary<Body> = fc.record({
  content: fc
    .tuple(fc.constantFrom(...KINDS), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 12 }))
    .map(([make, power, factor]) => make(factor * 4 ** (power + 2))),
  failed: fc.boolean(),
});

const crowdedFolds = fc.record({
  history: fc.array(bodies, { maxLength: 6 }),
  unread: fc.array(bodies, { minLength: 1, maxLength: 3 }),
  /** What the calls of the unread results take for themselves. */
  inputCharacters: fc.constantFrom(0, 0, 300, 9_000, 120_000),
  /** A user may say something before the model has read the results. */
  steered: fc.boolean(),
  maxInputTokens: fc.integer({ min: 2_500, max: 20_000 }),
  enableExternalization: fc.boolean(),
});

const presetNames = fc.constantFrom(...PRESETS.map(({ name }) => name));

function threadOf(
  history: readonly Body[],
  unread: readonly Body[],
  { steered = false, inputCharacters = 0 }: { readonly steered?: boolean; readonly inputCharacters?: number } = {},
): AgentThread {
  const steps = history.flatMap((body, step) => [callsOf(`a${step}`, 1), resultOf(`a${step}`, 0, body)]);
  return AgentThread.empty(asThreadId("t")).append([
    message("u0", "user", "Find out why it fails."),
    ...steps,
    callsOf("now", unread.length, inputCharacters),
    ...unread.map((body, at) => resultOf("now", at, body)),
    ...(steered ? [message("u1", "user", "Look at the last lines first.")] : []),
  ]);
}

const recordOf = (plan: CompactionPlan, id: string): PlanRecord | undefined =>
  planRecords(plan).find(({ span }) => span.messageIds.includes(asMessageId(id)));

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

describe("results that no model call has read", () => {
  it("are shown whole, or by head and tail that fill the room, in every preset", {
    timeout: patience(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        crowdedFolds,
        presetNames,
        async ({ history, unread, steered, inputCharacters, maxInputTokens, enableExternalization }, name) => {
          const preset = presetByName(name);
          const thread = threadOf(history, unread, { steered, inputCharacters });
          const { result, config } = runFold(thread, { preset, config: { maxInputTokens, enableExternalization } });
          const outcome = await result;
          if (outcome.type !== "ready") {
            expect(["no-op", "inflated"]).toContain(outcome.type);
            return;
          }
          const { plan, tokens } = outcome;
          expect(parsePlan(serializePlan(plan))).toEqual(plan);
          const room = tokenBudget(config);
          expect(tokens.after).toBeLessThanOrEqual(room.limitTokens);
          const shown = unread.map((body, at) => shownOf(plan, `now-r${at}`, body));
          const cut = shown.filter(({ whole }) => !whole);
          if (cut.length === 0) return;
          // The room is used, the parallel results share it, and what stays whole takes no more than a share.
          expect(tokens.after).toBeGreaterThan(0.85 * room.softLimit);
          const shares = cut.map((share) => share.tokens);
          expect(Math.min(...shares)).toBeGreaterThan(0.75 * Math.max(...shares));
          for (const { whole, tokens: size } of shown)
            if (whole) expect(size).toBeLessThanOrEqual(Math.max(...shares) * 1.35 + 150);
        },
      ),
      runs(300),
    );
  });

  it("stay whole in every preset while they fit beside the folded rest", {
    timeout: patience(120_000),
  }, async () => {
    const sized = fc.record({ content: fc.integer({ min: 10, max: 12_000 }).map((size) => KINDS[0]?.(size)) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(bodies, { minLength: 2, maxLength: 8 }),
        fc.array(sized, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        presetNames,
        async (history, sizes, steered, name) => {
          const preset = presetByName(name);
          const unread = sizes.map(({ content }) => ({ content: content as ToolResultContent, failed: false }));
          const needed = unread.reduce((sum, { content }) => sum + tokensOf(toolResultText(content)) + 20, 0);
          const thread = threadOf(history, unread, { steered });
          const outcome = await runFold(thread, { preset, config: { maxInputTokens: needed + 1_200 } }).result;
          if (outcome.type !== "ready") {
            expect(["no-op", "inflated"]).toContain(outcome.type);
            return;
          }
          for (const [at] of unread.entries())
            expect(actionOf(outcome.plan, asMessageId(`now-r${at}`)).action).toBe("include");
        },
      ),
      runs(200),
    );
  });

  const huge = (characters: number): Body => ({ content: { type: "text", text: lines(characters) }, failed: false });
  const folded = async (thread: AgentThread, options: RunFoldOptions = {}) => {
    const outcome = await runFold(thread, { config: { maxInputTokens: 8_000 }, ...options }).result;
    if (outcome.type !== "ready") throw new Error(outcome.type);
    return outcome;
  };

  it("are cut at line ends in a single attempt, without summaries that could not make room", async () => {
    const { plan, attempts } = await folded(threadOf([huge(400)], [huge(2_000_000)]));
    expect(attempts).toHaveLength(1);
    const preview = previewOf(recordOf(plan, "now-r0") as PlanRecord);
    const text = lines(2_000_000);
    expect(text[preview?.headCharacters ?? 0]).toBe("\n");
    expect(text[text.length - (preview?.tailCharacters ?? 0) - 1]).toBe("\n");
    expect((preview?.headCharacters ?? 0) / (preview?.tailCharacters ?? 1)).toBeCloseTo(2, 0);
    expect(actionOf(plan, asMessageId("a0-r0")).action).toBe("include");
  });

  it.each([90, 100, 110, 140])("show previews of the first ones when %i are too many for the room", async (count) => {
    const unread = Array.from({ length: count }, () => huge(7_500));
    const { result, config } = runFold(threadOf([], unread), { config: { maxInputTokens: 8_000 } });
    const outcome = await result;
    if (outcome.type !== "ready") throw new Error(outcome.type);
    const shown = unread.map((_, at) => previewOf(recordOf(outcome.plan, `now-r${at}`) as PlanRecord) !== undefined);
    const firstHidden = shown.indexOf(false);
    expect(shown.lastIndexOf(true)).toBeLessThan(firstHidden);
    expect(firstHidden).toBeGreaterThanOrEqual(count < 120 ? 10 : 3);
    expect(outcome.tokens.after).toBeGreaterThan(0.85 * tokenBudget(config).softLimit);
  });

  it("are truncated when the artifact store refuses them", async () => {
    const artifacts = {
      store: () => Promise.reject(new Error("disk is full")),
      getMetadata: async () => null,
      retrieve: async () => null,
      list: async () => [],
    };
    const { plan, notStored } = await folded(threadOf([], [huge(90_000)]), { ports: { artifacts } });
    expect(recordOf(plan, "now-r0")?.action).toBe("clear");
    expect(previewOf(recordOf(plan, "now-r0") as PlanRecord)?.headCharacters).toBeGreaterThan(10_000);
    expect(notStored).toHaveLength(1);
  });

  it.each([true, false])("lose their preview once a model call has read them (externalization: %s)", async (isOn) => {
    const config = { maxInputTokens: 8_000, enableExternalization: isOn };
    const before = threadOf([], [huge(200_000)]);
    const first = await folded(before, { config });
    expect(previewOf(recordOf(first.plan, "now-r0") as PlanRecord)).toBeDefined();
    const after = before.append([
      message("read", "assistant", "It is line 7."),
      callsOf("next", 1),
      resultOf("next", 0, huge(9_000)),
    ]);
    const second = await folded(after, { config, plan: first.plan });
    const record = recordOf(second.plan, "now-r0");
    expect(record && previewOf(record)).toBeUndefined();
    expect(actionOf(second.plan, asMessageId("next-r0")).action).toBe("include");
    expect(second.tokens.after).toBeLessThan(4_000);
  });
});

/** How much of a result a plan shows, which must be something, and both of its ends. */
function shownOf(plan: CompactionPlan, id: string, { content }: Body): { whole: boolean; tokens: number } {
  const text = toolResultText(content);
  const record = recordOf(plan, id);
  if (record === undefined) return { whole: true, tokens: tokensOf(text) };
  const preview = previewOf(record);
  if (preview === undefined) throw new Error(`${id} became ${record.action}`);
  const { headCharacters, tailCharacters, leftOutTokens } = preview;
  expect(Math.min(headCharacters, tailCharacters, leftOutTokens)).toBeGreaterThan(0);
  expect(headCharacters + tailCharacters).toBeLessThan(text.length);
  const head = text.slice(0, headCharacters);
  const tail = text.slice(-tailCharacters);
  expect([head.isWellFormed(), tail.isWellFormed()]).toEqual([true, true]);
  return { whole: false, tokens: tokensOf(head) + tokensOf(tail) };
}
