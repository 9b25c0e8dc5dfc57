import { fileURLToPath } from "node:url";
import type { ThreadfoldStore } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { type ImportedSession, importSessionFile } from "@threadfold/importers";
import { ContextSession, type SessionOptions } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { ladderPreset } from "@threadfold/strategies";

/** The recorded session that the project itself has. */
export const EXAMPLE_SESSION = fileURLToPath(
  new URL("../../../../examples/sessions/a-day-on-threadfold.jsonl", import.meta.url),
);

/** When the tests take place. */
export const NOON = Date.UTC(2026, 2, 3, 12);

/** A recorded session in a store of its own, folded. */
export interface FoldedSession {
  readonly imported: ImportedSession;
  readonly store: ThreadfoldStore;
  readonly session: ContextSession;
}

/**
 * Puts a recorded session into memory and folds it to so many tokens.
 *
 * @param length takes only so many of its first messages.
 */
export async function foldedSession(
  file: string = EXAMPLE_SESSION,
  { config, ...options }: Partial<SessionOptions> = {},
  length?: number,
): Promise<FoldedSession> {
  const imported = await importSessionFile(file);
  const store = options.store ?? createMemoryStore({ clock: pinnedClock(NOON) });
  const session = await ContextSession.open({
    threadId: imported.threadId,
    clock: pinnedClock(NOON),
    ...options,
    store,
    // The preset that externalizes first: what was externalized is what these tests ask for.
    preset: options.preset ?? ladderPreset,
    config: { maxInputTokens: 30_000, outputReserveTokens: 2_000, ...config },
  });
  await session.append(imported.messages.slice(0, length));
  await session.compact({ force: true });
  return { imported, store, session };
}
