import {
  type AgentThread,
  type ArtifactId,
  asMessageId,
  asToolCallId,
  type Clock,
  type ContextCompactionConfig,
  checkOptions,
  handlingOf,
  type Message,
  type MessageInput,
  type OptionKinds,
  type ProviderAwareTokenizer,
  refuseArgument,
  type ThreadfoldStore,
  type ThreadId,
  type ToolCallPart,
  visibleText,
} from "@threadfold/core";
import { truncateToTokens } from "@threadfold/rehydration";
import { tokenFractionTrigger } from "@threadfold/strategies";
import type { CompactOptions } from "@threadfold/turn";
import { checkNewThread } from "../host/checked-options.ts";
import { text } from "../host/messages.ts";
import type { SessionOptions } from "../host/session-options.ts";
import { forkEntries } from "../thread/fork-thread.ts";

/** What every sub-agent needs. */
interface SubAgentTask {
  /** Id of its thread, which must not exist yet. */
  readonly threadId: ThreadId;
  /** Its goal, which becomes the newest request of its thread, word for word. */
  readonly goal: string;
  readonly signal?: AbortSignal;
}

/**
 * A sub-agent that knows what its parent knows: its requests begin with the parent's, byte for byte, including system
 * text and tools, so that the provider reads them from its cache.
 */
interface SharedPrefixFork extends SubAgentTask {
  readonly mode: "shared-prefix";
}

/** A sub-agent that starts with the parent's thread folded for its goal, and has a separate budget. */
interface ScopedFork extends SubAgentTask {
  readonly mode: "scoped";
  /** Maximum tokens of each of its requests. */
  readonly budget: number;
}

/** How to start a sub-agent; see `ContextSession.fork`. */
export type SubAgentOptions = SharedPrefixFork | ScopedFork;

/** The result of a sub-agent's work, for its parent. */
export interface SubAgentResult {
  /** All of its messages, in one of the parent's artifacts: `read_artifact` shows it. */
  readonly artifactId: ArtifactId;
  /** Text for the parent's model, for example as the tool result: the last answer, and where to find the rest. */
  readonly text: string;
  /** Tokens of `text`. */
  readonly tokens: number;
}

/** A sub-agent, with the session to work on its thread. */
export interface SubAgent<Session> {
  /** Its session, used like any other. Closing it leaves the parent's store open. */
  readonly session: Session;
  /**
   * Stores its work so far in the parent's artifacts and returns a text about it, of at most 1,000 tokens by default.
   */
  result(options?: { readonly maxTokens?: number }): Promise<SubAgentResult>;
}

/** What a sub-agent takes from its parent's session. */
export interface SubAgentParent {
  readonly threadId: ThreadId;
  readonly store: ThreadfoldStore;
  readonly config: ContextCompactionConfig;
  readonly tenantId: string | null;
  readonly clock: Clock;
  readonly tokenizer: ProviderAwareTokenizer;
}

/** The part of a session that starting a sub-agent needs. */
interface SubAgentSession {
  readonly thread: AgentThread;
  readonly config: ContextCompactionConfig;
  append(messages: readonly MessageInput[]): Promise<void>;
  compact(options: CompactOptions): Promise<unknown>;
  loadHistory(): Promise<void>;
}

/**
 * Forks a parent's thread and opens a session on it: unchanged, so that its requests begin with the parent's, or folded
 * for its goal to its own budget. The goal is appended after that.
 *
 * @param open opens a session like the parent's, except for these options.
 * @throws ThreadfoldError `INVALID_CONFIG` for invalid options; `VERSION_CONFLICT` when its thread already exists; what
 * the store throws.
 */
export async function beginSubAgent<Session extends SubAgentSession>(
  parent: SubAgentParent,
  options: SubAgentOptions,
  open: (options: Pick<SessionOptions, "store" | "config">) => Promise<Session>,
): Promise<SubAgent<Session>> {
  checkSubAgent(options);
  const { thread } = await forkEntries(parent.store, parent.threadId, {
    threadId: options.threadId,
    clock: parent.clock,
  });
  const isScoped = options.mode === "scoped";
  const session = await open({
    store: keptOpen(parent.store),
    ...(isScoped && { config: { maxInputTokens: options.budget } }),
  });
  if (isScoped) await foldForGoal(session, options);
  await session.append(subAgentRequest(thread, options, parent.clock));
  return {
    session,
    async result({ maxTokens = RESULT_TOKENS } = {}) {
      await session.loadHistory();
      return subAgentResult(parent, { thread: session.thread, from: thread.length, maxTokens });
    },
  };
}

/** Wraps a store so that closing a session does not close it for the others that use it. */
const keptOpen = (store: ThreadfoldStore): ThreadfoldStore =>
  Object.create(store, { close: { value: async () => undefined } });

/**
 * Folds to the target, to leave the sub-agent room to work in; a thread that is already within the target stays whole.
 */
async function foldForGoal(session: SubAgentSession, { goal, signal }: ScopedFork): Promise<void> {
  const trigger = tokenFractionTrigger(session.config.targetPercent);
  await session.compact({ trigger, instructions: goal, ...(signal !== undefined && { signal }) });
}

