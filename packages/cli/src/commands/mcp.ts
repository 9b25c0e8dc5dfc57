import { ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import { listedThreads } from "@threadfold/stores";
import type { CliCommand } from "../command/cli-command.ts";
import { parsePort, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { erasedThread, erasureOf, isSealed, sealedThread, storedThread } from "../store/stored-thread.ts";

/**
 * `mcp`: serves the threads of a store to an MCP client, over this process's streams or over HTTP on the loopback
 * interface.
 */
export const mcpCommand: CliCommand = {
  arguments: [],
  options: [
    { flags: "--thread <id>", description: "serve only this thread (default: every thread of the store)" },
    { flags: "--tenant <id>", description: "tenant on whose behalf to read (default: none)" },
    {
      flags: "--http <port>",
      description:
        "serve HTTP on this loopback port, 0 for a free one; the token is $THREADFOLD_MCP_TOKEN, else a new one",
    },
    STORE_OPTION,
  ],
  examples: ["mcp --store sessions.db --thread my-thread", "mcp --store sessions.db --http 4985"],
  run({ options }, { io }) {
    const { thread, tenant } = options;
    const port = options["http"] === undefined ? null : parsePort("--http", options["http"]);
    const tenantId = typeof tenant === "string" ? tenant : null;
    return readingStore(
      options,
      io.env,
      async (store) => {
        // What no call could succeed with is reported immediately instead of at the first call.
        const threadIds = typeof thread === "string" ? [(await storedThread(store, thread)).id] : ("all" as const);
        if (threadIds === "all") await refuseOnlySealed(store);
        // Loaded here because its dependencies are large and no other command needs them.
        const { serveThreads } = await import("../mcp/serve-threads.ts");
        await serveThreads(
          { store, threadIds, requester: { requesterId: "mcp", tenantId, permissions: [] } },
          port,
          io,
        );
        return { data: { served: threadIds }, text: () => "" };
      },
      tenantId,
    );
  },
};

/**
 * Refuses a store in which every thread is sealed. In a store with other threads as well, the server refuses the sealed
 * ones when they are asked for.
 *
 * @throws ThreadfoldError `KEY_MISSING` for one that has keys, or `CONTENT_ERASED` when all of them were erased.
 */
async function refuseOnlySealed(store: ThreadfoldStore): Promise<void> {
  const sealed: ThreadId[] = [];
  for await (const { threadId, archivedAt } of listedThreads(store)) {
    if (archivedAt !== undefined) continue;
    if (!(await isKnownSealed(store, threadId))) return;
    sealed.push(threadId);
  }
  let refusal: ThreadfoldError | undefined;
  for (const threadId of sealed) {
    const erasure = await erasureOf(store, threadId);
    if (erasure === null) throw sealedThread(threadId);
    refusal ??= erasedThread(threadId, erasure);
  }
  if (refusal !== undefined) throw refusal;
}

/** A thread that cannot be read is no reason not to serve: a call that names it reports why. */
async function isKnownSealed(store: ThreadfoldStore, threadId: ThreadId): Promise<boolean> {
  try {
    return await isSealed(store, threadId);
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code !== "STORE_UNAVAILABLE") return false;
    throw error;
  }
}
