import { closeSync, createReadStream, openSync, readFileSync, readSync } from "node:fs";
import { asThreadId, ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
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
import { exportThread } from "@threadfold/stores";
import { PRESETS } from "@threadfold/strategies";
import { loadTokenizer } from "@threadfold/tokenizers";
import { type CliContext, THREADFOLD_VERSION } from "../command/cli-command.ts";
import { shellWord } from "../output/page.ts";
import { STANDARD_INPUT, sourceName } from "../parse/options.ts";
import { importSource } from "../source/import-source.ts";
import { readingStore } from "../store/store-address.ts";
import { storedThreads } from "../store/stored-thread.ts";
import type { InspectRequest } from "./inspect-request.ts";

/** A thread that is looked at. */
export interface InspectedThread {
  readonly inspection: Inspection;
  /** The log as it was recorded, byte for byte. */
  rawLog(): Promise<Uint8Array>;
}

/** What is asked of an inspection besides what the command line says. */
export interface InspectingOptions {
  /** Keeps the payloads of all calls: for whoever writes all of them down. */
  readonly keepsPayloads?: boolean;
  /** Offers the raw log: for whoever has it at hand. */
  readonly offersRawLog?: boolean;
}

/** Of the command's work, what folding a recorded session is. */
const FOLDING_SHARE = 0.6;

/**
 * Opens what the command line names, a thread of a store, an audit file or a recorded session, and works on it.
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

/** What a source is. */
type SourceKind = "store" | "database" | "audit" | "file";

/** What every SQLite file begins with. */
const SQLITE = "SQLite format 3\0";
/** As much as is looked at: the first line of an audit file is far shorter. */
const BEGINNING = 4_096;

/** Says what a source is by how it begins. What cannot be read is a recorded session, whose importer says why it cannot. */
function sourceKind(source: string): SourceKind {
  if (/^(?:postgres(?:ql)?|sqlite):/.test(source)) return "store";
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
    const threadId = thread === undefined ? await newestThread(store) : await namedThread(store, thread);
    const record = await storedRecord(store, threadId, { signal: context.io.signal });
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

/** A database that is no store of ours may be one in which another tool keeps its sessions. */
async function inspectDatabase<Result>(opened: Opening<Result>): Promise<Result> {
  try {
    return await inspectStore(opened);
  } catch (error) {
    if (!ThreadfoldError.isInstance(error) || error.code !== "STORE_FOREIGN") throw error;
    return inspectFile(opened);
  }
}

/** A thread by its id, an erased one as well, or by what its id alone begins with. */
async function namedThread(store: ThreadfoldStore, name: string): Promise<ThreadId> {
  const begun = (await storedThreads(store)).map(({ threadId }) => threadId).filter((id) => id.startsWith(name));
  const [only = asThreadId(name), ...others] = begun;
  return name === "" || others.length > 0 ? asThreadId(name) : only;
}

/**
 * The thread that was changed last, of those that are not archived.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND` for a store without threads.
 */
async function newestThread(store: ThreadfoldStore): Promise<ThreadId> {
  const threads = (await storedThreads(store)).filter(({ archivedAt }) => archivedAt === undefined);
  const [newest] = threads.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  if (newest !== undefined) return newest.threadId;
  throw new ThreadfoldError("THREAD_NOT_FOUND", "The store holds no thread.");
}

/** Where a store is named that has a password in its address. */
const FROM_ENVIRONMENT = '"$THREADFOLD_STORE"';

/** Commands that work on a thread of a store, with the places that a reader fills in. */
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

const addressWord = (address: string): string => (address.includes("://") ? FROM_ENVIRONMENT : shellWord(address));

/** What a source is called where others may see it: no password, and no folder of this machine. */
function sourceTitle(source: string): string {
  if (!source.includes("://")) return source.split(/[\\/]/).at(-1) ?? source;
  if (!URL.canParse(source)) return "a server";
  const { protocol, hostname, pathname } = new URL(source);
  return `${protocol}//${hostname}${pathname}`;
}

async function inspectAudit<Result>({ request, context, options, work }: Opening<Result>): Promise<Result> {
  const { source } = request;
  const record = await auditRecord(createReadStream(source, { signal: context.io.signal }));
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
  const { file, preset, budget, format, tokenizer } = request;
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

/** What a page says of a recorded session whose calls it makes again. */
export const foldedSource = ({ format }: ImportedSession, name: string): InspectionSource => ({
  kind: "file",
  name,
  tool: format,
  simulated: true,
  rawLog: name,
  commands: null,
});

/**
 * The bytes of the file. Of standard input, which cannot be read again, and of a database, which holds more than the session,
 * the text that came out of it.
 */
const rawBytes = (path: string, text: string): Uint8Array =>
  path === STANDARD_INPUT || sourceKind(path) === "database" ? Buffer.from(text) : readFileSync(path);

/** A record's source, and the log as it was imported where it is a recorded file. */
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

/** What `threadfold simulate` says of the log within the budget, under every preset and every rule. */
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
