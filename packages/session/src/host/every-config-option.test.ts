import {
  type ContextCompactionConfig,
  contextCompactionConfigSchema,
  type MessageInput,
  planRecords,
  type Summarizer,
} from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import type { ContextSession } from "../loop/context-session.ts";
import { handClock, openSession, work } from "../testing/agent-work.ts";
import type { PreparedRequest } from "./prepared-request.ts";

type Config = Required<ContextCompactionConfig>;
type Given = Partial<ContextCompactionConfig>;

/** Says as much as it may. */
const talkative: Summarizer = {
  id: "talkative@1",
  summarize: async ({ messages, previous }) => ({
    changes: Array.from({ length: 60 }, (_, at) => ({
      op: "add" as const,
      section: "facts" as const,
      item: {
        text: `Fact ${at} of round ${previous?.round ?? 0}: ${"it went well, ".repeat(6)}`,
        sources: messages.slice(0, 1).map(({ id }) => id),
      },
    })),
  }),
};

interface Fold {
  readonly before: number;
  readonly after: number;
  readonly floor: boolean;
}

/** An agent's work under a configuration, call after call. */
interface Worked {
  readonly session: ContextSession;
  readonly folds: readonly Fold[];
  readonly outcomes: readonly string[];
  /** The first request after the first fold. */
  readonly folded: PreparedRequest;
}

interface Work {
  readonly tokens: number;
  /** Every so many calls the user says something. */
  readonly turnEvery: number;
  /** True to end with the first fold. */
  readonly once: boolean;
}

async function worked(config: Given, { tokens = 400, turnEvery = 1_000, once = true }: Partial<Work> = {}) {
  const clock = handClock();
  const session = await openSession({
    clock,
    summarizer: talkative,
    config: { maxInputTokens: 10_000, costModelEnabled: false, ...config },
  });
  await session.append([message("u0", "user", "Build it.")]);
  const folds: Fold[] = [];
  const outcomes: string[] = [];
  let folded: PreparedRequest | undefined;
  for (let call = 0; call < 60 && !(once && folded); call++) {
    const said = call % turnEvery === turnEvery - 1 ? [message(`u${call + 1}`, "user", "Go on.")] : [];
    await session.append([...work(call, call + 1, tokens), ...said]);
    const prepared = await session.prepare({ onOverBudget: "send" });
    clock.pass(10);
    const { outcome } = prepared;
    outcomes.push(outcome?.type ?? "none");
    if (outcome?.type !== "committed") continue;
    folds.push({ ...outcome.tokens, floor: outcome.floor });
    folded ??= prepared;
  }
  if (folded === undefined) throw new Error("Nothing was folded.");
  return { session, folds, outcomes, folded } satisfies Worked;
}

const firstFold = async (config: Given, how?: Partial<Work>): Promise<Fold> =>
  (await worked(config, how)).folds[0] as Fold;
const startsAt = async (config: Given): Promise<number> => (await firstFold(config)).before;
const goesTo = async (config: Given): Promise<number> => (await firstFold(config)).after;

/** How many records of each kind the first fold makes. */
async function records(config: Given, how?: Partial<Work>) {
  const { folded, folds } = await worked(config, how);
  const { externalizations, summarizations, clearings, drops } = folded.plan;
  return {
    externalized: externalizations.length,
    summarized: summarizations.length,
    cleared: clearings.length,
    dropped: drops.length,
    floor: folds[0]?.floor === true,
  };
}

const summaryTokens = async (config: Given): Promise<number> =>
  (await worked({ enableExternalization: false, ...config })).folded.plan.summarizations[0]?.summaryTokens ?? 0;

/** Messages that the first fold leaves as they are. */
async function untouched(config: Given, how?: Partial<Work>): Promise<number> {
  const { session, folded } = await worked({ enableExternalization: false, ...config }, how);
  return session.thread.length - new Set(planRecords(folded.plan).flatMap(({ span }) => span.messageIds)).size;
}

/** What comes back of large results that were put away, once the agent names the first three of them, and then again. */
async function broughtBack(config: Given): Promise<readonly { readonly count: number; readonly tokens: number }[]> {
  const session = await openSession({ config: { maxInputTokens: 24_000, costModelEnabled: false, ...config } });
  await session.append([message("u0", "user", "Build it."), ...work(0, 20, 1_100)]);
  const { plan } = await session.prepare();
  const named = plan.externalizations.slice(0, 3).map(({ artifactId }) => artifactId);
  expect(named).toHaveLength(3);
  const requests: { count: number; tokens: number }[] = [];
  for (const again of [0, 1]) {
    await session.append([message(`ask${again}`, "assistant", `I need ${named.join(" and ")}.`)]);
    await session.append([message(`on${again}`, "user", "Go on.")]);
    const { tokens } = session.stats();
    const prepared = await session.prepare();
    await session.complete({ messages: [message(`done${again}`, "assistant", "Read.")] });
    requests.push({ count: prepared.rehydrated.length, tokens: prepared.tokens - tokens });
  }
  return requests;
}

