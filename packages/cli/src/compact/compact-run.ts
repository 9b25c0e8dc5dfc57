import { setImmediate as nextTick } from "node:timers/promises";
import {
  type AgentThread,
  asMessageId,
  type CompactionOutcome,
  type Message,
  type MessageInput,
  sha256,
  ThreadfoldError,
  type ThreadfoldStore,
} from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { countedBudget } from "@threadfold/inspection";
import { formatById, type ProviderFormat } from "@threadfold/renderer";
import { ContextSession, type PreparedRequest } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import type { CompactionPreset } from "@threadfold/strategies";
import { loadTokenizer } from "@threadfold/tokenizers";
import type { CliCall, CliContext } from "../command/cli-command.ts";
import type { MeteredModel, ModelWork } from "../model/command-model.ts";
import { chosenPreset } from "../parse/config-fields.ts";
import { parseSource, parseTokens, type SourceRequest } from "../parse/options.ts";
import { importSource, keepSource } from "../source/import-source.ts";
import { openAddress } from "../store/store-address.ts";

/** The result of `compact`, before it is written or printed. */
export interface CompactRun {
  readonly request: CompactRequest;
  readonly imported: ImportedSession;
  readonly session: ContextSession;
  readonly counter: string;
  readonly outcome: CompactionOutcome;
  /** The request under the plan in effect; null when there is no plan that could be sent. */
  readonly prepared: PreparedRequest | null;
  /** The calls of the summarizing model; null when there is none. */
  readonly model: ModelWork | null;
}

/** Imports the session that the command line names. @throws ThreadfoldError what importing throws. */
export async function readSource(request: CompactRequest, { io, progress }: CliContext): Promise<ImportedSession> {
  progress.update("reading", 0);
  return importSource(request, io, ({ bytes, total }) =>
    progress.update("reading", total === 0 ? 0.4 : (0.4 * bytes) / total),
  );
}

/** Returns the store that the command line names; an in-memory store when it names none. */
export async function storeFor({ store }: CompactRequest): Promise<ThreadfoldStore> {
  return store === undefined ? createMemoryStore() : openAddress(store);
}

/**
 * Appends the session to its thread, folds when that is due, and renders.
 *
 * @param summaryModel writes the summary; without one, the summary is extractive.
 * @throws ThreadfoldError what store and session throw, and `ABORTED`.
 */
export async function compactSession(
  request: CompactRequest,
  imported: ImportedSession,
  store: ThreadfoldStore,
  { io, progress }: CliContext,
  summaryModel?: MeteredModel,
): Promise<CompactRun> {
  const { format, preset, budget, ask, force, instructions } = request;
  const { threadId, system, tools, messages } = imported;
  const tokenizer = await loadTokenizer(request.tokenizer);
  const frame = { system, tools };
  const config = countedBudget(preset, budget);
  await checkpoint(io.signal);
  const session = await ContextSession.open({
    threadId,
    store,
    preset,
    config,
    tokenizer,
    format,
    frame,
    clock: io.clock,
    // Without a persistent store nobody can replay the request.
    journal: request.store !== undefined,
    ...(summaryModel !== undefined && { summaryModel }),
  });
  await session.loadHistory();
  progress.update("appending", 0.4);
  await session.append(messages, { signal: io.signal });
  if (request.store !== undefined) await keepSource(store, imported, io.clock);
  const asked = ask === undefined ? null : askMessage(session.thread, ask, new Date(io.clock.now()).toISOString());
  if (asked !== null) await session.append([asked]);
  progress.update("folding", 0.6);
  await checkpoint(io.signal);
  const outcome = await session.compact({
    signal: io.signal,
    force,
    ...(instructions !== undefined && { instructions }),
  });
  await checkpoint(io.signal);
  progress.update("rendering", 0.9);
  const prepared = isUsable(outcome) ? await session.render(outcome) : null;
  await checkpoint(io.signal);
  return { request, imported, session, counter: tokenizer.id, outcome, prepared, model: summaryModel?.work ?? null };
}

/** Checks whether folding resulted in a plan with which a request can be rendered and recorded. */
function isUsable({ type }: CompactionOutcome): boolean {
  return type !== "infeasible" && type !== "aborted" && type !== "conflict";
}

/** Yields to the event loop so that a signal can arrive, and stops at a point where nothing is half done. */
async function checkpoint(signal: AbortSignal): Promise<void> {
  await nextTick();
  if (signal.aborted) throw new ThreadfoldError("ABORTED", "The command was interrupted.");
}

/** The parsed call of `compact`. */
export interface CompactRequest extends SourceRequest {
  /** Maximum tokens of the request. */
  readonly budget: number;
  readonly preset: CompactionPreset;
  readonly format: ProviderFormat;
  readonly tokenizer: string;
  /** Where to store everything; in memory when absent. */
  readonly store: string | undefined;
  /** Folder for the result's files. */
  readonly out: string | undefined;
  /** Text of a user message to append at the end. */
  readonly ask: string | undefined;
  /** True to fold although no fold is due. */
  readonly force: boolean;
  /** What the summary should keep above all else. */
  readonly instructions: string | undefined;
}

/** Parses the call of `compact`. @throws ThreadfoldError `USAGE` or `INVALID_CONFIG`. */
export function parseCompactRequest({ arguments: [file], options }: CliCall): CompactRequest {
  const ask = optionalText(options["ask"]);
  const instructions = optionalText(options["instructions"]);
  for (const [name, text] of Object.entries({ ask, instructions }))
    if (text?.trim() === "") throw new ThreadfoldError("USAGE", `--${name} is blank; it must say something.`);
  const budget = parseTokens("--budget", String(options["budget"]));
  return {
    ...parseSource(file, options),
    budget,
    preset: chosenPreset(options, budget),
    format: formatById(String(options["format"])),
    tokenizer: String(options["tokenizer"]),
    store: optionalPath("--store", options["store"]),
    out: optionalPath("--out", options["out"]),
    ask,
    // Instructions for a summary imply that one is wanted.
    force: options["force"] === true || instructions !== undefined,
    instructions,
  };
}

const optionalText = (value: CliCall["options"][string]): string | undefined =>
  typeof value === "string" ? value : undefined;

function optionalPath(option: string, value: CliCall["options"][string]): string | undefined {
  if (value === "") throw new ThreadfoldError("USAGE", `${option} is empty; it must be a path.`);
  return optionalText(value);
}

const ID_PREFIX = "ask-";

/**
 * Returns the user message that `--ask` appends to a thread, or null when it is already at the end: asking the same
 * again has no effect. Its id is derived from its position and its text.
 *
 * @param now ISO 8601 time in UTC.
 * @throws ThreadfoldError `USAGE` for a blank text.
 */
export function askMessage(thread: AgentThread, text: string, now: string): MessageInput | null {
  if (text.trim() === "") throw new ThreadfoldError("USAGE", "--ask is blank; it must say something.");
  const newest = thread.messageAt(thread.length - 1);
  if (newest !== undefined && isAsk(newest, text)) return null;
  const id = asMessageId(`${ID_PREFIX}${sha256(`${thread.version}\n${text}`).slice(0, 16)}`);
  return { id, role: "user", parts: [{ type: "text", text: text.toWellFormed() }], createdAt: now };
}

function isAsk(message: Message, text: string): boolean {
  const [part] = message.parts;
  return message.id.startsWith(ID_PREFIX) && part?.type === "text" && part.text === text.toWellFormed();
}
