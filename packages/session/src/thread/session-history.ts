import {
  AgentThread,
  type CompactionPlan,
  EventLoopTurns,
  type Explanation,
  emptyPlan,
  explainMessage,
  type FoundMessage,
  hiddenRuns,
  type Message,
  type MessageId,
  type MessageRun,
  type OrdinalRun,
  type ProviderAwareTokenizer,
  planRecords,
  type ResumedThread,
  type Steps,
  sourcedItems,
  type ThreadEntry,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  type ThreadRanges,
  tokenSharesInSteps,
} from "@threadfold/core";
import { refuseSealedThread } from "@threadfold/stores";
import type { SessionPlan } from "./session-plan.ts";
import type { SessionThread } from "./session-thread.ts";

/** Reads history that a resumed session left in the store. */
export interface HistoryReader {
  /** Loads the whole thread and plan. Does nothing when they are already in memory. @throws what the store throws. */
  load(): Promise<void>;
  /**
   * Loads what a fold looks at: the ids of the plan, and the edges of what it hides. Loads everything when the store
   * does not have the figures of the rest.
   *
   * @param recentTokens how far a fold looks back from the thread's end, in tokens of the session's counter.
   */
  loadForFold(recentTokens: number): Promise<void>;
  /** Runs work that rarely needs more than what is in memory; if it does, loads everything and runs it again. */
  whenNeeded<Result>(work: () => Promise<Result> | Result): Promise<Result>;
  /**
   * Takes over the newest plan if another writer committed it, and returns whether it did. Reads messages only if the
   * plan needs them.
   */
  takeCommitted(): Promise<boolean>;
}

/**
 * Reads what a session starts with: for a folded thread, if the store supports it, what the newest plan shows and what
 * came since; otherwise the whole thread.
 *
 * @throws ThreadfoldError `KEY_MISSING` for a sealed thread in a store without keys, and what the store throws.
 */
export async function openThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  policyVersion: string,
): Promise<ResumedThread> {
  const resumed = await store.ranges?.resume(threadId);
  const thread = resumed?.thread ?? (await store.threads.load(threadId)) ?? AgentThread.empty(threadId);
  await refuseSealedThread(store, thread);
  const plan = resumed?.plan ?? (await store.plans.getCurrentPlan(threadId)).plan;
  return { thread, plan: plan ?? emptyPlan(threadId, policyVersion) };
}

/** What reading a session's history depends on. */
export interface SessionHistoryPorts {
  readonly store: ThreadfoldStore;
  readonly thread: SessionThread;
  readonly plan: SessionPlan;
}

/** Loads history that a resumed session left in the store, when a fold, a search or an explanation needs it. */
export class SessionHistory implements HistoryReader {
  readonly #ports: SessionHistoryPorts;

  constructor(ports: SessionHistoryPorts) {
    this.#ports = ports;
  }

  async load(): Promise<void> {
    const { thread, plan } = this.#ports;
    await thread.load();
    await plan.load();
  }

  async loadForFold(recentTokens: number): Promise<void> {
    const { store, thread, plan } = this.#ports;
    const { isWhole, id } = thread.state.thread;
    const runs = isWhole ? [] : hiddenRuns(plan.current);
    if (runs.length === 0) return plan.load();
    const edges = store.ranges === undefined ? null : await this.#edgesOf(runs, store.ranges, recentTokens);
    if (store.ranges === undefined || edges === null) return this.load();
    const sources = await store.ranges.findMessages(id, sourcesIn(plan.current));
    const found = [...edges.flatMap(({ messages }) => messages), ...sources];
    await thread.hold(
      found,
      edges.flatMap(({ apart }) => apart ?? []),
      plan.current,
    );
    await plan.load();
  }

  /** Reads the edges of the parts that a plan hides. Null when not all that lies between them is counted. */
  async #edgesOf(
    runs: readonly MessageRun[],
    ranges: ThreadRanges,
    recentTokens: number,
  ): Promise<readonly RunEdges[] | null> {
    const { thread } = this.#ports;
    const { ledger } = thread.state;
    const edges: RunEdges[] = [];
    for (const run of runs) {
      const behind = ledger.tokensIfKnown(run.toOrdinal + 1, ledger.length);
      if (behind === undefined) return null;
      const read = (fromVersion: number, toVersion: number) =>
        ranges.loadRange(thread.state.thread.id, { fromVersion, toVersion });
      const count = (messages: readonly FoundMessage[]) =>
        new EventLoopTurns().finish(tokensOf(messages, ledger.tokenizer));
      const found = await edgesOfRun(run, recentTokens - behind, { read, count });
      if (found === null) return null;
      edges.push(found);
    }
    return edges;
  }

  async whenNeeded<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!ThreadfoldError.isInstance(error) || error.code !== "HISTORY_NOT_LOADED") throw error;
      await this.load();
      return work();
    }
  }

  /**
   * Reads what other sessions appended and committed. A resumed thread is resumed again, because their plan may show
   * other messages.
   */
  async refresh(): Promise<void> {
    const { store, thread, plan } = this.#ports;
    if (!thread.state.thread.isWhole) {
      const resumed = await store.ranges?.resume(thread.state.thread.id);
      if (resumed !== undefined && resumed !== null && (await thread.take(resumed.thread, resumed.plan)))
        return plan.take(resumed.plan);
      await this.load();
    }
    await thread.refresh();
    await plan.refresh();
  }

  async takeCommitted(): Promise<boolean> {
    const { store, thread, plan } = this.#ports;
    const { thread: known } = thread.state;
    const newest = await store.plans.getCurrentVersion?.(known.id);
    if (newest !== undefined && newest <= plan.current.version) return false;
    const { plan: committed } = await store.plans.getCurrentPlan(known.id);
    if (committed === null || committed.version <= plan.current.version) return false;
    if (known.isWhole && committed.threadVersion <= known.version) plan.take(committed);
    else await this.refresh();
    return true;
  }

  /** Explains why a message is, or is not, in the prompt. Reads only that message and the ids of the plan. */
  async explain(messageId: MessageId): Promise<Explanation> {
    const { thread } = this.#ports.thread.state;
    const known = thread.messageInMemory(messageId);
    const found = known ?? (thread.isWhole ? undefined : await this.#find(messageId));
    const plan = await this.#ports.plan.whole();
    return explainMessage({ id: thread.id, message: (id) => (id === found?.id ? found : undefined) }, plan, messageId);
  }

  async #find(messageId: MessageId) {
    const { store, thread } = this.#ports;
    return (await store.ranges?.findMessages(thread.state.thread.id, [messageId]))?.[0]?.message;
  }
}