const first = async (config: Given) =>
  (await broughtBack(config))[0] as { readonly count: number; readonly tokens: number };

/** Rules that are pinned of what a user says. */
async function pinned(config: Given): Promise<number> {
  const session = await openSession({ config: { maxInputTokens: 10_000, ...config } });
  const rules: readonly MessageInput[] = [
    message("r0", "user", "Never push to main without asking me."),
    message("r1", "user", "Never touch the migrations of the billing database."),
  ];
  await session.append(rules);
  return session.thread.livePins.length;
}

/** A cache that costs so much to write that a fold pays late, if ever. */
const dear = {
  id: "dear",
  formats: [],
  models: [],
  read: 0.1,
  write: 40,
  ttlSeconds: 3_600,
  minimumPrefixTokens: 0,
  minimumPrefixByModel: {},
};
const weighed = {
  costModelEnabled: true,
  promptCachePrice: dear,
  expectedCallsPrior: 0,
  softThresholdPercent: 0.5,
  targetPercent: 0.3,
} as const;
const NO_OVERRIDES: Config["toolDurabilityOverrides"] = {};
const WORDING = { introduction: "What was done so far:" };
/** One rung, in the order of the ladder. */
const only = (rung: "summarize" | "clear" | "drop") => ({
  enableExternalization: false,
  enableSummarization: rung === "summarize",
  enableClearing: rung !== "drop",
});

/** What an option promises, seen under two values: the second one has more of it, or what `differs` says. */
interface Row<Value, Seen> {
  readonly values: readonly [Value, Value];
  readonly see: (config: Given) => Promise<Seen>;
  readonly differs?: (one: Seen, other: Seen) => void;
}

const rowOf = <Value, Seen>(
  see: (config: Given) => Promise<Seen>,
  values: readonly [Value, Value],
  differs?: (one: Seen, other: Seen) => void,
): Row<Value, unknown> => ({
  values,
  see,
  ...(differs !== undefined && { differs: (one: unknown, other: unknown) => differs(one as Seen, other as Seen) }),
});

