import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { serveThreadOverStdio } from "../mcp/serve-over-stdio.ts";
import type { ThreadAccess } from "../mcp/thread-access.ts";
import type { ThreadServerOptions } from "../mcp/thread-server-options.ts";

/** The real client, linked in memory to a server over what it may see. */
export interface LinkedClient extends AsyncDisposable {
  readonly client: Client;
  /** Settles when the server has ended. */
  readonly served: Promise<void>;
}

/** Which revision of the protocol the client speaks: the newest one, or that of 2025. */
export type ClientEra = "modern" | "legacy";

export async function linkedClient(
  access: ThreadAccess,
  options: ThreadServerOptions = {},
  era: ClientEra = "modern",
): Promise<LinkedClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const served = serveThreadOverStdio(access, { ...options, transport: far });
  const negotiation: ClientOptions = era === "modern" ? { versionNegotiation: { mode: "auto" } } : {};
  const client = new Client({ name: "test", version: "1.0.0" }, negotiation);
  await client.connect(near);
  return {
    client,
    served,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await served;
    },
  };
}
