import {
  AgentThread,
  type ArtifactId,
  type ArtifactStore,
  artifactIdOf,
  asMessageId,
  asThreadId,
  type ContextCompactionConfig,
  compactionConfig,
  groupMessages,
  type JsonValue,
  type MessageInput,
  TokenLedger,
  type ToolResultEnvelope,
  threadShape,
  toolResultText,
} from "@threadfold/core";
import {
  assistant,
  call,
  countingTokenizer,
  GENERATED_THREAD_ID,
  message,
  messageInputs,
  result,
  tool,
} from "@threadfold/core/laws";
import { clearStrategy, durabilityPolicy } from "@threadfold/strategies";
import type fc from "fast-check";
import type { FoldPorts } from "../fold/fold-input.ts";
import type { FoldReady, FoldResult } from "../verify/fold-result.ts";
import { runFold } from "./run-fold.ts";

/** A message with one call. */
export const calls = (id: string, callId: string, toolName: string, input: JsonValue = {}): MessageInput =>
  assistant(id, call(callId, toolName, input));

/** A message with the result of a call. */
export const answers = (
  id: string,
  callId: string,
  toolName: string,
  text: string,
  fields: Partial<ToolResultEnvelope> = {},
): MessageInput => tool(id, result(callId, text, { toolName, ...fields }));

/** A question, the given messages, an answer, and a newer question that no fold may remove. */
export const threadOf = (...messages: readonly MessageInput[]): AgentThread =>
  AgentThread.empty(asThreadId("t")).append([
    message("u0", "user", "Go."),
    ...messages,
    message("done", "assistant", "Done."),
    message("u9", "user", "And now?"),
  ]);

/** An artifact store that keeps everything except what the test makes it refuse. */
export function artifactsThat(refuse: (content: string) => boolean = () => false): ArtifactStore & {
  readonly contents: ReadonlyMap<ArtifactId, string>;
  readonly asked: readonly string[];
} {
  const contents = new Map<ArtifactId, string>();
  const asked: string[] = [];
  return {
    contents,
    asked,
    store: async (content, { threadId, tenantId }) => {
      asked.push(content);
      if (refuse(content)) throw new Error("disk is full");
      const id = artifactIdOf(threadId, tenantId, content);
      contents.set(id, content);
      return id;
    },
    getMetadata: async () => null,
    retrieve: async () => null,
    list: async () => [...contents.keys()],
  };
}

/** Folds hard and down to almost nothing, by default with the clear rung only. */
export function fold(
  thread: AgentThread,
  ports: Partial<FoldPorts> = {},
  config: Partial<ContextCompactionConfig> = {},
  signal?: AbortSignal,
): Promise<FoldResult> {
  return runFold(thread, {
    config: { maxInputTokens: 2_000, targetPercent: 0.02, preserveRecentTurns: 0, ...config },
    ports: { ladder: [clearStrategy], artifacts: artifactsThat(), ...ports },
    ...(signal !== undefined && { input: { signal } }),
  }).result;
}

export async function folded(...input: Parameters<typeof fold>): Promise<FoldReady> {
  const result = await fold(...input);
  if (result.type !== "ready") throw new Error(`The fold ended as ${result.type}.`);
  return result;
}

export const shapeOf = (thread: AgentThread) => {
  const ledger = TokenLedger.empty(countingTokenizer(), durabilityPolicy(compactionConfig())).extend(thread);
  return threadShape(thread, ledger, groupMessages(ledger.headers));
};

/** The body of a tool message. */
export function bodyOf(thread: AgentThread, id: string): string {
  const part = thread.message(asMessageId(id))?.parts[0];
  return part?.type === "tool-result" ? toolResultText(part.result.content) : "";
}

/** Random threads, including malformed ones, whose tool results are changed as the test requires. */
export const threadsWithResults = (
  change: (result: ToolResultEnvelope, index: number) => ToolResultEnvelope,
): fc.Arbitrary<AgentThread> =>
  messageInputs({ malformed: true }).map((messages) =>
    AgentThread.empty(GENERATED_THREAD_ID).append(
      messages.map((message, index) => {
        const [part] = message.parts;
        return part?.type === "tool-result"
          ? { ...message, parts: [{ ...part, result: change(part.result, index) }] }
          : message;
      }),
    ),
  );
