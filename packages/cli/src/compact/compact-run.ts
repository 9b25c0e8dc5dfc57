import { setImmediate as nextTick } from "node:timers/promises";
import { type CompactionOutcome, ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { ContextSession, type PreparedRequest } from "@threadfold/session";
import { createMemoryStore, openStore } from "@threadfold/stores";
import { loadTokenizer } from "@threadfold/tokenizers";
import type { CliContext } from "../cli-command.ts";
import { importSource } from "../source/import-source.ts";
import { keepSource } from "../store/keep-source.ts";
import { askMessage } from "./ask-message.ts";
import type { CompactRequest } from "./compact-request.ts";

/** What `compact` came to. */
export interface CompactRun {
  readonly request: CompactRequest;
  readonly imported: ImportedSession;
  readonly session: ContextSession;
  readonly counter: string;
  readonly outcome: CompactionOutcome;
  /** The request under the plan that holds now; null when there is no plan that could be sent. */
  readonly prepared: PreparedRequest | null;
}

/** Reads the session that is meant. @throws ThreadfoldError what importing throws. */
export async function readSource(request: CompactRequest, { io, progress }: CliContext): Promise<ImportedSession> {
  progress.update("reading", 0);
  return importSource(request, io, ({ bytes, total }) =>
    progress.update("reading", total === 0 ? 0.4 : (0.4 * bytes) / total),
  );
}

/** The store that the command line names; in memory when it names none. */
export async function storeFor({ store }: CompactRequest): Promise<ThreadfoldStore> {
  return store === undefined ? createMemoryStore() : openStore(store);
}

/**
 * Appends the session to its thread, folds when that is due, and renders.
 *
 * @throws ThreadfoldError what store and session throw, and `ABORTED`.
 */
export async function compactSession(
  request: CompactRequest,
  imported: ImportedSession,
  store: ThreadfoldStore,
  { io, progress }: CliContext,
): Promise<CompactRun> {
  const { format, preset, budget, ask } = request;
  const { threadId, system, tools, messages } = imported;
  const tokenizer = await loadTokenizer(request.tokenizer);
  const frame = { system, tools };
  const config = { maxInputTokens: budget };
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
    // Without a store to come back to, nobody can replay the request.
    journal: request.store !== undefined,
  });
  await session.loadHistory();
  progress.update("appending", 0.4);
  await session.append(messages);
  if (request.store !== undefined) await keepSource(store, imported, io.clock);
  const asked = ask === undefined ? null : askMessage(session.thread, ask, new Date(io.clock.now()).toISOString());
  if (asked !== null) await session.append([asked]);
  progress.update("folding", 0.6);
  await checkpoint(io.signal);
  const outcome = await session.compact({ signal: io.signal });
  await checkpoint(io.signal);
  progress.update("rendering", 0.9);
  const prepared = isUsable(outcome) ? await session.render(outcome) : null;
  await checkpoint(io.signal);
  return { request, imported, session, counter: tokenizer.id, outcome, prepared };
}

/** False when no plan came of it that a request could be rendered and recorded with. */
function isUsable({ type }: CompactionOutcome): boolean {
  return type !== "infeasible" && type !== "aborted" && type !== "conflict";
}

/** Lets a signal come in and stops where nothing is half done. */
async function checkpoint(signal: AbortSignal): Promise<void> {
  await nextTick();
  if (signal.aborted) throw new ThreadfoldError("ABORTED", "The command was interrupted.");
}
