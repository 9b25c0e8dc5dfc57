import type {
  CompactionResult,
  ContextEvent,
  ContextEventResult,
  ExtensionContext,
  ExtensionFactory,
  ExtensionHandler,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
  SessionEntry,
  ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { type AgentThread, asThreadId, type CompactionOutcome, type Message } from "@threadfold/core";
import { exportSession, type ImportedSession, importSession } from "@threadfold/importers";
import { capabilitiesOf } from "@threadfold/renderer";
import { ContextSession, planWindow, type SessionOptions } from "@threadfold/session";
import { createMemoryStore, openStore } from "@threadfold/stores";
import { type CompactionPreset, piPreset, windowStrategy } from "@threadfold/strategies";
import { RECALL_DEFINITIONS, recallTools } from "../mirror/recall-tools.ts";

/** Options of {@link threadfoldExtension}. */
export interface PiExtensionOptions extends PiCompactionOptions {
  /**
   * The address of the store, as for `openStore`, used when `store` is not given. It is opened when pi loads the
   * extension.
   */
  readonly storeAddress?: string;
}

/**
 * Creates a pi extension that takes compactions from Threadfold (see `sessionBeforeCompact`), gives the model tools to
 * read what was compacted away, and removes thinking that a compaction made invalid.
 */
export const threadfoldExtension =
  ({ storeAddress, ...given }: PiExtensionOptions = {}): ExtensionFactory =>
  async (pi) => {
    const store = given.store ?? (storeAddress === undefined ? createMemoryStore() : await openStore(storeAddress));
    const options: PiCompactionOptions = { frame: { tools: RECALL_DEFINITIONS }, ...given, store };
    for (const tool of threadfoldTools(options)) pi.registerTool(tool);
    pi.on("session_before_compact", sessionBeforeCompact(options));
    pi.on("context", withoutStaleThinking);
  };

/** Why Threadfold supplied no compaction. pi then makes its own, as if the handler did not exist. */
export type PiProblem =
  /** There was no fold; the outcome says why. */
  | { readonly kind: "no-fold"; readonly outcome: CompactionOutcome }
  /** The fold changes message bodies after the summary, which a compaction entry of pi cannot express. */
  | { readonly kind: "not-expressible" }
  /** The branch could not be read, or the store failed. The error may quote content. */
  | { readonly kind: "failed"; readonly error: unknown };

/** Options for folding sessions of pi. */
export interface PiCompactionOptions extends Omit<SessionOptions, "threadId" | "preset" | "format"> {
  /** Called with the reason when pi falls back to its own compaction. The outcome of a fold goes to `onEvent`. */
  readonly onProblem?: (problem: PiProblem) => void;
}

type Handler = ExtensionHandler<SessionBeforeCompactEvent, SessionBeforeCompactResult>;
type Result = SessionBeforeCompactResult | PiProblem;

/**
 * Creates a handler for pi's `session_before_compact`: pi decides when to compact and what to keep, and Threadfold
 * supplies the compaction entry. Its summary is structured, contains pins word for word, and is extended rather than
 * rewritten by later ones. pi's log stays unchanged; the thread, its plans and what was folded are also in `store`,
 * where `explain` and `search` find them. Without `store` they last as long as the process.
 *
 * The handler never throws: when nothing can be supplied, pi continues with its own compaction. A hook's veto or an
 * aborted signal cancels pi's compaction.
 */
export function sessionBeforeCompact({ onProblem, ...options }: PiCompactionOptions = {}): Handler {
  const store = options.store ?? createMemoryStore();
  return async (event, context) => {
    const result = await supply(event, context, { ...options, store });
    if (event.signal.aborted) return { cancel: true };
    if (!("kind" in result)) return result;
    onProblem?.(result);
    return undefined;
  };
}

async function supply(
  event: SessionBeforeCompactEvent,
  context: ExtensionContext,
  options: Omit<PiCompactionOptions, "onProblem">,
): Promise<Result> {
  try {
    return await folded(event, context, options);
  } catch (error) {
    return { kind: "failed", error };
  }
}

async function folded(
  { signal, branchEntries, preparation, customInstructions }: SessionBeforeCompactEvent,
  { sessionManager, model }: ExtensionContext,
  options: Omit<PiCompactionOptions, "onProblem">,
): Promise<Result> {
  const { firstKeptEntryId, tokensBefore } = preparation;
  const log = branchLog(sessionManager.getSessionId(), branchEntries);
  const imported = await importBranch(log, signal);
  let cut = 0;
  const session = await branchSession(imported, {
    ...options,
    preset: keepingFrom(() => cut),
    config: { maxInputTokens: model?.contextWindow ?? tokensBefore + 1, ...options.config },
  });
  const line = log.lineOf(firstKeptEntryId);
  cut = line === undefined ? session.thread.length : ordinalFrom(session.thread, line);
  const instructions = customInstructions === undefined ? {} : { instructions: customInstructions };
  // A host that disabled folding leaves compaction to pi, whoever asked pi for it.
  const force = session.stats().autoCompaction;
  const outcome = await session.compact({ force, signal, ...instructions });
  if (outcome.type === "vetoed") return { cancel: true };
  if (!("plan" in outcome)) return { kind: "no-fold", outcome };
  const compaction = compactionOf(session, log);
  return compaction === undefined ? { kind: "not-expressible" } : { compaction: { ...compaction, tokensBefore } };
}

/** pi's policy with pi's own cut: pi knows the user's settings and where to split a turn. */
const keepingFrom = (cut: () => number): CompactionPreset => ({
  ...piPreset,
  ladder: [windowStrategy({ name: "pi-cut", cut, fold: "summarize" })],
});

/** The compaction that the exporter appends to the branch, provided that it appends nothing else. */
function compactionOf(
  { thread, plan }: ContextSession,
  log: BranchLog,
): Omit<CompactionResult, "tokensBefore"> | undefined {
  const window = planWindow(thread, plan);
  const { text, added } = exportSession("pi", { thread, plan, window, at: plan.createdAt, source: log.text });
  if (added !== 1) return undefined;
  const { summary, firstKeptEntryId, details } = JSON.parse(text.slice(log.text.length));
  return typeof summary === "string" ? { summary, firstKeptEntryId, details } : undefined;
}

/**
 * Returns `read_artifact` and `search_thread` as pi tools, with which the model can read what was compacted away on its
 * current branch. `threadfoldExtension` registers them. When nothing is found, the model is told so in text; a call
 * fails only when the store does.
 *
 * @param options those of `sessionBeforeCompact`: both must have the same `store`.
 */
export function threadfoldTools({ onProblem: _, ...options }: PiCompactionOptions): ToolDefinition[] {
  const sessionOf = async ({ sessionManager }: ExtensionContext): Promise<ContextSession> => {
    const log = branchLog(sessionManager.getSessionId(), sessionManager.getBranch());
    return branchSession(await importBranch(log), options);
  };
  return recallTools(sessionOf).map(({ name, description, inputSchema, run }) => ({
    name,
    label: name === "read_artifact" ? "Read folded content" : "Search folded content",
    description,
    parameters: inputSchema as unknown as ToolDefinition["parameters"],
    execute: async (_callId, input, _signal, _onUpdate, context) => ({
      content: [{ type: "text", text: await run(input, context) }],
      details: undefined,
    }),
  }));
}

/** Reads a branch from its log. @throws ThreadfoldError as `importSession` does. */
const importBranch = ({ text }: BranchLog, signal?: AbortSignal): Promise<ImportedSession> =>
  importSession(new TextEncoder().encode(text), { format: "pi", ...(signal !== undefined && { signal }) });

/**
 * Opens a session on the thread that a branch of pi continues, and appends the messages that it lacks. In pi a user may
 * go back and continue differently. A thread only grows, so each branch that leaves a thread gets its own, named after
 * the entry at which it diverges.
 *
 * @throws ThreadfoldError as `ContextSession.open` and `append` do.
 */
async function branchSession(
  imported: ImportedSession,
  options: Omit<SessionOptions, "threadId">,
): Promise<ContextSession> {
  let threadId = imported.threadId;
  for (;;) {
    const session = await ContextSession.open({ ...options, threadId });
    await session.loadHistory();
    const { length } = session.thread;
    const known = imported.messages.slice(0, length);
    const parting = known.findIndex(({ id }, index) => session.thread.messageAt(index)?.id !== id);
    if (parting === -1 && known.length === length) {
      await session.append(imported.messages.slice(length));
      return session;
    }
    threadId = asThreadId(`${imported.threadId}~${known[parting]?.id ?? `first-${known.length}`}`);
  }
}

/**
 * The ordinal of the first message that was read from this line or a later one, or the thread's length when there is
 * none.
 */
function ordinalFrom(thread: AgentThread, line: number): number {
  const first = [...thread.messages].find(({ metadata }) => lineIn(metadata) >= line);
  return first?.ordinal ?? thread.length;
}

const lineIn = (metadata: Message["metadata"]): number =>
  (metadata?.["source"] as { readonly line?: number } | undefined)?.line ?? 0;

/** The branch of a pi session to be compacted, as a log that the importer can read. */
interface BranchLog {
  /** JSON lines: the header, then the entries from the root to the newest one. */
  readonly text: string;
  /** The line of an entry, from 1; undefined when it is not on the branch. */
  readonly lineOf: (entryId: string) => number | undefined;
}

/** The log version whose entries have ids; pi keeps no older ones in memory. */
const VERSION = 3;

/**
 * Writes a branch as a log, without the compactions that Threadfold supplied: they show a plan that the session's own
 * store has, and the messages that they summarize are in the branch. Other compactions are kept, because they exist
 * nowhere else.
 */
function branchLog(sessionId: string, entries: readonly SessionEntry[]): BranchLog {
  const kept: SessionEntry[] = [];
  for (const entry of entries) if (!isOwnFold(entry)) kept.push({ ...entry, parentId: kept.at(-1)?.id ?? null });
  const header = { type: "session", version: VERSION, id: sessionId, timestamp: kept[0]?.timestamp ?? "", cwd: "" };
  const lines = new Map(kept.map(({ id }, index) => [id, index + 2]));
  return {
    text: `${[header, ...kept].map((line) => JSON.stringify(line)).join("\n")}\n`,
    lineOf: (entryId) => lines.get(entryId),
  };
}

function isOwnFold(entry: SessionEntry): boolean {
  const details = entry.type === "compaction" ? entry.details : undefined;
  return typeof details === "object" && details !== null && "threadfold" in details;
}

type Messages = ContextEvent["messages"];

/**
 * Handler for pi's `context`: removes the thinking from turns that pi kept after a compaction. What a model thought
 * before a compaction followed a different prompt, and models that bind thinking to what precedes it would refuse the
 * request ("The block is bound to a different conversation"). Thinking from after the compaction is kept, and for other
 * models everything is. pi's log stays unchanged.
 */
export function withoutStaleThinking({ messages }: ContextEvent, { model }: ExtensionContext): ContextEventResult {
  const compaction = messages.findLast(({ role }) => role === "compactionSummary");
  if (compaction === undefined || model === undefined || !bindsThinking(model)) return {};
  return { messages: messages.flatMap((message) => unlessStale(message, compaction.timestamp)) };
}

/** An unlisted model is assumed to bind its thinking. */
const bindsThinking = ({ api, id }: NonNullable<ExtensionContext["model"]>): boolean =>
  api === "anthropic-messages" && (capabilitiesOf(id)?.reasoning ?? "prefix-bound") === "prefix-bound";

function unlessStale(message: Messages[number], compactedAt: number): Messages {
  if (message.role !== "assistant" || message.timestamp >= compactedAt) return [message];
  const content = message.content.filter(({ type }) => type !== "thinking");
  if (content.length === message.content.length) return [message];
  return content.length === 0 ? [] : [{ ...message, content }];
}
