import {
  type ArtifactStore,
  asMessageId,
  availableForMessages,
  type ContextCompactionEvent,
  compactionConfig,
  type SecurityContext,
  tokenBudget,
} from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, encryptedStore, memoryKeyStore } from "@threadfold/stores";
import { type CompactionStrategy, ladderPreset, presetByName, threadfoldPreset } from "@threadfold/strategies";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

const small = { maxInputTokens: 20_000 };
const talk = [message("u", "user", "Go on until you are done."), ...work(0, 6, 2_000), ...work(6, 30, 400)];
/** What externalizing alone brings to its target. */
const large = [message("u", "user", "Go on until you are done."), ...work(0, 12, 2_000)];

async function folded(options: Parameters<typeof openSession>[0] = {}) {
  const events: ContextCompactionEvent[] = [];
  const session = await openSession({ config: small, onEvent: (event) => events.push(event), ...options });
  await session.append(talk);
  const outcome = await session.compact({ force: true });
  return { session, events, outcome };
}

/** A session whose large results lie in the artifact store, and their ids. */
async function stored(options: Parameters<typeof openSession>[0] = {}) {
  const session = await openSession({ config: small, ...options });
  await session.append(large);
  expect((await session.compact({ force: true })).type).toBe("committed");
  const ids = session.plan.externalizations.map(({ artifactId }) => artifactId);
  expect(ids.length).toBeGreaterThan(3);
  return { session, ids, first: ids[0] ?? "" };
}