/** Returns the messages that a plan's summaries name as sources of their items, whose words a fold compares. */
const sourcesIn = (plan: CompactionPlan): readonly MessageId[] =>
  planRecords(plan).flatMap((record) =>
    "summary" in record ? sourcedItems(record.summary).flatMap(({ sources }) => sources) : [],
  );

/** Entries on either edge of what a plan hides that a fold may look at: several groups of messages. */
const EDGE = 64;
/** Entries that are read at once on the way back to where a fold begins to look. */
const READ_AT_A_TIME = 256;

/** What a fold looks at of a part that a plan hides, and what it passes over between the two edges. */
interface RunEdges {
  readonly messages: readonly FoundMessage[];
  readonly apart?: OrdinalRun;
}

interface RunReader {
  /** Reads the entries after one version, up to another. */
  readonly read: (fromVersion: number, toVersion: number) => Promise<readonly ThreadEntry[]>;
  readonly count: (messages: readonly FoundMessage[]) => Promise<number>;
}

/**
 * Reads the beginning of a part that a plan hides, and its end with at least these tokens; all of it if little remains.
 * What is left out is between whole groups: all calls before it are answered, and a message that no earlier reasoning
 * belongs to comes early in what is read behind it. Null when there is no such place.
 */
async function edgesOfRun(
  { fromVersion, toVersion }: MessageRun,
  endTokens: number,
  { read, count }: RunReader,
): Promise<RunEdges | null> {
  const before = fromVersion - 1;
  let end: readonly FoundMessage[] = [];
  let start = toVersion;
  for (let left = endTokens; start > before && left > 0; ) {
    const from = Math.max(before, start - READ_AT_A_TIME);
    const found = foundIn(await read(from, start), from);
    left -= await count(found);
    [end, start] = [[...found, ...end], from];
  }
  if (start - before < 4 * EDGE) return { messages: [...foundIn(await read(before, start), before), ...end] };
  const margin = foundIn(await read(start - EDGE, start), start - EDGE);
  const first = margin.findIndex(({ message }) => isSpeaking(message));
  const beginning = answeredPart(foundIn(await read(before, before + EDGE), before));
  const [last, next] = [beginning.at(-1), margin[first]];
  if (last === undefined || next === undefined) return null;
  const apart = { from: last.message.ordinal + 1, to: next.message.ordinal - 1 };
  return { messages: [...beginning, ...margin.slice(first), ...end], apart };
}

const foundIn = (entries: readonly ThreadEntry[], fromVersion: number): readonly FoundMessage[] =>
  entries.flatMap((entry, index) =>
    entry.type === "message" ? [{ version: fromVersion + 1 + index, message: entry.message }] : [],
  );

function* tokensOf(messages: readonly FoundMessage[], tokenizer: ProviderAwareTokenizer): Steps<number> {
  let sum = 0;
  for (const { message } of messages) {
    const { shares, overhead } = yield* tokenSharesInSteps(message, tokenizer);
    sum = Object.values(shares).reduce((tokens, share) => tokens + share, sum + overhead);
  }
  return sum;
}

/** True for a message of the main branch that says something or makes a call: it is no reasoning, and no result. */
const isSpeaking = ({ branch, parts }: Message): boolean =>
  branch === undefined && parts.some(({ type }) => type === "text" || type === "tool-call");

/** Returns the messages up to the last one after which no call awaits its result, and no reasoning its answer. */
function answeredPart(messages: readonly FoundMessage[]): readonly FoundMessage[] {
  const open = new Set<string>();
  let length = 0;
  for (const [index, { message }] of messages.entries()) {
    for (const part of message.parts) {
      if (part.type === "tool-call") open.add(part.callId);
      if (part.type === "tool-result") open.delete(part.result.callId);
    }
    if (open.size === 0 && message.parts.some(({ type }) => type !== "reasoning")) length = index + 1;
  }
  return messages.slice(0, length);
}
