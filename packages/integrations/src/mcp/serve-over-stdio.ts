import type { Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ThreadAccess } from "./thread-access.ts";
import { SearchedThreads } from "./thread-archive.ts";
import { threadServer } from "./thread-server.ts";
import type { ThreadServerOptions } from "./thread-server-options.ts";
import { report } from "./tool-failure.ts";

/** How one client is served over the streams of this process. */
export interface StdioOptions extends ThreadServerOptions {
  /** Ends the service. */
  readonly signal?: AbortSignal;
  /** Stands in for the process's stdin and stdout. */
  readonly transport?: Transport;
}

/**
 * Serves one client over stdin and stdout until it goes away or the signal is aborted. Nothing but the protocol is
 * written to stdout; what goes wrong is handed to `onError`. What the client may see is what the process was started with.
 */
export async function serveThreadOverStdio(access: ThreadAccess, options: StdioOptions = {}): Promise<void> {
  const { signal, transport = new StdioServerTransport(), ...serverOptions } = options;
  if (signal?.aborted === true) return;
  const searched = new SearchedThreads();
  const ended = Promise.withResolvers<void>();
  const handle = serveStdio(() => threadServer(access, serverOptions, searched), {
    transport,
    onerror: (error) => report(error, options.onError),
  });
  const closeService = transport.onclose;
  transport.onclose = () => {
    closeService?.();
    ended.resolve();
  };
  signal?.addEventListener("abort", () => ended.resolve(), { once: true });
  await ended.promise;
  await handle.close();
}
