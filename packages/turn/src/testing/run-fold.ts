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

/** What a fold in a test may set; the rest stands in for stores and a renderer. */
export interface RunFoldOptions {
  readonly preset?: CompactionPreset;
  readonly config?: Partial<ContextCompactionConfig>;
  readonly plan?: CompactionPlan;
  readonly input?: Partial<FoldInput>;
  readonly ports?: Partial<FoldPorts>;
  /** What the fold does not look at; what it chooses itself unless it is given. */
  readonly leftOut?: readonly Stretch[];
}

/** A fold under way in a test, and what it works with. */
export interface FoldRun {
  readonly result: Promise<FoldResult>;
  readonly shape: ThreadShape;
  readonly config: ContextCompactionConfig;
  readonly artifacts: MemoryArtifacts;
}

/** Folds a thread with stand-ins for everything outside this package. For tests. */
export function runFold(thread: AgentThread, options: RunFoldOptions = {}): FoldRun {
  const preset = options.preset ?? threadfoldPreset;
  // The few calls of a test say nothing of how fast a thread grows.
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

/** The plan of a fold that must make one. @throws Error that names the outcome instead. */
export async function foldedPlan(thread: AgentThread, options: RunFoldOptions = {}): Promise<CompactionPlan> {
  return (await folded(thread, options)).plan;
}

/** The result of a fold that must make a plan. @throws Error that names the outcome instead. */
export async function folded(thread: AgentThread, options: RunFoldOptions = {}): Promise<FoldReady> {
  const result = await runFold(thread, options).result;
  if (result.type === "ready") return result;
  throw new Error(`The fold ended as ${JSON.stringify(result)}.`);
}

/** Says of a span how many messages it had. */
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

/** Artifacts that can be looked at. */
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
