import {
  AgentThread,
  type CompactionPlan,
  groupMessages,
  groupRecords,
  type MessageInput,
  normalizePlan,
  type Part,
  type PlanRecord,
  type ProviderMetadata,
  type SystemEntry,
  sealPlan,
  TokenLedger,
  type ToolDefinition,
  threadShape,
} from "@threadfold/core";
import {
  artifactIds,
  countingTokenizer,
  GENERATED_THREAD_ID,
  hostileTexts,
  planRecordsFor,
  threadEntryInputs,
  withoutOverlaps,
} from "@threadfold/core/laws";
import fc from "fast-check";
import type { RehydratedContent, RenderInput } from "../input/render-input.ts";

export const countThread = (thread: AgentThread): TokenLedger =>
  TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread);

/** Returns a plan that has seen the whole thread; normalized as the compactor commits it, or raw, with half groups. */
export function planOf(
  thread: AgentThread,
  records: readonly PlanRecord[],
  options: { readonly raw?: boolean } = {},
): CompactionPlan {
  const ledger = countThread(thread);
  const shape = threadShape(thread, ledger, groupMessages(ledger.headers));
  return sealPlan({
    ...(options.raw === true
      ? groupRecords(withoutOverlaps(records))
      : normalizePlan(groupRecords(records), shape).records),
    threadId: thread.id,
    threadVersion: thread.version,
    version: records.length === 0 ? 0 : 1,
    policyVersion: "test",
    createdAt: "2025-01-01T00:00:00.000Z",
    originalTokens: ledger.totalTokens,
    compactedTokens: ledger.totalTokens,
  });
}

const rehydrated: fc.Arbitrary<RehydratedContent> = fc
  .record({ artifactId: artifactIds, content: hostileTexts, truncated: fc.boolean() })
  .map((content) => ({ ...content, tokens: Math.ceil(content.content.length / 4) }));

const tools: readonly ToolDefinition[] = [
  {
    name: "read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
  { name: "mcp.search", inputSchema: {} },
];

const frames = fc.record(
  {
    rehydrated: fc.array(rehydrated, { maxLength: 2 }),
    summaryRole: fc.constantFrom("assistant" as const, "user" as const, "pair" as const),
    summaryWording: fc.record(
      { introduction: fc.constant("[COMPACT SUMMARY] {round}"), answer: fc.constant("Understood.") },
      { requiredKeys: [] },
    ),
    continuation: fc.constant("What is next?"),
  },
  { requiredKeys: [] },
);
/** System texts with the metadata that providers attach to them. */
const ownWords: readonly SystemEntry[] = [
  {
    text: "Be brief.",
    role: "developer",
    providerMetadata: { openai: { name: "ops" }, anthropic: { cache_control: { type: "ephemeral" } } },
  },
  {
    text: "Be kind.",
    role: "developer",
    continues: true,
    providerMetadata: {
      anthropic: { cache_control: { type: "ephemeral" } },
      openai: { prompt_cache_breakpoint: { mode: "explicit" } },
    },
  },
  { text: " ", role: "system" },
];

const hostParts = fc.record({
  system: fc.constantFrom<readonly SystemEntry[]>(
    [],
    ["You are an agent."],
    ["  ", "You are an agent.", "Never give up."],
    ["You are an agent.", ...ownWords],
    [...ownWords, ...ownWords, ...ownWords, "Never give up."],
  ),
  tools: fc.constantFrom<readonly ToolDefinition[]>([], tools, [...tools, ...tools]),
});

/** What providers attach to parts: some of it concerns its part alone, some is compared with other messages. */
const ofProviders: readonly ProviderMetadata[] = [
  { openai: { itemId: "item_1" }, anthropic: { note: "ours" } },
  { google: { thoughtSignature: "c2lnbmVk" } },
  { openai: { prompt_cache_breakpoint: { mode: "explicit" } } },
  { anthropic: { cache_control: { type: "ephemeral" } } },
  { openai: { caller: { type: "program", caller_id: "call_1" } } },
  { anthropic: { caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } } },
];

/** Attaches something of a provider to the parts for which `nextOf` names it. */
function withMetadata(message: MessageInput, nextOf: () => ProviderMetadata | undefined): MessageInput {
  const parts = message.parts.map((part): Part => {
    const providerMetadata = nextOf();
    // What proves reasoning has fields of its own, and importers put it there.
    const hasNone = part.type === "opaque" || part.type === "reasoning" || providerMetadata === undefined;
    return hasNone ? part : { ...part, providerMetadata };
  });
  return { ...message, parts } as MessageInput;
}

/** Which part has what of a provider, in the order of the parts and again from the first; half of the threads have none. */
const metadataOfParts = fc.oneof(
  fc.constant([]),
  fc.array(fc.option(fc.constantFrom(...ofProviders), { nil: undefined }), { minLength: 1, maxLength: 7 }),
);

const threads: fc.Arbitrary<AgentThread> = fc
  .tuple(threadEntryInputs({ malformed: true, maxMessages: 24 }), metadataOfParts)
  .map(([entries, chosen]) => {
    let part = 0;
    const nextOf = (): ProviderMetadata | undefined => chosen[part++ % chosen.length];
    const given = entries.map((entry) =>
      entry.type === "message" ? { ...entry, message: withMetadata(entry.message, nextOf) } : entry,
    );
    return AgentThread.empty(GENERATED_THREAD_ID).appendEntries(given);
  });

/** Threads with every kind of oddity, plans over a part of them that they have outgrown, and what a host may add. */
export const renderInputs: fc.Arbitrary<RenderInput> = threads
  .chain((thread) => fc.tuple(fc.constant(thread), fc.integer({ min: 0, max: thread.version })))
  .chain(([thread, version]) => {
    const seen = thread.atVersion(version);
    return fc.tuple(fc.constant(thread), fc.constant(seen), planRecordsFor(seen), fc.boolean(), hostParts, frames);
  })
  .map(([thread, seen, records, raw, host, frame]) => ({
    thread,
    plan: planOf(seen, records, { raw }),
    ledger: countThread(thread),
    ...host,
    ...frame,
  }));
