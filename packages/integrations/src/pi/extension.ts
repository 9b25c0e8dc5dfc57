import type {
  CompactionResult,
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
import { ContextSession, planWindow, type SessionOptions } from "@threadfold/session";
import { createMemoryStore, openStore } from "@threadfold/stores";
import { type CompactionPreset, piPreset, windowStrategy } from "@threadfold/strategies";
import { RECALL_DEFINITIONS, recallTools } from "../mirror/recall-tools.ts";
import { withoutStaleThinking } from "./stale-thinking.ts";

/** What an extension of pi is made with. */
export interface PiExtensionOptions extends PiCompactionOptions {
  /** The address of the store, as `openStore` takes it, in the place of `store`. It is opened when pi loads the extension. */
  readonly storeAddress?: string;
}

/**
 * An extension of pi whose compactions come from Threadfold (see `sessionBeforeCompact`), with the tools that lead the model
 * to what was compacted away, and without the thinking that a compaction made invalid.
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

/** Why Threadfold supplied no compaction. pi then makes its own, as if the handler were not there. */
export type PiProblem =
  /** There was no fold: the outcome says why. */
  | { readonly kind: "no-fold"; readonly outcome: CompactionOutcome }
  /** The fold changes bodies behind the summary, which a compaction entry of pi cannot say. */
  | { readonly kind: "not-expressible" }
  /** The branch could not be read, or the store failed. The error may quote content. */
  | { readonly kind: "failed"; readonly error: unknown };

/** What Threadfold folds sessions of pi with. */
export interface PiCompactionOptions extends Omit<SessionOptions, "threadId" | "preset" | "format"> {
  /** Called with the reason when pi is left to its own compaction. The outcome of a fold goes to `onEvent`. */
  readonly onProblem?: (problem: PiProblem) => void;
}

type Handler = ExtensionHandler<SessionBeforeCompactEvent, SessionBeforeCompactResult>;
type Result = SessionBeforeCompactResult | PiProblem;

/**
 * Makes a handler for pi's `session_before_compact`: pi decides when to compact and what it keeps, and Threadfold supplies
 * the compaction entry. Its summary is structured, pins stay in it word for word, and a later one adds to it instead of
 * rewriting it. pi's log stays as it is; the thread, its plans and what was folded are in `store` as well, where `explain`
 * and `search` find them. Without `store` they last as long as the process.
 *
 * Never throws: when nothing can be supplied pi goes on with its own compaction. The veto of a hook and the aborted signal
 * cancel pi's compaction.
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
  // A host that switched folding off leaves pi to its own compaction, whoever asked pi for it.
  const force = session.stats().autoCompaction;
  const outcome = await session.compact({ force, signal, ...instructions });
  if (outcome.type === "vetoed") return { cancel: true };
  if (!("plan" in outcome)) return { kind: "no-fold", outcome };
  const compaction = compactionOf(session, log);
  return compaction === undefined ? { kind: "not-expressible" } : { compaction: { ...compaction, tokensBefore } };
}

/** pi's policy with pi's own cut: pi knows the user's settings, and where a turn is to be split. */
const keepingFrom = (cut: () => number): CompactionPreset => ({
  ...piPreset,
  ladder: [windowStrategy({ name: "pi-cut", cut, fold: "summarize" })],
});

/** The compaction that the exporter writes behind the branch, when it writes nothing else. */
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
 * `read_artifact` and `search_thread` as tools of pi: the model's own ways to what was compacted away on the branch that it
 * is on. `threadfoldExtension` registers them. What cannot be found is said to the model in words; only a failing store
 * fails a call.
 *
 * @param options those of `sessionBeforeCompact`: both have to have the same `store`.
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

/** Reads a branch that was written down. @throws ThreadfoldError as `importSession` does. */
const importBranch = ({ text }: BranchLog, signal?: AbortSignal): Promise<ImportedSession> =>
  importSession(new TextEncoder().encode(text), { format: "pi", ...(signal !== undefined && { signal }) });

/**
 * Opens a session on the thread that a branch of pi continues, and appends what it does not have yet. In pi a user may go
 * back and take another way. A thread only grows, so that each way that leaves a thread behind gets one of its own, named
 * after the entry with which it parts.
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

/** The place of the first message that was read from this line or a later one; the thread's length without one. */
function ordinalFrom(thread: AgentThread, line: number): number {
  const first = [...thread.messages].find(({ metadata }) => lineIn(metadata) >= line);
  return first?.ordinal ?? thread.length;
}

const lineIn = (metadata: Message["metadata"]): number =>
  (metadata?.["source"] as { readonly line?: number } | undefined)?.line ?? 0;

/** The branch of a pi session that a compaction is for, as the log that an importer reads. */
interface BranchLog {
  /** JSON lines: the header, then the entries from the root to the newest one. */
  readonly text: string;
  /** The line of an entry, from 1; undefined when the branch does not have it. */
  readonly lineOf: (entryId: string) => number | undefined;
}

/** The version of logs whose entries have ids; in memory pi has no older ones. */
const VERSION = 3;

/**
 * Writes a branch down without the compactions that Threadfold supplied: they show a plan that the session's own store
 * has, and what they stand for is in the branch. Compactions of others stay, because they are kept nowhere else.
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
