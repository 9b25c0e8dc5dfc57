// What was folded away, as tools for any MCP client: `threadfold mcp` does this over stdio. Here it is one route of a web
// server of your own, and what a client may see comes from its token.
import type { ThreadfoldStore } from "@threadfold/core";
// In your own code: "@threadfold/integrations/mcp".
import { type ThreadHttpOptions, threadHttpHandler } from "../mcp/thread-http-handler.ts";

export function folded(store: ThreadfoldStore, verifier: ThreadHttpOptions["verifier"]) {
  return threadHttpHandler({
    verifier,
    hostnames: ["agents.example.com"],
    accessOf: ({ clientId }) => ({
      store,
      requester: { requesterId: clientId, tenantId: clientId, permissions: [] },
      threadIds: "all",
    }),
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
}
