import { setImmediate as nextTick } from "node:timers/promises";
import { ThreadfoldError } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { ContextSession, type PlanPreview } from "@threadfold/session";
import { loadTokenizer } from "@threadfold/tokenizers";
import type { CliContext } from "../cli-command.ts";
import type { CompactRequest } from "../compact/compact-request.ts";

/** What `plan` was asked for: like `compact`, and by which prices, and whether a fold has to be due. */
export interface PlanRequest extends CompactRequest {
  readonly dryRun: boolean;
  readonly force: boolean;
  /** Id of the price row; that of the request format when it is absent. */
  readonly prices: string | undefined;
}

/** What `plan` came to. */
export interface PlanRun {
  readonly request: PlanRequest;
  readonly imported: ImportedSession;
  readonly session: ContextSession;
  readonly counter: string;
  readonly preview: PlanPreview;
}

/**
 * Makes the plan that `compact` would commit, in memory.
 *
 * @throws ThreadfoldError what a session throws, and `ABORTED`.
 */
export async function previewSession(
  request: PlanRequest,
  imported: ImportedSession,
  { io, progress }: CliContext,
): Promise<PlanRun> {
  const { threadId, system, tools, messages } = imported;
  const tokenizer = await loadTokenizer(request.tokenizer);
  const session = await ContextSession.open({
    threadId,
    preset: request.preset,
    config: {
      maxInputTokens: request.budget,
      ...(request.prices !== undefined && { promptCachePrice: request.prices }),
    },
    tokenizer,
    format: request.format,
    frame: { system, tools },
    clock: io.clock,
    journal: false,
  });
  progress.update("appending", 0.4);
  await session.append(messages);
  progress.update("folding", 0.6);
  await nextTick();
  const preview = await session.dryRun({ force: request.force, signal: io.signal });
  if (io.signal.aborted) throw new ThreadfoldError("ABORTED", "The command was interrupted.");
  return { request, imported, session, counter: tokenizer.id, preview };
}