describe("the settings of the specification", () => {
  it("spec-67 spec-118 spec-121 default to the document's figures", () => {
    expect(compactionConfig()).toMatchObject({
      ...{ maxInputTokens: 100_000, softThresholdPercent: 0.85, externalizeThresholdTokens: 1_000 },
      ...{ rehydrationEnabled: true, rehydrationMaxArtifactsPerTurn: 3, rehydrationMaxTokensPerArtifact: 4_000 },
      ...{ rehydrationTotalBudgetTokens: 8_000, rehydrationCooldownTurns: 2, preserveRecentTurns: 3 },
      ...{ autoRehydrateSensitivities: ["public", "internal"], defaultToolDurability: "anchoring" },
    });
  });

  it("spec-57 spec-130 a tool's policy sets the size from which its results are externalized", async () => {
    const policy = { durability: "anchoring", mustPreserveFields: [], replayCost: "cheap" } as const;
    const externalized = async (externalizeThresholdTokens: number) => {
      const toolDurabilityOverrides = { bash: { ...policy, externalizeThresholdTokens } };
      return (await folded({ config: { ...small, toolDurabilityOverrides } })).session.plan.externalizations.length;
    };
    expect([await externalized(5_000), await externalized(100)]).toEqual([0, expect.any(Number)]);
    expect(await externalized(100)).toBeGreaterThan(0);
  });

  it("spec-72 an artifact that came back is not shown again for as many model calls as configured", async () => {
    const comesBack = async (rehydrationCooldownTurns: number) => {
      const { session, first: id } = await stored({ config: { ...small, rehydrationCooldownTurns } });
      const shown: number[] = [];
      for (let step = 0; step < 5; step++) {
        await session.append([
          message(`say${step}`, "assistant", `I need ${id}.`),
          message(`on${step}`, "user", "On."),
        ]);
        shown.push((await session.prepare()).rehydrated.length);
      }
      return shown;
    };
    expect(await comesBack(0)).toEqual([1, 1, 1, 1, 1]);
    expect((await comesBack(4)).filter((count) => count > 0).length).toBeLessThan(3);
  });

  it("spec-75 spec-136 permissions reach the store, which may refuse by them; the memory store ignores them", async () => {
    const guarded = (artifacts: ArtifactStore): ArtifactStore => ({
      ...artifacts,
      store: (content, metadata) => artifacts.store(content, metadata),
      list: (threadId, requester) => artifacts.list(threadId, requester),
      getMetadata: async (id, requester) => (mayRead(requester) ? artifacts.getMetadata(id, requester) : null),
      retrieve: async (id, requester) => (mayRead(requester) ? artifacts.retrieve(id, requester) : null),
    });
    const outcomes = async (permissions: readonly string[], guard: (artifacts: ArtifactStore) => ArtifactStore) => {
      const securityContext = { requesterId: "ann", tenantId: null, permissions };
      const inner = createMemoryStore();
      const store = { ...inner, artifacts: guard(inner.artifacts) };
      const { session, first } = await stored({ store, securityContext, journal: false });
      const [read] = session.tools();
      return (await read.execute({ artifact_id: first })).outcome;
    };
    expect(await outcomes([], (artifacts) => artifacts)).toBe("success");
    expect([await outcomes([], guarded), await outcomes(["artifacts:read"], guarded)]).toEqual(["failure", "success"]);
  });

  it("spec-76 artifacts beyond the rehydration budget are left out without an error", async () => {
    const { session, ids } = await stored({ config: { ...small, rehydrationTotalBudgetTokens: 2_500 } });
    const asked = ids.slice(0, 3);
    await session.append([message("say", "assistant", `I need ${asked.join(", ")}.`), message("on", "user", "On.")]);
    const { rehydrated } = await session.prepare();
    expect(rehydrated.length).toBeGreaterThan(0);
    expect(rehydrated.length).toBeLessThan(asked.length);
  });

  it("spec-82 by default only results that cannot be had again get an artifact; preset ladder stores any large result", async () => {
    const policy = { durability: "non_replayable", mustPreserveFields: [], replayCost: "cheap" } as const;
    const artifactsOf = async (preset: typeof ladderPreset, toolDurabilityOverrides = {}) => {
      const session = await openSession({ preset, config: { ...small, toolDurabilityOverrides } });
      await session.append(large);
      await session.compact({ force: true });
      const named = session.plan.summarizations.flatMap(({ summary }) => summary.artifacts);
      return named.length + session.plan.externalizations.length;
    };
    expect(await artifactsOf(threadfoldPreset)).toBe(0);
    expect(await artifactsOf(threadfoldPreset, { bash: policy })).toBeGreaterThan(0);
    expect(await artifactsOf(ladderPreset)).toBeGreaterThan(0);
  });

  it("spec-88 a provider's overhead per message is counted, and a custom tokenizer can change it", async () => {
    const plain = heuristicTokenizer();
    const tokens = async (more: number) => {
      const session = await openSession({
        config: small,
        tokenizer: {
          ...plain,
          id: `heuristic and ${more}`,
          messageOverhead: (role) => plain.messageOverhead(role) + more,
          countMessage: (said) => plain.countMessage(said) + more,
          countRequest: (request) => plain.countRequest(request) + more * request.messages.length,
        },
      });
      await session.append(work(0, 5, 10));
      return session.stats().tokens;
    };
    expect((await tokens(10)) - (await tokens(0))).toBeGreaterThanOrEqual(100);
  });

  it("spec-93 a commit reports success, or on a conflict the current version", async () => {
    const store = createMemoryStore();
    const { session } = await folded({ store });
    expect((await store.plans.commitPlan(session.threadId, session.plan, 0)).status === "committed").toBe(true);
    const next = await folded({ store: createMemoryStore(), preset: threadfoldPreset });
    expect(await store.plans.commitPlan(session.threadId, next.session.plan, 0)).toEqual({
      status: "conflict",
      currentVersion: 1,
    });
  });

  it("spec-108 rehydrated content stands behind the current turn, so that everything before it keeps its bytes", async () => {
    const { session, first: id } = await stored();
    const before = (await session.prepare()).request.messages.filter(({ synthetic }) => synthetic !== "continuation");
    await session.append([message("say", "assistant", `I need ${id}.`), message("on", "user", "Go on.")]);
    const { request, rehydrated } = await session.prepare();
    expect(rehydrated).toHaveLength(1);
    expect(request.messages.slice(0, before.length)).toEqual(before);
    const kinds = request.messages.map(({ synthetic }) => synthetic);
    expect(kinds.lastIndexOf(undefined)).toBeLessThan(kinds.findIndex((kind) => kind?.startsWith("rehydrat") === true));
  });

  it("spec-108 content that a host reads and appends before the user's message stands before that message", async () => {
    const { session, first } = await stored();
    const [read] = session.tools();
    const { text } = await read.execute({ artifact_id: first });
    await session.append([message("back", "assistant", text), message("on", "user", "Go on.")]);
    const { request, manifest } = await session.prepare();
    const placeOf = (id: string) => manifest.messages.findIndex(({ sources }) => sources.includes(asMessageId(id)));
    expect(JSON.stringify(request.messages[placeOf("back")])).toContain("output output output");
    expect(placeOf("back")).toBeLessThan(placeOf("on"));
  });

  it("spec-109 system text and tools are in the request and in its count", async () => {
    const frame = {
      system: ["Be careful."],
      tools: [{ name: "look", description: "looks", inputSchema: { type: "object" } }],
    };
    const { session } = await folded({ frame });
    const { payloadText, breakdown } = await session.prepare();
    expect([payloadText.includes("Be careful."), payloadText.includes('"look"')]).toEqual([true, true]);
    expect(Math.min(breakdown.system, breakdown.tools)).toBeGreaterThan(0);
  });

  it("spec-110 spec-111 spec-113 a custom strategy sees headers and counts, proposes, and may close over a thread", async () => {
    const seen: string[][] = [];
    const own: CompactionStrategy = {
      name: "own",
      aggressiveness: 2,
      analyze: (context) => {
        seen.push(Object.keys(context));
        const ordinals = context.foldable[0]?.ordinals ?? [];
        return [{ action: "drop", strategy: "own", ordinals, estimatedTokensFreed: 10_000, reason: "first" }];
      },
    };
    const preset = { ...ladderPreset, name: "own", ladder: [own] };
    const { session, events } = await folded({ preset });
    expect(seen[0]).toEqual(expect.arrayContaining(["shape", "foldable", "needed", "config"]));
    expect(seen[0]).not.toContain("thread");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "compaction_proposal_generated", strategy: "own", reason: "first" }),
    );
    const closing = {
      ...own,
      analyze: (context: Parameters<typeof own.analyze>[0]) =>
        JSON.stringify(session.thread.messageAt(1)).includes("make step-0") ? own.analyze(context) : [],
    };
    const again = await folded({ preset: { ...preset, ladder: [closing] } });
    expect(again.events).toContainEqual(expect.objectContaining({ strategy: "own", reason: "first" }));
  });

  it("spec-116 spec-117 one event reports what came back, and the events of a fold share an id", async () => {
    const { session, events } = await folded({ config: { ...small, enableRetrieval: true } });
    await session.append([message("say", "assistant", "What did make step-1 print?"), message("on", "user", "Look.")]);
    await session.prepare();
    const types = events.map(({ type }) => type as string);
    expect([types.includes("compaction_recalled"), types.includes("compaction_retrieved")]).toEqual([true, false]);
    const ids = events.flatMap((event) => ("foldId" in event ? [event.foldId] : []));
    expect(new Set(ids.slice(0, 4)).size).toBe(1);
    for (const event of events) expect(event).toMatchObject({ threadId: session.threadId, budgetLimit: 20_000 });
  });

  it("spec-119 the default preset folds above 90 %, or above 85 % when that is set", async () => {
    const outcome = async (config = {}) => {
      const settings = { maxInputTokens: 40_000, costModelEnabled: false, ...config };
      const session = await openSession({ preset: threadfoldPreset, config: settings });
      await session.append([message("u", "user", "Go.")]);
      for (let step = 0; session.stats().tokens < 34_400; step++) await session.append(work(step, step + 1, 200));
      return (await session.prepare()).outcome?.type;
    };
    expect([await outcome(), await outcome({ softThresholdPercent: 0.85 })]).toEqual(["no-op", "committed"]);
    expect(compactionConfig().softThresholdPercent).toBe(0.85);
  });

  it("spec-122 three turns are kept up to a share of the target, and whole with a share of 1", async () => {
    const kept = async (preserveRecentPercent: number) => {
      const session = await openSession({
        preset: threadfoldPreset,
        config: { maxInputTokens: 40_000, targetPercent: 0.6, preserveRecentPercent, minCallsPerFold: 0 },
      });
      for (let turn = 0; turn < 8; turn++)
        await session.append([message(`u${turn}`, "user", `Task ${turn}.`), ...work(10 * turn, 10 * turn + 4, 1_500)]);
      await session.compact({ force: true });
      const { manifest } = await session.render();
      return manifest.messages.filter(({ action }) => action === "include").length;
    };
    const [whole, part] = [await kept(1), await kept(0.3)];
    expect(whole).toBe(27);
    expect(part).toBeLessThan(27);
  });

  it("spec-123 disabled rungs make no record; above the room the floor still folds, unless compaction is false", async () => {
    const off = { enableExternalization: false, enableClearing: false, enableDropping: false };
    const { session } = await folded({ config: { ...small, ...off } });
    expect(session.plan.summarizations.length).toBeGreaterThan(0);
    expect([session.plan.externalizations, session.plan.clearings, session.plan.drops].flat()).toEqual([]);
    const none = { ...off, enableSummarization: false };
    const over = await openSession({ config: { maxInputTokens: 8_000, ...none } });
    await over.append(talk);
    expect((await over.prepare()).outcome).toMatchObject({ type: "committed", floor: true });
    const never = await openSession({
      config: { maxInputTokens: 8_000, ...none },
      compaction: false,
      onOverBudget: "send",
    });
    await never.append(talk);
    expect((await never.prepare()).outcome?.type).toBe("disabled");
  });

  it("spec-124 retrieval works by words alone", async () => {
    const { session } = await folded({ config: { ...small, enableRetrieval: true } });
    await session.append([message("say", "assistant", "What did make step-1 print?"), message("on", "user", "Look.")]);
    expect((await session.prepare()).rehydrated.length).toBeGreaterThan(0);
  });

  it("spec-128 no model summarizes by default, and one that the host passes does", async () => {
    const { session } = await folded({ preset: threadfoldPreset });
    expect(session.plan.summarizations[0]?.summarizer).toContain("extractive");
    const complete = async () => ({ text: '{"currentTask":"Testing"}', finish: "stop", toolCalls: 0 }) as const;
    const asked = await folded({ preset: threadfoldPreset, summaryModel: { id: "cheap", complete } });
    expect(asked.session.plan.summarizations[0]?.summarizer).toContain("cheap");
  });

  it("spec-129 the limits of rehydration are respected", async () => {
    const { session, ids } = await stored({
      config: { ...small, rehydrationMaxArtifactsPerTurn: 1, rehydrationMaxTokensPerArtifact: 300 },
    });
    const asked = ids.slice(0, 2);
    await session.append([message("say", "assistant", `I need ${asked.join(", ")}.`), message("on", "user", "On.")]);
    const { rehydrated, breakdown } = await session.prepare();
    expect(rehydrated).toEqual(asked.slice(0, 1));
    expect(breakdown.rehydrated).toBeLessThanOrEqual(300 + 80);
  });

  it("spec-133 an artifact in a sealed store names no key, is unreadable without it, and readable by the session", async () => {
    const keys = memoryKeyStore();
    const inner = createMemoryStore();
    const { session, ids } = await stored({ store: encryptedStore(inner, keys) });
    const [id] = ids;
    if (id === undefined) throw new Error("nothing was externalized");
    expect(await inner.artifacts.getMetadata(id)).not.toHaveProperty("encryptionKeyId");
    expect((await inner.artifacts.retrieve(id))?.content).not.toContain("output output");
    const [read] = session.tools();
    expect((await read.execute({ artifact_id: id })).text).toContain("output output");
  });

  it("spec-137 a host without a requester reads every artifact, and another tenant's requester reads none", async () => {
    const store = createMemoryStore();
    const { ids } = await stored({ store, tenantId: "acme" });
    const [id] = ids;
    if (id === undefined) throw new Error("nothing was externalized");
    expect((await store.artifacts.retrieve(id))?.content).toContain("output");
    const other = { requesterId: "eve", tenantId: "other", permissions: [] };
    expect(await store.artifacts.retrieve(id, other)).toBeNull();
  });

  it("spec-146 budget, renderer, commits and events work together under preset ladder", async () => {
    const { session, outcome, events } = await folded({ preset: presetByName("ladder") });
    expect(outcome.type).toBe("committed");
    expect(availableForMessages(tokenBudget(compactionConfig(small)))).toBeGreaterThan(0);
    expect((await session.prepare()).violations).toEqual([]);
    expect(events.at(-1)?.type).toBe("compaction_completed");
  });
});

const mayRead = (requester: SecurityContext | undefined): boolean =>
  requester?.permissions.includes("artifacts:read") === true;
