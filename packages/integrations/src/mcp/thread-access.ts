import type { SecurityContext, ThreadfoldStore, ThreadId } from "@threadfold/core";

/**
 * What one client of the server may see. It is made from how the client came in (the process's options over stdio, the
 * verified token over HTTP) and never from what a tool is called with.
 */
export interface ThreadAccess {
  /** The store, as it is opened for the client's tenant. */
  readonly store: ThreadfoldStore;
  /** On whose behalf externalized content is read. */
  readonly requester: SecurityContext;
  /** The threads that may be read; `all` for every thread of the store. */
  readonly threadIds: readonly ThreadId[] | "all";
  /** The branch that the client's agent is on; the main branch when it is absent. */
  readonly branch?: string;
}
