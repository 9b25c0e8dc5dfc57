import type { ContextSession } from "@threadfold/session";

const current = new WeakMap<ContextSession, ContextSession>();

/**
 * The session that a door goes on with in the place of the one that it was made with: another one since the host's
 * conversation took another way, the same one as long as it did not.
 */
export const currentSession = (session: ContextSession): ContextSession => current.get(session) ?? session;

/** Notes which session goes on. */
export function setCurrentSession(session: ContextSession, goesOn: ContextSession): void {
  current.set(session, goesOn);
}
