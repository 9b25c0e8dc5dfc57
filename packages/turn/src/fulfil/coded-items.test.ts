import {
  AgentThread,
  type ArtifactReference,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  type ContextCompactionConfig,
  type JsonObject,
  type MessageId,
  type MessageInput,
  renderSummary,
  type Summarizer,
  type SummaryChange,
} from "@threadfold/core";
import { assistant, call, message, result, tool, user } from "@threadfold/core/laws";
import {
  type CompactionStrategy,
  clearStrategy,
  dropStrategy,
  externalizeStrategy,
  summarizeStrategy,
  threadfoldPreset,
} from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factSummarizer, foldedPlan } from "../testing/run-fold.ts";
import { KEPT_FIELDS } from "./drop-records.ts";

interface Order {
  readonly keyFields?: JsonObject;
  readonly body?: string;
  readonly toolName?: string;
}

/** A turn: a request, a call with its result, and an answer. */
function turn(name: string, { keyFields, body = "row of the table\n".repeat(60), toolName = "get_order" }: Order = {}) {
  return [
    user(`u${name}`, `Look at order ${name}.`),
    assistant(`a${name}`, call(`call_${name}`, toolName, { path: `orders/${name}.json` })),
    tool(`t${name}`, result(`call_${name}`, body, { toolName, ...(keyFields && { keyFields }) })),
    assistant(`b${name}`, `Looked at order ${name}. ${"It is fine. ".repeat(20)}`),
  ];
}

const threadOf = (...turns: readonly (readonly MessageInput[])[]): AgentThread =>
  AgentThread.empty(asThreadId("t")).append([...turns.flat(), message("last", "user", "And now?")]);

const fold = (
  thread: AgentThread,
  ladder: readonly CompactionStrategy[],
  summarizer: Summarizer = factSummarizer,
  config: Partial<ContextCompactionConfig> = {},
  plan?: CompactionPlan,
): Promise<CompactionPlan> =>
  foldedPlan(thread, {
    preset: { ...threadfoldPreset, ladder },
    config: { preserveRecentTurns: 0, ...config },
    ports: { summarizer },
    ...(plan !== undefined && { plan }),
  });

/** All that a plan shows of what it folded, as text. */
const shown = ({ summarizations, clearings, externalizations }: CompactionPlan): string =>
  [
    ...[...summarizations, ...externalizations].map(({ summary }) => renderSummary(summary)),
    ...clearings.map(({ preservedFields }) => JSON.stringify(preservedFields)),
  ].join("\n");

const scripted = (make: (previous: readonly { id: string }[]) => readonly SummaryChange[]): Summarizer => ({
  id: "host@1",
  summarize: async ({ previous }) => ({ changes: make(previous?.toolOutcomes ?? []) }),
});
const note: SummaryChange = { op: "add", section: "facts", item: { text: "All went well.", sources: [] } };

const LADDERS = {
  externalize: [externalizeStrategy],
  summarize: [summarizeStrategy],
  clear: [clearStrategy],
  drop: [dropStrategy],
} satisfies Record<string, readonly CompactionStrategy[]>;

