/**
 * Every name that telemetry uses, in one place, because the names of the GenAI conventions are still changing; all have
 * the status *Development*. `stable-2026` are the names of open-telemetry/semantic-conventions-genai as of 2026-07,
 * where the conventions have lived since semantic-conventions 1.42; `legacy` are those of semantic-conventions up to
 * 1.41, which many backends still read.
 */
export const SEMANTIC_CONVENTIONS_VERSIONS = Object.freeze({
  "stable-2026": "semantic-conventions-genai 2026-07",
  legacy: "semantic-conventions 1.41",
});

/** Which names to write when they differ. */
export type EmittedNames = "stable-2026" | "legacy" | "both";

/** A name that has changed. */
export interface RenamedName {
  readonly "stable-2026": string;
  readonly legacy: string;
}

/** Returns the names to write for a name that has changed. */
export function namesOf(name: RenamedName, emit: EmittedNames): readonly string[] {
  return emit === "both" ? [name["stable-2026"], name.legacy] : [name[emit]];
}

/** Attributes of the GenAI conventions. */
export const GEN_AI = Object.freeze({
  operationName: "gen_ai.operation.name",
  conversationId: "gen_ai.conversation.id",
  /** Set to true when known, never to false. */
  conversationCompacted: "gen_ai.conversation.compacted",
  providerName: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  requestMaxTokens: "gen_ai.request.max_tokens",
  responseFinishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  promptName: "gen_ai.prompt.name",
  promptVersion: "gen_ai.prompt.version",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolCallId: "gen_ai.tool.call.id",
  dataSourceId: "gen_ai.data_source.id",
  memoryRecordCount: "gen_ai.memory.record.count",
  /** Only in `legacy` metrics. */
  tokenType: "gen_ai.token.type",
});

/** Attributes that contain content. They are written only when a host enables this. */
export const GEN_AI_CONTENT = Object.freeze({
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolCallArguments: "gen_ai.tool.call.arguments",
  toolCallResult: "gen_ai.tool.call.result",
  retrievalQuery: "gen_ai.retrieval.query.text",
});

/** Attributes that the conventions renamed. */
export const GEN_AI_RENAMED = Object.freeze({
  cacheWriteTokens: {
    "stable-2026": "gen_ai.usage.cache_write.input_tokens",
    legacy: "gen_ai.usage.cache_creation.input_tokens",
  },
} satisfies Record<string, RenamedName>);

/** Values of `gen_ai.operation.name`. `compact` is ours: the conventions do not cover compaction by a framework. */
export const OPERATION = Object.freeze({
  compact: "compact",
  chat: "chat",
  executeTool: "execute_tool",
  retrieval: "retrieval",
  searchMemory: "search_memory",
});

/** The error attribute that the conventions define for every kind of span. */
export const ERROR_TYPE = "error.type";

/** Our own attributes, for which the conventions have no name. */
export const THREADFOLD = Object.freeze({
  trigger: "threadfold.compaction.trigger",
  strategy: "threadfold.compaction.strategy",
  planId: "threadfold.compaction.plan.id",
  planVersion: "threadfold.compaction.plan.version",
  planBaseVersion: "threadfold.compaction.plan.base_version",
  tokensBefore: "threadfold.compaction.tokens.before",
  tokensAfter: "threadfold.compaction.tokens.after",
  tokensFreed: "threadfold.compaction.tokens.freed",
  budgetLimit: "threadfold.compaction.budget.limit",
  entries: "threadfold.compaction.entries",
  entriesKept: "threadfold.compaction.entries.kept",
  entriesDropped: "threadfold.compaction.entries.dropped",
  entriesSummarized: "threadfold.compaction.entries.summarized",
  entriesCleared: "threadfold.compaction.entries.cleared",
  entriesExternalized: "threadfold.compaction.entries.externalized",
  pins: "threadfold.compaction.pins",
  summarizerCalls: "threadfold.compaction.summarizer.calls",
  outcome: "threadfold.compaction.outcome",
  /** Our own, finer-grained outcome of an attempt. */
  outcomeDetail: "threadfold.compaction.outcome.detail",
  artifactId: "threadfold.artifact.id",
  rehydrationTokens: "threadfold.rehydration.tokens",
  cacheHit: "hit",
});

/** Events on a `compact` span. */
export const THREADFOLD_EVENT = Object.freeze({
  externalized: "threadfold.compaction.externalized",
  summarized: "threadfold.compaction.summarized",
  cleared: "threadfold.compaction.cleared",
  dropped: "threadfold.compaction.dropped",
});

/** The definition of a metric. */
export interface MetricName {
  readonly name: string;
  /** A UCUM unit. */
  readonly unit: string;
  readonly description: string;
}

/** Our own metrics. None has an attribute that identifies a thread, a tenant or a message. */
export const THREADFOLD_METRIC = Object.freeze({
  compactionDuration: {
    name: "threadfold.compaction.duration",
    unit: "s",
    description: "How long attempts to fold took.",
  },
  tokensSaved: {
    name: "threadfold.compaction.tokens_saved",
    unit: "{token}",
    description: "Tokens that folds removed from the prompt.",
  },
  commitConflicts: {
    name: "threadfold.commit.conflicts",
    unit: "{conflict}",
    description: "Plan commits that lost to another writer.",
  },
  rehydrationTokens: {
    name: "threadfold.rehydration.tokens",
    unit: "{token}",
    description: "Tokens of folded content that went back into a request.",
  },
  cacheLookups: {
    name: "threadfold.cache.lookups",
    unit: "{lookup}",
    description: "Times that the cache was searched for a summary.",
  },
} satisfies Record<string, MetricName>);

/** Metrics of the GenAI conventions for a summarizer's calls. `legacy` has one histogram for both kinds of tokens. */
export const GEN_AI_METRIC = Object.freeze({
  duration: {
    "stable-2026": "gen_ai.client.inference.duration",
    legacy: "gen_ai.client.operation.duration",
  },
  inputTokens: "gen_ai.client.inference.usage.input_tokens",
  outputTokens: "gen_ai.client.inference.usage.output_tokens",
  legacyTokenUsage: "gen_ai.client.token.usage",
});

/** Names of the MCP conventions for a server's side of a call. */
export const MCP = Object.freeze({
  methodName: "mcp.method.name",
  callMethod: "tools/call",
  operationDuration: "mcp.server.operation.duration",
});
