import {
  type AgentThread,
  type ArtifactStore,
  artifactIdOf,
  type CompactionPlan,
  type ContextCompactionConfig,
  compactionConfig,
  emptyPlan,
  groupMessages,
  type Stretch,
  type Summarizer,
  type ThreadShape,
  TokenLedger,
  threadShape,
} from "@threadfold/core";
import { countingTokenizer, pinnedClock } from "@threadfold/core/laws";
import { type CompactionPreset, durabilityPolicy, threadfoldPreset } from "@threadfold/strategies";
import type { FoldInput, FoldPorts } from "../fold/fold-input.ts";
import { foldThread } from "../fold/fold-thread.ts";
import type { FoldReady, FoldResult } from "../verify/fold-result.ts";
import { viewVerifier } from "./view-verifier.ts";

/** What a test can set for a fold; stores and renderer are replaced by stand-ins. */
export interface RunFoldOptions {
  readonly preset?: CompactionPreset;
  readonly config?: Partial<ContextCompactionConfig>;
  readonly plan?: CompactionPlan;
  readonly input?: Partial<FoldInput>;
  readonly ports?: Partial<FoldPorts>;
  /** Stretches that the fold does not look at; by default it chooses them itself. */
  readonly leftOut?: readonly Stretch[];
}

/** A fold in a test, and what it works with. */
export interface FoldRun {
  readonly result: Promise<FoldResult>;
  readonly shape: ThreadShape;
  readonly config: ContextCompactionConfig;
  readonly artifacts: MemoryArtifacts;
}

/** Folds a thread with stand-ins for everything outside this package. For tests. */
export function runFold(thread: AgentThread, options: RunFoldOptions = {}): FoldRun {
  const preset = options.preset ?? threadfoldPreset;
  // The few calls of a test say nothing about how fast a thread grows.
  const config = compactionConfig({ ...preset.config, minCallsPerFold: 0, ...options.config });
  const ledger = TokenLedger.empty(countingTokenizer(), durabilityPolicy(config)).extend(thread);
  const grouped = groupMessages(ledger.headers);
  const artifacts = memoryArtifacts();
  const plan = options.plan ?? emptyPlan(thread.id, "test");
  const result = foldThread(
    { thread, ledger, grouped, plan, config, overheadTokens: 0, hard: true, ...options.input },
    {
      ladder: preset.ladder,
      summarizer: factSummarizer,
      artifacts,
      verifier: viewVerifier(thread),
      clock: pinnedClock(0),
      ...options.ports,
    },
    options.leftOut,
  );
  return { result, shape: threadShape(thread, ledger, grouped), config, artifacts };
}

/** Returns the plan of a fold that must make one. @throws Error that names the outcome if it made none. */
export async function foldedPlan(thread: AgentThread, options: RunFoldOptions = {}): Promise<CompactionPlan> {
  return (await folded(thread, options)).plan;
}

/** Returns the result of a fold that must make a plan. @throws Error that names the outcome if it made none. */
export async function folded(thread: AgentThread, options: RunFoldOptions = {}): Promise<FoldReady> {
  const result = await runFold(thread, options).result;
  if (result.type === "ready") return result;
  throw new Error(`The fold ended as ${JSON.stringify(result)}.`);
}

/** A summarizer that only says how many messages a span had. */
export const factSummarizer: Summarizer = {
  id: "facts@1",
  summarize: async ({ span, messages }) => ({
    changes: [
      {
        op: "add",
        section: "facts",
        item: { text: `${messages.length} messages`, sources: span.messageIds.slice(0, 1) },
      },
    ],
  }),
};

/** An artifact store whose content a test can inspect. */
type MemoryArtifacts = ArtifactStore & { readonly contents: ReadonlyMap<string, string> };

function memoryArtifacts(): MemoryArtifacts {
  const contents = new Map<string, string>();
  return {
    contents,
    store: async (content, metadata) => {
      const id = artifactIdOf(metadata.threadId, metadata.tenantId, content);
      contents.set(id, content);
      return id;
    },
    getMetadata: async () => null,
    retrieve: async () => null,
    list: async () => [],
  };
}
