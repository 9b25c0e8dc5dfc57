import type { CliCommand } from "../command/cli-command.ts";
import { parsePort, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedThread } from "../store/stored-thread.ts";

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
        // A wrong name is reported immediately instead of at the first call.
        const threadIds = typeof thread === "string" ? [(await storedThread(store, thread)).id] : ("all" as const);
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
