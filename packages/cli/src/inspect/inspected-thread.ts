import { closeSync, createReadStream, openSync, readFileSync, readSync } from "node:fs";
import { ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import {
  auditRecord,
  type Commands,
  foldedSession,
  Inspection,
  type InspectionSource,
  type PresetComparison,
  presetComparison,
  storedRecord,
  type ThreadRecord,
} from "@threadfold/inspection";
import {
  BASELINES,
  type LoggedSession,
  presetOffers,
  recordedSession,
  scriptedSummarizer,
  simulate,
} from "@threadfold/simulation";
import { createMemoryStore, exportThread, isSealedThread } from "@threadfold/stores";
import { PRESETS } from "@threadfold/strategies";
import { loadTokenizer } from "@threadfold/tokenizers";
import { type CliContext, THREADFOLD_VERSION } from "../command/cli-command.ts";
import { shellWord } from "../output/page.ts";
import { placeOfThread, STANDARD_INPUT, sourceName } from "../parse/options.ts";
import { importSource } from "../source/import-source.ts";
import { addressWord, isServerAddress, readingStore, serverName } from "../store/store-address.ts";
import {
  erasureOf,
  isSealed,
  onStoredThread,
  sealedThread,
  storedThreads,
  unlessErased,
} from "../store/stored-thread.ts";
import type { InspectRequest } from "./inspect-request.ts";

/** A thread that is being inspected. */
export interface InspectedThread {
  readonly inspection: Inspection;
  /** Returns the log as it was recorded, byte for byte. */
  rawLog(): Promise<Uint8Array>;
}

/** Options of an inspection that do not come from the command line. */
export interface InspectingOptions {
  /** Keeps the payloads of all calls, for a caller that writes all of them. */
  readonly keepsPayloads?: boolean;
  /** Offers the raw log, for a caller that can provide it. */
  readonly offersRawLog?: boolean;
}

/** The share of the command's progress that folding a recorded session accounts for. */
const FOLDING_SHARE = 0.6;

/**
 * Opens the source that the command line names (a thread of a store, an audit file or a recorded session) and runs
 * `work` on it.
 *
 * @throws ThreadfoldError what reading it throws, and `ABORTED`.
 */
export function inspecting<Result>(
  request: InspectRequest,
  context: CliContext,
  options: InspectingOptions,
  work: (inspected: InspectedThread) => Promise<Result>,
): Promise<Result> {
  const opened = { request, context, options, work };
  switch (sourceKind(request.source)) {
    case "store":
      return inspectStore(opened);
    case "database":
      return inspectDatabase(opened);
    case "audit":
      return inspectAudit(opened);
    case "file":
      return inspectFile(opened);
  }
}

/** The kind of a source. */
type SourceKind = "store" | "database" | "audit" | "file";

/** The first bytes of every SQLite file. */
const SQLITE = "SQLite format 3\0";
/** Number of bytes that are examined: the first line of an audit file is far shorter. */
const BEGINNING = 4_096;

/**
 * Determines the kind of a source from its beginning. An unreadable source counts as a recorded session, so that the
 * importer reports why.
 */
function sourceKind(source: string): SourceKind {
  if (isServerAddress(source) || /^sqlite:/.test(source)) return "store";
  const text = source === STANDARD_INPUT ? "" : beginningOf(source);
  if (text.startsWith(SQLITE)) return "database";
  return text.startsWith("{") && text.split("\n")[0]?.includes('"format":"threadfold-audit"') ? "audit" : "file";
}

function beginningOf(path: string): string {
  const bytes = Buffer.alloc(BEGINNING);
  try {
    const file = openSync(path, "r");
    try {
      return bytes.toString("latin1", 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

interface Opening<Result> {
  readonly request: InspectRequest;
  readonly context: CliContext;
  readonly options: InspectingOptions;
  readonly work: (inspected: InspectedThread) => Promise<Result>;
}

function inspectStore<Result>({ request, context, options, work }: Opening<Result>): Promise<Result> {
  const { source, thread } = request;
  return readingStore({ store: source }, context.io.env, async (store) => {
    const { signal } = context.io;
    const read = (id: ThreadId) => readRecord(store, id, signal);
    const record = await (thread === undefined ? read(await newestThread(store)) : onStoredThread(store, thread, read));
    const threadId = record.thread.id;
    const inspection = await open(record, request, context, options, {
      kind: "store",
      name: sourceTitle(source),
      tool: null,
      simulated: false,
      rawLog: `${threadId}.jsonl`,
      commands: shellCommands(threadId, source),
    });
    return work({ inspection, rawLog: async () => Buffer.from(await exportThread(store, threadId)) });
  });
}

/** A database that is not a Threadfold store may be one in which another tool keeps its sessions. */
async function inspectDatabase<Result>(opened: Opening<Result>): Promise<Result> {
  try {
    return await inspectStore(opened);
  } catch (error) {
    if (!ThreadfoldError.isInstance(error) || error.code !== "STORE_FOREIGN") throw error;
    return inspectFile(opened);
  }
}

/** Reads a thread, even an erased one. @throws ThreadfoldError `KEY_MISSING` for a sealed one that was not erased. */
async function readRecord(store: ThreadfoldStore, threadId: ThreadId, signal: AbortSignal): Promise<ThreadRecord> {
  const sealed = (await unlessErased(() => isSealed(store, threadId))) === true;
  if (sealed && (await erasureOf(store, threadId)) === null) throw sealedThread(threadId);
  return storedRecord(store, threadId, { signal });
}

/**
 * Returns the most recently changed thread that is not archived.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND` for a store without threads, or with archived ones only.
 */
async function newestThread(store: ThreadfoldStore): Promise<ThreadId> {
  const threads = (await storedThreads(store)).toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  const newest = threads.find(({ archivedAt }) => archivedAt === undefined);
  if (newest !== undefined) return newest.threadId;
  const [archived] = threads;
  if (archived === undefined) throw new ThreadfoldError("THREAD_NOT_FOUND", "The store holds no thread.");
  const all =
    threads.length === 1 ? "The only thread of the store is" : `All ${threads.length} threads of the store are`;
  throw new ThreadfoldError("THREAD_NOT_FOUND", `${all} archived.`, {
    hint: `An archived thread comes back with: threadfold unarchive ${shellWord(archived.threadId)}`,
  });
}

/** Commands for a thread of a store, with placeholders for the reader to fill in. */
function shellCommands(threadId: string, address: string): Commands {
  const thread = shellWord(threadId);
  const store = `--store ${addressWord(address)}`;
  const command = (name: string, ...operands: readonly string[]): string => {
    // An id may look like an option.
    const words = threadId.startsWith("-") ? [store, "--", thread, ...operands] : [thread, ...operands, store];
    return ["threadfold", name, ...words].join(" ");
  };
  return {
    explain: command("explain", "{message}"),
    pin: command("pin", "{text}"),
    revert: command("revert", "{plan}"),
    search: command("search", "{query}"),
    replay: command("replay"),
    verify: command("verify"),
  };
}

/** Returns a name for a source that others may see: without passwords and local folders. */
const sourceTitle = (source: string): string =>
  isServerAddress(source) ? serverName(source) : (source.split(/[\\/]/).at(-1) ?? source);

async function inspectAudit<Result>({ request, context, options, work }: Opening<Result>): Promise<Result> {
  const { source } = request;
  const record = await auditRecord(createReadStream(source, { signal: context.io.signal }));
  // No store keeps the thread of a file, and its entries are all there is to tell by.
  if (await isSealedThread(createMemoryStore(), record.thread)) throw sealedThread(record.thread.id);
  const inspection = await open(record, request, context, options, {
    kind: "audit",
    name: sourceTitle(source),
    tool: null,
    simulated: false,
    rawLog: sourceTitle(source),
    commands: null,
  });
  return work({ inspection, rawLog: async () => readFileSync(source) });
}

async function inspectFile<Result>({ request, context, options, work }: Opening<Result>): Promise<Result> {
  const { io, progress } = context;
  const { preset, budget, format, tokenizer, thread } = request;
  const file = thread === undefined ? request.file : { ...request.file, thread: placeOfThread(thread, "The thread") };
  progress.update("reading", 0);
  const imported = await importSource(file, io);
  const store = await foldedSession(imported, {
    ...{ preset, budget, format, signal: io.signal },
    tokenizer: await loadTokenizer(tokenizer),
    onProgress: (share) => progress.update("folding", FOLDING_SHARE * share),
  });
  const record = await storedRecord(store, imported.threadId, { signal: io.signal });
  const source = { ...foldedSource(imported, sourceName(file)), logged: imported };
  const inspection = await open(record, request, context, options, source);
  return work({ inspection, rawLog: async () => rawBytes(file.file, imported.source.text) });
}

/** The description of a recorded session whose calls are simulated. */
export const foldedSource = ({ format }: ImportedSession, name: string): InspectionSource => ({
  kind: "file",
  name,
  tool: format,
  simulated: true,
  rawLog: name,
  commands: null,
});

/**
 * Returns the bytes of the file. For standard input, which cannot be read again, and for a database, which contains
 * more than the session, it returns the imported text.
 */
const rawBytes = (path: string, text: string): Uint8Array =>
  path === STANDARD_INPUT || sourceKind(path) === "database" ? Buffer.from(text) : readFileSync(path);

/** A record's source, and for a recorded file the imported log. */
type OpenedSource = InspectionSource & { readonly logged?: ImportedSession };

async function open(
  record: ThreadRecord,
  request: InspectRequest,
  { io, progress }: CliContext,
  { offersRawLog = false, ...options }: InspectingOptions,
  { logged, ...source }: OpenedSource,
): Promise<Inspection> {
  const { bodies, redacted, model = logged?.model } = request;
  const asked = request.presets ? await comparedPresets(logged ?? loggedThread(record), request, io.signal) : undefined;
  return Inspection.open(record, {
    ...{ bodies, redacted, ...options, signal: io.signal },
    source: offersRawLog ? source : { ...source, rawLog: null },
    ...(asked !== undefined && { comparison: asked }),
    pricing: model === undefined ? {} : { model },
    threadfoldVersion: THREADFOLD_VERSION,
    now: () => io.clock.now(),
    onProgress: (share) => progress.update("rendering", FOLDING_SHARE + (1 - FOLDING_SHARE) * share),
  });
}

const loggedThread = ({ thread }: ThreadRecord): LoggedSession => ({
  threadId: thread.id,
  format: "",
  system: [],
  messages: [...thread.messages],
});

/**
 * Returns the results of `threadfold simulate` for the log within the budget, under every preset and every baseline.
 */
async function comparedPresets(
  logged: LoggedSession,
  { budget, source }: InspectRequest,
  signal: AbortSignal,
): Promise<PresetComparison> {
  const summarizer = scriptedSummarizer("extractive");
  const presets = presetOffers(summarizer, PRESETS);
  const simulation = await simulate({
    sessions: [recordedSession(logged, sourceTitle(source))],
    policies: [...presets, ...BASELINES],
    budgets: [budget],
    ...{ summarizer, signal, series: true },
  });
  return presetComparison(simulation, new Set(presets.map(({ id }) => id)));
}
