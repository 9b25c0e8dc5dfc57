import {
  asMessageId,
  asThreadId,
  asToolCallId,
  type MessageInput,
  type OpenItem,
  type ResolvedItem,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type Summarizer,
  type SummaryChange,
} from "@threadfold/core";
import { message, patience, pinnedClock, runs } from "@threadfold/core/laws";
import { ExtractiveSummarizer, LLMSummarizer } from "@threadfold/summarizers";
import { ATTACKS, type Attack, hostileModel } from "@threadfold/summarizers/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const CYCLES = 10;
/** Walks of ten folds each, so that CI makes at least {@link PLANS} plans. The full run scales both. */
const RUNS = 256;
const RUNS_IN_FULL = 6_400;
const PLANS = 5_000;
const PIN = "Never push to main without asking me.";
const RULE = "Always answer in German.";
const TASK = `Build the project in src/build.ts. ${PIN}`;

/** A summarizer of a foreign hand: the same harm, straight in changes. */
function hostileSummarizer(attackOf: () => Attack): Summarizer {
  return {
    id: "hostile@1",
    summarize: async ({ previous, span }) => {
      const attack = attackOf();
      if (attack === "throw") throw new Error("down");
      const sources = attack === "foreign" ? [asMessageId("elsewhere")] : span.messageIds.slice(0, 1);
      const items =
        previous === null
          ? []
          : SUMMARY_SECTIONS.flatMap((section) => previous[section].map((item) => ({ section, item })));
      const taken = ["drop", "negate", "rewrite", "resolve-all"].includes(attack);
      const changes: SummaryChange[] = taken
        ? items.map(({ section, item }) => ({ op: "resolve", section, itemId: item.id, reason: "because" }))
        : [];
      const text =
        attack === "flood" ? "wave ".repeat(4_000) : attack === "invent" ? "see src/invented_x.ts" : "All is done.";
      return { changes: [...changes, { op: "add", section: "facts", item: { text, sources } }] };
    },
  };
}

const createdAt = "2026-01-01T00:00:00.000Z";
/** One request of the user, some work, and a question that stays open. */
function cycle(index: number): readonly MessageInput[] {
  const callId = asToolCallId(`call_${index}`);
  const content = { type: "text", text: `step ${index} ok ${"log ".repeat(90)}` } as const;
  return [
    message(
      `u${index}`,
      "user",
      index === 0 ? TASK : `Please also write chapter number ${index} of the manual. ${index === 1 ? RULE : ""}`,
    ),
    {
      id: asMessageId(`a${index}`),
      role: "assistant",
      createdAt,
      parts: [{ type: "tool-call", callId, toolName: "bash", input: { command: `make step-${index}` } }],
    },
    {
      id: asMessageId(`t${index}`),
      role: "tool",
      createdAt,
      parts: [{ type: "tool-result", result: { toolName: "bash", callId, outcome: "success", content } }],
    },
    message(
      `b${index}`,
      "assistant",
      `I could not finish chapter ${index} yet; a test failed. ${"more words ".repeat(30)}`,
    ),
  ];
}

/** What was ever in a summary, by its id, and what plans said of what they took out: each says it once. */
interface Told {
  readonly seen: Map<string, { readonly section: string; readonly item: OpenItem }>;
  readonly gone: ResolvedItem[];
}