/** A configuration's option without a row does not compile. */
const ROWS: { readonly [Name in keyof Config]: Row<Config[Name], unknown> } = {
  maxInputTokens: rowOf(startsAt, [6_000, 10_000]),
  softThresholdPercent: rowOf((config) => startsAt({ targetPercent: 0.4, ...config }), [0.5, 0.85]),
  targetPercent: rowOf(goesTo, [0.3, 0.6]),
  minCallsPerFold: rowOf(goesTo, [60, 0]),
  minReclaimPercent: rowOf((config) => startsAt({ targetPercent: 0.8, ...config }), [0, 0.6]),
  outputReserveTokens: rowOf(startsAt, [4_000, 0]),
  safetyBufferTokens: rowOf(startsAt, [4_000, 0]),
  rehydrationReserveTokens: rowOf(startsAt, [4_000, 0]),
  costModelEnabled: rowOf((config) => startsAt({ ...weighed, ...config }), [false, true]),
  promptCachePrice: rowOf((config) => startsAt({ ...weighed, ...config }), [{ ...dear, write: 1 }, dear]),
  expectedCallsPrior: rowOf((config) => startsAt({ ...weighed, ...config }), [100_000, 0]),
  maxPostponedCalls: rowOf((config) => startsAt({ ...weighed, ...config }), [0, 20]),
  breakerFailures: rowOf(
    async (config) => {
      const { outcomes } = await worked(
        { minReclaimPercent: 0.9, softThresholdPercent: 0.6, ...config },
        { tokens: 150 },
      );
      return outcomes.filter((type) => type === "ineffective").length;
    },
    [1, 9],
  ),
  enableExternalization: rowOf(
    async (config) => (await records(config, { tokens: 1_200 })).externalized,
    [false, true],
  ),
  enableSummarization: rowOf(
    async (config) => (await records({ ...only("summarize"), ...config })).summarized,
    [false, true],
  ),
  enableClearing: rowOf(async (config) => (await records({ ...only("clear"), ...config })).cleared, [false, true]),
  enableDropping: rowOf(
    (config) => records({ ...only("drop"), ...config }),
    [false, true],
    (off, on) => expect([off.floor, on.floor, on.dropped > 0]).toEqual([true, false, true]),
  ),
  enableRetrieval: rowOf(
    async (config) => {
      const session = await openSession({ config: { maxInputTokens: 10_000, ...config } });
      const found = message(
        "found",
        "assistant",
        `GATEWAY_PORT in gateway.yaml is 4217. ${"I looked at the rest. ".repeat(60)}`,
      );
      await session.append([message("u0", "user", "Build it."), found, ...work(0, 24, 400)]);
      await session.prepare();
      await session.append([message("ask", "user", "Which GATEWAY_PORT does gateway.yaml say?")]);
      return (await session.prepare()).rehydrated.length;
    },
    [false, true],
  ),
  externalizeThresholdTokens: rowOf(async (config) => (await records(config)).externalized, [2_000, 100]),
  artifactTtlSeconds: rowOf(
    async (config) => {
      const { session, folded } = await worked(config, { tokens: 1_200 });
      const [record] = folded.plan.externalizations;
      if (record === undefined) throw new Error("Nothing was put away.");
      // The store's clock is the machine's, which is long past the session's.
      return (await session.store.artifacts.getMetadata(record.artifactId)) !== null;
    },
    [60, null],
    (one, other) => expect([one, other]).toEqual([false, true]),
  ),
  summarizeTargetRatio: rowOf(summaryTokens, [0.05, 0.4]),
  summaryMaxTokens: rowOf(summaryTokens, [400, 4_000]),
  summaryMaxPercent: rowOf(summaryTokens, [0.04, 0.5]),
  preserveRecentTurns: rowOf(
    (config) => untouched({ targetPercent: 0.3, preserveRecentPercent: 1, ...config }, { turnEvery: 2 }),
    [0, 3],
  ),
  preserveRecentPercent: rowOf((config) => untouched({ targetPercent: 0.7, ...config }), [0.1, 0.9]),
  summaryRole: rowOf(
    async (config) => {
      const { request } = (await worked({ enableExternalization: false, summaryWording: WORDING, ...config })).folded;
      return request.messages.find((message) => JSON.stringify(message).includes(WORDING.introduction))?.role;
    },
    ["assistant", "user"],
    (one, other) => expect([one, other]).toEqual(["assistant", "user"]),
  ),
  summaryWording: rowOf(
    async (config) => (await worked({ enableExternalization: false, ...config })).folded.payloadText,
    [{ introduction: "Words before." }, WORDING],
    (one, other) => {
      expect([one.includes("Words before."), one.includes(WORDING.introduction)]).toEqual([true, false]);
      expect(other).toContain(WORDING.introduction);
    },
  ),
  rehydrationEnabled: rowOf(async (config) => (await first(config)).count, [false, true]),
  rehydrationMaxArtifactsPerTurn: rowOf(
    async (config) => (await first(config)).count,
    [1, 3],
    (one, other) => expect([one, other]).toEqual([1, 3]),
  ),
  rehydrationMaxTokensPerArtifact: rowOf(async (config) => (await first(config)).tokens, [100, 4_000]),
  rehydrationTotalBudgetTokens: rowOf(async (config) => (await first(config)).tokens, [1_300, 8_000]),
  rehydrationCooldownTurns: rowOf(
    async (config) => (await broughtBack(config)).map(({ count }) => count),
    [9, 0],
    (long, none) =>
      expect([long, none]).toEqual([
        [3, 0],
        [3, 3],
      ]),
  ),
  autoRehydrateSensitivities: rowOf(async (config) => (await first(config)).count, [["public"], ["internal"]]),
  detectPins: rowOf(pinned, [false, true]),
  detectedPinMaxTokens: rowOf(pinned, [14, 1_000]),
  defaultToolDurability: rowOf(
    async (config) => {
      const session = await openSession({ config: { maxInputTokens: 10_000, enableSummarization: false, ...config } });
      const unknown = JSON.parse(
        JSON.stringify(work(0, 24, 400)).replaceAll('"bash"', '"place_order"'),
      ) as MessageInput[];
      await session.append([message("u0", "user", "Order it."), ...unknown]);
      await session.prepare();
      return session.plan.externalizations.length;
    },
    ["ephemeral", "non_replayable"],
  ),
  toolDurabilityOverrides: rowOf(
    async (config) => (await records({ enableSummarization: false, ...config })).externalized,
    [NO_OVERRIDES, { bash: { durability: "non_replayable", mustPreserveFields: [], replayCost: "cheap" } }],
  ),
  policyVersion: rowOf(
    async (config) => (await worked(config)).folded.plan.policyVersion,
    ["one-v1", "two-v1"],
    (one, other) => expect([one, other]).toEqual(["one-v1", "two-v1"]),
  ),
};

describe("every option of the configuration", () => {
  it("has a row in this test", () => {
    expect(Object.keys(ROWS).sort()).toEqual(Object.keys(contextCompactionConfigSchema.unwrap().shape).sort());
  });

  it.each(Object.entries(ROWS))("%s changes what it controls", async (name, { values, see, differs }) => {
    const [one, other] = [await see({ [name]: values[0] }), await see({ [name]: values[1] })];
    if (differs !== undefined) differs(one, other);
    else expect(other).toBeGreaterThan(one as number);
  });
});