/** Checks the options of a sub-agent. @throws ThreadfoldError `INVALID_CONFIG` when they are invalid. */
function checkSubAgent(options: SubAgentOptions): void {
  checkNewThread(options.threadId);
  if (typeof options.goal !== "string" || options.goal.trim() === "")
    refuseArgument("goal", "a sub-agent needs a goal.", "Say what it should do; it becomes its first request.");
  if (options.mode !== "scoped" && options.mode !== "shared-prefix")
    refuseArgument("mode", `there is no fork mode ${JSON.stringify(options["mode"])}.`, MODES);
  checkOptions("options", options, SUB_AGENT_OPTIONS);
  if (options.mode === "shared-prefix") return;
  if (!(Number.isSafeInteger(options.budget) && options.budget > 0))
    refuseArgument(
      "budget",
      "it is not a number of tokens.",
      "Give the number of tokens that a request of the sub-agent may have.",
    );
}

const SUB_AGENT_OPTIONS: OptionKinds<ScopedFork> = {
  ...{ threadId: "any", goal: "any", mode: "any", budget: "any", signal: "signal" },
};
const MODES = 'Use "shared-prefix" or "scoped", or no mode for a fork that nobody works on yet.';

/**
 * Returns what follows the parent's messages in a sub-agent's thread: a result for each tool call that is open there,
 * because a request must not leave one open, and the goal.
 */
function subAgentRequest(parent: AgentThread, { goal, threadId }: SubAgentOptions, clock: Clock): MessageInput[] {
  const createdAt = new Date(clock.now()).toISOString();
  const answers = openCalls(parent).map(({ callId, toolName }, index): MessageInput => {
    const content = { type: "text", text: `[This call is what the sub-agent ${threadId} works on]` } as const;
    const result = { callId: asToolCallId(callId), toolName, outcome: "success", content } as const;
    return {
      id: asMessageId(`${threadId}-call-${index}`),
      role: "tool",
      createdAt,
      parts: [{ type: "tool-result", result }],
    };
  });
  return [...answers, { id: asMessageId(`${threadId}-goal`), role: "user", createdAt, parts: [text(goal)] }];
}

/** Returns the tool calls of the newest answer that have no result yet. */
function openCalls(thread: AgentThread): readonly ToolCallPart[] {
  const answered = new Set<string>();
  for (let ordinal = thread.length - 1; ordinal >= 0; ordinal--) {
    const message = thread.messageAt(ordinal);
    if (message === undefined || message.branch !== undefined) continue;
    if (message.role === "user") return [];
    for (const part of message.parts) if (part.type === "tool-result") answered.add(part.result.callId);
    if (message.role === "assistant")
      return message.parts.filter((part) => part.type === "tool-call").filter(({ callId }) => !answered.has(callId));
  }
  return [];
}

/** Default maximum tokens of a sub-agent's result text. */
const RESULT_TOKENS = 1_000;

interface SubAgentWork {
  /** The sub-agent's thread, whole. */
  readonly thread: AgentThread;
  /** Ordinal of the first message that is not the parent's. */
  readonly from: number;
  readonly maxTokens: number;
}

async function subAgentResult(
  { threadId, store, config, tenantId, clock, tokenizer }: SubAgentParent,
  { thread, from, maxTokens }: SubAgentWork,
): Promise<SubAgentResult> {
  const own = [...thread.messages].slice(from).filter(({ branch }) => branch === undefined);
  const artifactId = await store.artifacts.store(own.map(transcribed).join("\n\n"), {
    ...{ threadId, tenantId, ttlSeconds: config.artifactTtlSeconds, mediaType: "text/plain" },
    ...{ createdAt: new Date(clock.now()).toISOString(), sensitivity: handlingOf(own).sensitivity },
  });
  const where = `[All ${own.length} messages of the sub-agent ${thread.id} are in ${artifactId}; read_artifact shows them.]`;
  const count = (words: string) => tokenizer.countTokens(words);
  const room = Math.max(0, maxTokens - count(`\n${where}`));
  const cut = truncateToTokens(answerOf(own), room, count, (shown, total) => `\n[… ${total - shown} characters more]`);
  const words = cut === null ? where : `${cut.text}\n${where}`;
  return { artifactId, text: words, tokens: count(words) };
}

const transcribed = (message: Message): string => `--- ${message.role}, message ${message.id}\n${spoken(message)}`;

/** The visible text of a message, without reasoning. */
const spoken = ({ parts }: Message): string => visibleText({ parts: parts.filter(({ type }) => type !== "reasoning") });

/** Returns the sub-agent's newest text. */
function answerOf(own: readonly Message[]): string {
  const texts = own.flatMap(({ role, parts }) => (role === "assistant" ? [textOf(parts)] : []));
  return texts.findLast((words) => words.trim() !== "") ?? "The sub-agent has said nothing.";
}

const textOf = (parts: Message["parts"]): string => visibleText({ parts: parts.filter(({ type }) => type === "text") });
