import type { PromptPolicy } from "@threadfold/simulation";

/**
 * The adapters, by the names of `peers.json`. Each is loaded on demand, so that a broken one does not stop the others.
 */
const ADAPTERS: Readonly<Record<string, () => Promise<PromptPolicy>>> = {
  "ai pruneMessages": async () => (await import("./ai-prune.ts")).aiPrune,
  "ai pruneMessages, carried forward": async () => (await import("./ai-prune.ts")).aiPruneSticky,
  "langchain trimMessages": async () => (await import("./langchain-trim.ts")).langchainTrim,
  "langchain trimMessages, from any turn": async () => (await import("./langchain-trim.ts")).langchainTrimAnywhere,
  "langchain ClearToolUsesEdit": async () => (await import("./langchain-clear.ts")).langchainClear,
  "langchain summarizationMiddleware": async () => (await import("./langchain-summarize.ts")).langchainSummarize,
  "deepagents summarization": async () => (await import("./deepagents.ts")).deepagents,
  "mastra TokenLimiter": async () => (await import("./mastra-token-limiter.ts")).mastraTokenLimiter,
  "pi compaction": async () => (await import("./pi-compaction.ts")).piCompaction,
  "google adk TokenBasedContextCompactor": async () => (await import("./adk-compactor.ts")).adkCompactor,
  "strands SlidingWindow": async () => (await import("./strands-managers.ts")).strandsSlidingWindow,
  "strands Summarizing": async () => (await import("./strands-managers.ts")).strandsSummarizing,
  "openai agents compaction session": async () => (await import("./openai-agents-session.ts")).openaiAgentsSession,
  "cline basic compaction": async () => (await import("./cline-basic.ts")).clineBasic,
  "gemini-cli split": async () => (await import("./gemini-split.ts")).geminiSplit,
};

/** Returns the peer with that name as a policy. */
export async function loadPeer(policy: string): Promise<PromptPolicy> {
  const load = ADAPTERS[policy];
  if (load === undefined) throw new Error(`There is no adapter for ${policy}.`);
  return load();
}