describe("declared fields", () => {
  const POLICY = {
    toolDurabilityOverrides: {
      get_order: {
        durability: "ephemeral",
        mustPreserveFields: ["order.id", "order.lines.*.sku"],
        replayCost: "cheap",
        externalizeThresholdTokens: 100,
      },
    },
  } as const;
  const body = (id: string): string =>
    JSON.stringify({ rows: "row ".repeat(400), order: { id, lines: [{ sku: `${id}-SKU` }] } }, null, 2);

  it.each(Object.keys(LADDERS) as (keyof typeof LADDERS)[])("survive a fold by: %s", async (action) => {
    const turns = ["1", "2", "3"].map((name) =>
      turn(name, { keyFields: { customer: `CUST-${name}` }, body: body(`ORD-${name}`) }),
    );
    const plan = await fold(threadOf(...turns), LADDERS[action], undefined, { maxInputTokens: 1_200, ...POLICY });
    const folded = [...plan.summarizations, ...plan.clearings, ...plan.externalizations, ...plan.drops].flatMap(
      ({ span }) => span.messageIds,
    );
    const names = ["1", "2", "3"].filter((name) => folded.includes(asMessageId(`t${name}`)));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      for (const value of [`CUST-${name}`, `ORD-${name}`, `ORD-${name}-SKU`]) expect(shown(plan)).toContain(value);
  });

  it("are merged into the summarizer's item of the same call, with the tool's values", async () => {
    const summarizer = scripted(() => [
      {
        op: "add",
        section: "toolOutcomes",
        item: {
          ...{ toolName: "get_order", outcome: "success", errorMessage: null, sources: [asMessageId("t1")] },
          keyFields: { customer: "somebody", total: 12 },
        },
      },
    ]);
    const thread = threadOf(turn("1", { keyFields: { customer: "CUST-1" } }), turn("2"));
    const plan = await fold(thread, LADDERS.summarize, summarizer, { maxInputTokens: 900 });
    const outcomes = plan.summarizations.flatMap(({ summary }) => summary.toolOutcomes);
    expect(outcomes.map(({ keyFields }) => keyFields)).toEqual([{ customer: "CUST-1", total: 12 }]);
  });

  it("are not removed by a later summarizer, and go last and oldest first when room runs out", async () => {
    const first = threadOf(turn("1", { keyFields: { customer: "CUST-1" } }), turn("2"));
    const before = await fold(first, LADDERS.summarize, undefined, { maxInputTokens: 900 });
    const hostile = scripted((outcomes) => [
      note,
      ...outcomes.map(
        ({ id }): SummaryChange => ({ op: "resolve", section: "toolOutcomes", itemId: id, reason: "no" }),
      ),
    ]);
    const later = first.append([
      ...turn("3", { keyFields: { customer: "CUST-3" } }),
      ...turn("4"),
      message("z", "user", "So?"),
    ]);
    const after = await fold(later, LADDERS.summarize, hostile, { maxInputTokens: 900 }, before);
    expect(shown(after)).toContain("CUST-1");
    expect(shown(after)).toContain("CUST-3");
    const many = Array.from({ length: 40 }, (_, index) =>
      turn(`n${index}`, { keyFields: { customer: `CUST-N${index}` } }),
    );
    const full = await fold(threadOf(...many), LADDERS.summarize, undefined, {
      maxInputTokens: 3_000,
      summaryMaxTokens: 400,
    });
    const kept = full.summarizations.flatMap(({ summary }) =>
      summary.toolOutcomes.map(({ keyFields }) => String(keyFields["customer"])),
    );
    expect(kept.length).toBeGreaterThan(3);
    expect(full.summarizations.flatMap(({ summary }) => summary.facts)).toEqual([]);
    expect(kept).not.toContain("CUST-N0");
    const gone = full.summarizations.flatMap(({ resolved }) => resolved.map(({ item }) => JSON.stringify(item)));
    expect(gone.some((item) => item.includes("CUST-N0"))).toBe(true);
  });

  it("are redacted when the session redacts secrets", async () => {
    const thread = threadOf(turn("1", { keyFields: { token: "s3cret" } }), turn("2"));
    const redact = async <Value>(value: Value): Promise<Value> =>
      JSON.parse(JSON.stringify(value).replaceAll("s3cret", "[redacted]")) as Value;
    const plan = await foldedPlan(thread, {
      preset: { ...threadfoldPreset, ladder: LADDERS.summarize },
      config: { preserveRecentTurns: 0, maxInputTokens: 900 },
      ports: { redact },
    });
    expect(shown(plan)).toContain("[redacted]");
    expect(shown(plan)).not.toContain("s3cret");
  });

  it("spec-47 spec-49 spec-56 survive any fold, whatever its summarizer adds or resolves", async () => {
    const fields = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.oneof(fc.integer(), fc.stringMatching(/^[A-Z0-9-]{1,12}$/)),
      {
        minKeys: 1,
        maxKeys: 3,
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fields, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.boolean(),
        async (all, takes, claims) => {
          const turns = all.map((keyFields, index) => turn(`p${index}`, { keyFields }));
          const summarizer = scripted((outcomes) => [
            note,
            ...(takes
              ? outcomes.map(
                  ({ id }): SummaryChange => ({ op: "resolve", section: "toolOutcomes", itemId: id, reason: "" }),
                )
              : []),
            ...(claims
              ? [
                  {
                    op: "add",
                    section: "toolOutcomes",
                    item: {
                      ...{ toolName: "get_order", outcome: "failure", keyFields: { a: "no" }, errorMessage: "x" },
                      ...{ declared: true, sources: [asMessageId("tp0")] },
                    },
                  } satisfies SummaryChange,
                ]
              : []),
          ]);
          const plan = await fold(threadOf(...turns, turn("end")), LADDERS.summarize, summarizer, {
            maxInputTokens: 900,
          });
          const kept = plan.summarizations.flatMap(({ summary }) => summary.toolOutcomes);
          const folded = plan.summarizations.flatMap(({ span }) => span.messageIds);
          for (const [index, keyFields] of all.entries()) {
            if (!folded.includes(asMessageId(`tp${index}`))) continue;
            const own = kept.filter(({ sources }) => sources.includes(asMessageId(`tp${index}`)));
            expect(
              own.some((item) => Object.entries(keyFields).every(([name, value]) => item.keyFields[name] === value)),
            ).toBe(true);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("dropped messages", () => {
  it("spec-47 leave one summary of their declared fields, and none without declared fields", async () => {
    let thread = threadOf(turn("0", { keyFields: { customer: "CUST-0" } }), turn("x"));
    let plan: CompactionPlan | undefined;
    for (let index = 1; index <= 4; index++) {
      plan = await fold(thread, LADDERS.drop, undefined, { maxInputTokens: 900 }, plan);
      thread = thread.append([
        ...turn(`${index}`, { keyFields: { customer: `CUST-${index}` } }),
        ...turn(`y${index}`),
        message(`z${index}`, "user", "So?"),
      ]);
    }
    const last = plan as CompactionPlan;
    expect(last.summarizations.map(({ summarizer }) => summarizer)).toEqual([KEPT_FIELDS]);
    const dropped = last.drops.flatMap(({ span }) => span.messageIds);
    expect(dropped.length).toBeGreaterThan(2);
    for (const name of ["0", "1", "2"]) expect(shown(last)).toContain(`CUST-${name}`);
    const nothing = await fold(threadOf(turn("1"), turn("2"), turn("3")), LADDERS.drop, undefined, {
      maxInputTokens: 900,
    });
    expect(nothing.summarizations).toEqual([]);
  });
});

/** Room for all references of a short thread. */
const ROOMY = { summaryMaxTokens: 2_000, summaryMaxPercent: 1 };

describe("pointers to artifacts", () => {
  const big = (name: string) => turn(name, { body: `${name} said so. `.repeat(900), toolName: "read" });
  const references = (plan: CompactionPlan): readonly ArtifactReference[] =>
    plan.summarizations.flatMap(({ summary }) => summary.artifacts);

  it("spec-36 spec-37 keep their artifact reference in a summary that absorbs them, over every later fold", async () => {
    const thread = threadOf(big("1"), big("2"));
    const pointed = await fold(thread, LADDERS.externalize, undefined, { maxInputTokens: 3_000 });
    const ids = pointed.externalizations.map(({ artifactId }) => artifactId);
    expect(ids.length).toBeGreaterThan(0);
    const more = thread.append([...turn("3"), ...turn("4"), message("z", "user", "So?")]);
    const once = await fold(more, LADDERS.summarize, undefined, { maxInputTokens: 900, ...ROOMY }, pointed);
    expect(references(once).map(({ artifactId }) => artifactId)).toEqual(ids);
    expect(references(once)[0]).toMatchObject({
      rehydrateHint: "full result of read orders/1.json",
      description: "read, success",
    });
    const again = more.append([...turn("5"), ...turn("6"), message("zz", "user", "So?")]);
    const twice = await fold(again, LADDERS.summarize, undefined, { maxInputTokens: 900, ...ROOMY }, once);
    expect(references(twice).map(({ artifactId }) => artifactId)).toEqual(ids);
  });

  it("take a bounded share of a summary, newest first", async () => {
    const thread = threadOf(...Array.from({ length: 12 }, (_, index) => big(`${index}`)));
    const pointed = await fold(thread, LADDERS.externalize, undefined, { maxInputTokens: 6_000, targetPercent: 0.1 });
    expect(pointed.externalizations.length).toBe(12);
    const more = thread.append([...turn("x"), message("z", "user", "So?")]);
    const plan = await fold(
      more,
      LADDERS.summarize,
      undefined,
      { maxInputTokens: 2_000, summaryMaxTokens: 400, targetPercent: 0.2 },
      pointed,
    );
    const ids = references(plan).map(({ artifactId }) => artifactId);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThan(6);
    const folded = plan.summarizations.flatMap(({ span }) => span.messageIds);
    const taken = pointed.externalizations.filter(({ span }) => folded.includes(span.messageIds[0] as MessageId));
    expect(ids.length).toBeLessThan(taken.length);
    expect(ids).toEqual(taken.slice(-ids.length).map(({ artifactId }) => artifactId));
  });
});

describe("changed files", () => {
  const edit = (name: string): readonly MessageInput[] => turn(name, { toolName: "edit" });
  const paths = (plan: CompactionPlan): readonly string[] =>
    plan.summarizations.flatMap(({ summary }) => summary.files.map(({ path }) => path));

  it("are listed in a summary without the summarizer's help, and once if it names the same path differently", async () => {
    const thread = threadOf(edit("1"), edit("2"));
    const plan = await fold(thread, LADDERS.summarize, undefined, { maxInputTokens: 900 });
    expect(paths(plan)).toContain("orders/1.json");
    const named = scripted(() => [
      {
        op: "add",
        section: "files",
        item: {
          path: "/shop/orders/1.json",
          action: "modified",
          description: "the order",
          sources: [asMessageId("a1")],
        },
      },
    ]);
    const own = await fold(thread, LADDERS.summarize, named, { maxInputTokens: 900 });
    expect(paths(own).filter((path) => path.endsWith("orders/1.json"))).toEqual(["/shop/orders/1.json"]);
  });
});