/** Every item that was ever in a summary, by its words: what stands for it must be there, or a record of where it went. */
function expectNothingLost({ seen, gone }: Told, session: ContextSession): void {
  const { summarizations } = session.plan;
  gone.push(...summarizations.flatMap(({ resolved }) => resolved));
  const summaries: readonly StructuredSummary[] = summarizations.map(({ summary }) => summary);
  const records = new Set(gone.map(({ item }) => item.id));
  const present = new Set(
    summaries.flatMap((summary) => SUMMARY_SECTIONS.flatMap((section) => summary[section].map(({ id }) => id))),
  );
  // Open work may only leave after it was closed, and both steps are on record.
  const closed = new Set(
    gone.flatMap(({ section, item }) => {
      const { status, description } = item as OpenItem;
      return section === "openItems" && status !== "open" ? [description] : [];
    }),
  );
  const work = new Set(summaries.flatMap((summary) => summary.openItems.map(({ description }) => description)));
  for (const [id, { section, item }] of seen) {
    expect(present.has(id) || records.has(id), `${section} ${JSON.stringify(item)} went without a record`).toBe(true);
    if (section === "constraints") expect(present.has(id)).toBe(true);
    if (section === "openItems" && item.status === "open")
      expect(work.has(item.description) || closed.has(item.description), `${item.description} was never closed`).toBe(
        true,
      );
  }
  const own = new Set([...session.thread.messages].map(({ id }) => id));
  for (const summary of summaries)
    for (const section of SUMMARY_SECTIONS)
      for (const item of summary[section]) {
        seen.set(item.id, { section, item: item as OpenItem });
        for (const source of item.sources) expect(own.has(source)).toBe(true);
      }
}

async function tenFolds(summarizer: Summarizer): Promise<number> {
  const session = await ContextSession.open({
    threadId: asThreadId("hostile"),
    clock: pinnedClock(0),
    summarizer,
    background: false,
    config: {
      maxInputTokens: 1_800,
      preserveRecentTurns: 1,
      summaryMaxTokens: 600,
      targetPercent: 0.3,
      enableDropping: false,
      enableExternalization: false,
      enableClearing: false,
    },
  });
  await session.pin("Deploys happen on Tuesdays.");
  const told: Told = { seen: new Map(), gone: [] };
  let plans = 0;
  for (let index = 0; index < CYCLES; index++) {
    await session.append(cycle(index));
    const outcome = await session.compact({ force: true });
    const { payload, missingPins, violations } = await session.render(outcome);
    if (outcome.type === "committed" || outcome.type === "summarizer-failed-floor-used") plans++;
    expect(violations).toEqual([]);
    expect(missingPins).toEqual([]);
    const text = JSON.stringify(payload);
    for (const pin of [PIN, "Deploys happen on Tuesdays.", ...(index > 0 ? [RULE] : [])]) expect(text).toContain(pin);
    expect(text).not.toContain("src/invented_x.ts");
    expect(text).not.toContain("deadbeef99");
    expectNothingLost(told, session);
  }
  return plans;
}

describe("a hostile summarizer over ten cycles", () => {
  /** Plans that were made with a hostile hand in it. */
  let plans = 0;
  const walks = (summarizerOf: (attackOf: () => Attack) => Summarizer): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...ATTACKS), { minLength: 1, maxLength: CYCLES }), async (attacks) => {
        let turn = 0;
        plans += await tenFolds(summarizerOf(() => attacks[turn++ % attacks.length] as Attack));
      }),
      runs(RUNS, RUNS_IN_FULL),
    );

  it(
    "R15 P5 P6: a hostile model behind the LLM summarizer loses no pin, no rule and no open item, and every disappearance is recorded",
    {
      timeout: patience(300_000),
    },
    () => walks((attackOf) => new LLMSummarizer({ model: hostileModel(attackOf), retries: 0 })),
  );

  it(
    "R15 P5 P6: a host's own hostile summarizer does no more harm, because the session checks it by default",
    {
      timeout: patience(300_000),
    },
    () => walks(hostileSummarizer),
  );

  it("R15: the walks made at least 5 000 plans", () => {
    expect(plans).toBeGreaterThanOrEqual((PLANS * runs(RUNS, RUNS_IN_FULL).numRuns) / RUNS);
  });

  it("the same walk with a friendly summarizer keeps the open work that the attacks target", async () => {
    const session = { plans: await tenFolds(new ExtractiveSummarizer()) };
    expect(session.plans).toBeGreaterThan(5);
  });
});
