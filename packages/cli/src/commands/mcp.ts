import type { CliCommand } from "../command/cli-command.ts";
import { parsePort, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedThread } from "../store/stored-thread.ts";

/** `mcp`: serves the threads of a store to an MCP client, over this process's streams or over HTTP on the loopback. */
export const mcpCommand: CliCommand = {
  arguments: [],
  options: [
    { flags: "--thread <id>", description: "serve this thread alone (default: every thread of the store)" },
    { flags: "--tenant <id>", description: "tenant on whose behalf is read (default: none)" },
    {
      flags: "--http <port>",
      description:
        "serve HTTP on this port of the loopback, 0 for a free one; the token is $THREADFOLD_MCP_TOKEN, else a new one",
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
        // A name that is wrong is said at once, and not at the first call.
        const threadIds = typeof thread === "string" ? [(await storedThread(store, thread)).id] : ("all" as const);
        // Loaded here, for what it needs is large and no other command does.
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
