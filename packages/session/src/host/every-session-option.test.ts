import {
  afterReported,
  asThreadId,
  type CompletionModel,
  type ContextCompactionEvent,
  planRecords,
  type Summarizer,
  type ThreadfoldStore,
  unreported,
} from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { formatById } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import {
  clearStrategy,
  declareTool,
  externalizeStrategy,
  ladderPreset,
  presetByName,
  summarizeStrategy,
} from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { handClock, threadId, tokenizer, work } from "../testing/agent-work.ts";
import { watchedStore } from "../testing/watched-store.ts";
import type { SessionOptions } from "./session-options.ts";

type Given = Partial<SessionOptions>;

/** What an option changes: what is seen of a session without it, and with it. */
interface OptionRow {
  /** The options that both sessions have. */
  readonly base?: Given;
  readonly without?: Given;
  readonly given: Given;
  readonly see: (options: Given) => Promise<unknown>;
  readonly seen: readonly [without: unknown, given: unknown];
}

const config = { maxInputTokens: 10_000, costModelEnabled: false };
const open = (options: Given): Promise<ContextSession> =>
  ContextSession.open({ threadId, config, preset: ladderPreset, tokenizer, clock: handClock(), ...options });
const task = message("u0", "user", "Build it.");

/** Waits longer than the limits of the rows, and still not long. */
const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 200));
const LIMIT_MS = 20;

const endOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ended",
    (error: { readonly code: string }) => error.code,
  );

/** A session with more than its threshold, and its next request. */
async function prepared(options: Given) {
  const session = await open(options);
  await session.append([task, ...work(0, 9, 950)]);
  return { session, request: await session.prepare() };
}

const outcomeOf = async (options: Given) => (await prepared(options)).request.outcome?.type;

/** A session whose history was summarized for somebody who asked. */
async function summarized(options: Given) {
  const session = await open({ preset: { ...ladderPreset, ladder: [summarizeStrategy] }, ...options });
  await session.append([task, ...work(0, 6, 950), message("u1", "user", "And now?")]);
  const outcome = await session.compact({ force: true });
  return { session, outcome: outcome.type, summarizer: session.plan.summarizations[0]?.summarizer };
}

function noting(): { readonly model: CompletionModel; readonly asked: Parameters<CompletionModel["complete"]>[0][] } {
  const asked: Parameters<CompletionModel["complete"]>[0][] = [];
  const text = JSON.stringify({ add: { facts: [{ text: "Steps were made.", sources: [1] }] } });
  const complete: CompletionModel["complete"] = async (request) => {
    asked.push(request);
    return { text, finish: "stop", toolCalls: 0 };
  };
  return { model: { id: "noting", complete }, asked };
}

const own: Summarizer = {
  id: "own@1",
  summarize: (request) => new ExtractiveSummarizer().summarize(request),
};
const down: Summarizer = { id: "down@1", summarize: () => Promise.reject(new Error("down")) };
const slow: Summarizer = { ...own, id: "slow@1", summarize: (request) => slowly().then(() => own.summarize(request)) };

const slowStore = (slows: string): ThreadfoldStore =>
  watchedStore(createMemoryStore(), { before: (call) => (call === slows ? slowly() : undefined) });

const capOf = async ({ ...options }: Given) => (await open({ ...options, config: {} })).config.maxInputTokens;

async function payloadOf(options: Given): Promise<Readonly<Record<string, unknown>>> {
  return (await prepared(options)).request.payload;
}

async function eventsOf(options: Given): Promise<readonly ContextCompactionEvent[]> {
  const events: ContextCompactionEvent[] = [];
  await prepared({ ...options, onEvent: (event) => events.push(event) });
  return events;
}

async function externalized(options: Given) {
  const session = await open({ preset: { ...ladderPreset, ladder: [externalizeStrategy] }, ...options });
  await session.append([task, ...work(0, 8, 1_300)]);
  await session.prepare();
  return session;
}

const bash = declareTool("bash", {
  durability: "replayable",
  captureDeterminism: async () => ({ version: "1", etag: "same" }),
});

/** A counter that counted half of what the provider reported, again and again. */
const TWICE = Array.from({ length: 8 }, (_, at) => 1_000 * (at + 1)).reduce(
  (estimate, counted) => afterReported(estimate, { counted, reported: 2 * counted }),
  unreported(),
);

/** Every option, with the difference that its documentation promises. A new option without a row does not compile. */
const ROWS: { readonly [Option in keyof SessionOptions]-?: OptionRow } = {
  threadId: {
    given: { threadId: asThreadId("another") },
    see: async (options) => (await open(options)).threadId,
    seen: [threadId, "another"],
  },
  store: {
    given: { store: createMemoryStore() },
    see: async (options) => {
      await (await open(options)).append([task]);
      return (await open(options)).thread.length;
    },
    seen: [0, 1],
  },
  storeTimeLimitMs: {
    base: { store: slowStore("threads.append") },
    given: { storeTimeLimitMs: LIMIT_MS, threadId: asThreadId("limited") },
    see: async (options) => endOf((await open(options)).append([task])),
    seen: ["ended", "TIMED_OUT"],
  },
  closeTimeLimitMs: {
    base: { store: { ...createMemoryStore(), close: slowly } },
    given: { closeTimeLimitMs: LIMIT_MS },
    see: async (options) => endOf((await open(options)).close()),
    seen: ["ended", "TIMED_OUT"],
  },
  preset: {
    given: { preset: presetByName("codex") },
    see: async (options) => (await open(options)).config.policyVersion.startsWith("codex"),
    seen: [false, true],
  },
  config: {
    given: { config: { maxInputTokens: 5_000 } },
    see: async (options) => (await open(options)).config.maxInputTokens,
    seen: [10_000, 5_000],
  },
  tokenizer: {
    given: {
      tokenizer: {
        ...tokenizer,
        id: "tenfold",
        countPart: (part) => 10 * tokenizer.countPart(part),
        countMessage: (asked) => 10 * tokenizer.countMessage(asked),
      },
    },
    see: async (options) => {
      const session = await open(options);
      await session.append([message("u0", "user", "word ".repeat(80))]);
      return session.stats().tokens > 500;
    },
    seen: [false, true],
  },
  calibration: {
    base: { model: "m" },
    given: { calibration: { m: TWICE } },
    see: async (options) => {
      const session = await open(options);
      await session.append([message("u0", "user", "word ".repeat(800))]);
      return Math.round((await session.prepare()).tokens / 1_000);
    },
    seen: [1, 2],
  },
  summaryModel: {
    given: { summaryModel: noting().model },
    see: async (options) => (await summarized(options)).summarizer?.includes("noting"),
    seen: [false, true],
  },
  summaryModelSettings: {
    given: { summaryModelSettings: { temperature: 0.125 } },
    see: async (options) => {
      const { model, asked } = noting();
      await summarized({ ...options, summaryModel: model });
      return asked[0]?.temperature;
    },
    seen: [undefined, 0.125],
  },
  onSummaryFailure: {
    base: { summarizer: down },
    given: { onSummaryFailure: "keep" },
    see: async (options) => (await summarized(options)).outcome,
    seen: ["summarizer-failed-floor-used", "failed"],
  },
  summaryTimeLimitMs: {
    base: { summarizer: slow },
    given: { summaryTimeLimitMs: LIMIT_MS },
    see: async (options) => (await summarized(options)).outcome,
    seen: ["committed", "summarizer-failed-floor-used"],
  },
  summaryCache: {
    given: { summaryCache: { get: async () => JSON.stringify("garbled"), set: async () => undefined } },
    see: async ({ summaryCache }) => {
      let kept = 0;
      const counted = { get: async () => null, set: async () => void kept++ };
      await summarized({
        summaryModel: noting().model,
        ...(summaryCache !== undefined && { summaryCache: counted }),
      });
      return kept > 0;
    },
    seen: [false, true],
  },
  summarizer: {
    given: { summarizer: own },
    see: async (options) => (await summarized(options)).summarizer?.includes("own@1"),
    seen: [false, true],
  },
  summaryChecks: {
    base: { summarizer: own },
    given: { summaryChecks: [{ name: "never", problem: () => "never good enough" }] },
    see: async (options) => (await summarized(options)).outcome,
    seen: ["committed", "summarizer-failed-floor-used"],
  },
  redactSecrets: {
    given: { redactSecrets: false },
    see: async (options) => {
      let read = "";
      const summarizer: Summarizer = {
        ...own,
        summarize: (request) => {
          read = JSON.stringify(request.messages);
          return own.summarize(request);
        },
      };
      const session = await open({ preset: { ...ladderPreset, ladder: [summarizeStrategy] }, ...options, summarizer });
      await session.append([message("s", "user", "password=hunter2-4711-abcd"), ...work(0, 6, 950)]);
      await session.append([message("u1", "user", "And now?")]);
      await session.compact({ force: true });
      return read.includes("hunter2-4711-abcd");
    },
    seen: [false, true],
  },
  format: {
    given: { format: formatById("openai-responses") },
    see: async (options) => Object.hasOwn(await payloadOf(options), "input"),
    seen: [false, true],
  },
  frame: {
    given: { frame: { system: ["Speak in rhymes."], tools: [] } },
    see: async (options) => (await prepared(options)).request.payloadText.includes("Speak in rhymes."),
    seen: [false, true],
  },
  summaryRole: {
    without: { summaryRole: "user" },
    given: { summaryRole: "assistant" },
    see: async (options) => {
      const { session } = await summarized(options);
      return (await session.render()).request.messages.find(({ synthetic }) => synthetic === "summary")?.role;
    },
    seen: ["user", "assistant"],
  },
  model: {
    base: { preset: { ...ladderPreset, config: {} } },
    given: { model: "openai/gpt-4" },
    see: async (options) => (await capOf(options)) === 7_168,
    seen: [false, true],
  },
  models: {
    base: { model: "house-7b", preset: { ...ladderPreset, config: {} } },
    given: {
      models: [{ name: "house-", windowTokens: 12_000, effectiveTokens: 9_000, asOf: "2026-11", source: "our server" }],
    },
    see: async (options) => (await capOf(options)) === 9_000,
    seen: [false, true],
  },
  providerCompaction: {
    given: { providerCompaction: { when: "threshold", compactAt: 60_000 } },
    base: { config: { maxInputTokens: 100_000 } },
    see: async (options) => {
      const session = await open(options);
      await session.append([task]);
      const { payload, betas } = await session.prepare();
      return [Object.keys(payload).includes("context_management"), betas];
    },
    seen: [
      [false, []],
      [true, ["compact-2026-01-12"]],
    ],
  },
  cacheBreakpoints: {
    given: { cacheBreakpoints: true },
    see: async (options) => JSON.stringify(await payloadOf(options)).includes("cache_control"),
    seen: [false, true],
  },
  cachePolicy: {
    given: { cachePolicy: "auto" },
    see: async (options) => (await prepared(options)).request.cacheTime,
    seen: [null, "5m"],
  },
  determinismProbe: {
    base: { declaredTools: [declareTool("bash", { durability: "replayable" })] },
    given: { determinismProbe: { probe: async () => "matches" } },
    see: async (options) => {
      const session = await open({ ...options, preset: { ...ladderPreset, ladder: [clearStrategy] } });
      const steps = work(0, 9, 950).map((step) => ({
        ...step,
        parts: step.parts.map((part) =>
          part.type === "tool-result"
            ? { ...part, result: { ...part.result, determinism: { contentHash: "a".repeat(64) } } }
            : part,
        ),
      }));
      await session.append([task, ...steps]);
      await session.prepare();
      return session.plan.clearings.some(({ targets }) => targets.includes("tool-result"));
    },
    seen: [false, true],
  },
  declaredTools: {
    given: { declaredTools: [bash] },
    see: async (options) => (await open(options)).config.toolDurabilityOverrides["bash"]?.durability,
    seen: [undefined, "replayable"],
  },
  onOverBudget: {
    given: { onOverBudget: "send" },
    see: async (options) => {
      const session = await open(options);
      await session.append([message("u0", "user", "word ".repeat(20_000))]);
      return endOf(session.prepare());
    },
    seen: ["BUDGET_INFEASIBLE", "ended"],
  },
  compaction: {
    given: { compaction: false },
    see: outcomeOf,
    seen: ["committed", "disabled"],
  },
  background: {
    base: { summarizer: own },
    given: { background: false },
    see: outcomeOf,
    seen: ["postponed", "committed"],
  },
  environment: {
    without: { environment: {} },
    given: { environment: { THREADFOLD_DISABLE_COMPACTION: "1" } },
    see: outcomeOf,
    seen: ["committed", "disabled"],
  },
  vectors: {
    given: { vectors: { store: { search: async () => [] }, embed: async () => [] } as never },
    see: async ({ vectors }) => {
      let embedded = 0;
      const counting = { ...vectors, embed: async (texts: readonly string[]) => texts.map(() => [++embedded]) };
      const session = await externalized(vectors === undefined ? {} : { vectors: counting as never });
      await session.tools()[1].execute({ query: "step output" });
      return embedded > 0;
    },
    seen: [false, true],
  },
  hooks: {
    given: { hooks: { preCompact: [{ name: "no", run: () => ({ veto: "not now" }) }] } as never },
    see: outcomeOf,
    seen: ["committed", "vetoed"],
  },
  warnAfterCompactions: {
    given: { warnAfterCompactions: 1 },
    see: async (options) =>
      (await eventsOf(options)).some((event) => event.type === "compaction_boundary" && event.notice.warning !== null),
    seen: [false, true],
  },
  clock: {
    given: { clock: { now: () => Date.UTC(2030, 0, 1) } },
    see: async (options) => (await prepared(options)).session.plan.createdAt.slice(0, 4),
    seen: ["2026", "2030"],
  },
  journal: {
    given: { journal: false },
    see: async (options) => (await (await prepared(options)).session.store.journal.read(threadId)).length > 0,
    seen: [true, false],
  },
  tenantId: {
    given: { tenantId: "acme" },
    see: async (options) => {
      const session = await externalized(options);
      const artifactId = session.plan.externalizations[0]?.artifactId;
      const stranger = { requesterId: "ada", tenantId: "acme", permissions: [] };
      return artifactId === undefined
        ? "none"
        : (await session.store.artifacts.getMetadata(artifactId, stranger))?.tenantId;
    },
    seen: [undefined, "acme"],
  },
  securityContext: {
    base: { tenantId: "acme" },
    given: { securityContext: { requesterId: "ada", tenantId: "acme", permissions: [] } },
    see: async (options) => {
      const session = await externalized(options);
      const artifactId = session.plan.externalizations[0]?.artifactId;
      await session.tools()[0].execute({ artifact_id: artifactId as string });
      const journal = await session.store.journal.read(threadId);
      return journal.flatMap(({ record }) => (record.type === "artifact-read" ? [record.requesterId] : []));
    },
    seen: [[], ["ada"]],
  },
  onEvent: {
    given: { onEvent: () => undefined },
    see: async ({ onEvent }) => {
      let heard = 0;
      const { session } = await prepared(onEvent === undefined ? {} : { onEvent: () => void heard++ });
      expect(planRecords(session.plan).length).toBeGreaterThan(0);
      return heard > 0;
    },
    seen: [false, true],
  },
};

describe("every option of a session", () => {
  it.each(Object.entries(ROWS))("%s changes what it controls", async (option, { base, without, given, see, seen }) => {
    expect(Object.keys(given)).toContain(option);
    expect(seen[0]).not.toEqual(seen[1]);
    expect([await see({ ...base, ...without }), await see({ ...base, ...given })]).toEqual(seen);
  });

  it.each(Object.keys(ROWS))("%s is refused with a hint when it is misspelled", async (option) => {
    const misspelled = `${option.slice(0, 2)}${option.slice(3)}`;
    await expect(ContextSession.open({ [misspelled]: undefined } as never)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: expect.stringContaining(misspelled),
      hint: expect.stringContaining(option),
    });
  });
});
