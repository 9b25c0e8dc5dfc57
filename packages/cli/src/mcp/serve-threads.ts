import { randomBytes } from "node:crypto";
import {
  localTokenVerifier,
  serveThreadOverHttp,
  serveThreadOverStdio,
  type ThreadAccess,
  type ThreadServerOptions,
  threadHttpHandler,
} from "@threadfold/integrations/mcp";
import type { CliIo } from "../output/cli-io.ts";
import { plainText } from "../output/page.ts";

/** Environment variable for the HTTP token, so that it does not appear in process lists. */
const TOKEN_VARIABLE = "THREADFOLD_MCP_TOKEN";

/**
 * Serves threads until the client disconnects or the command is interrupted. Stdout is reserved for the protocol;
 * everything else goes to stderr.
 *
 * @param port port on the loopback interface for HTTP, or null for the streams of this process.
 * @throws ThreadfoldError `USAGE` when the port cannot be listened on.
 */
export async function serveThreads(access: ThreadAccess, port: number | null, io: CliIo): Promise<void> {
  const served: ThreadServerOptions = { clock: io.clock, onError: (error) => complain(io, error) };
  if (port === null) return serveThreadOverStdio(access, { ...served, signal: io.signal });
  const given = io.env[TOKEN_VARIABLE] ?? "";
  const token = given === "" ? randomBytes(24).toString("base64url") : given;
  const handler = threadHttpHandler({ ...served, verifier: localTokenVerifier(token), accessOf: () => access });
  return serveThreadOverHttp(handler, {
    port,
    signal: io.signal,
    onError: (error) => complain(io, error),
    onListening: (url) => {
      const header = given === "" ? `authorization: Bearer ${token}` : `the token of ${TOKEN_VARIABLE}`;
      io.stderr.write(`Listening on ${url} with ${header}\n`);
    },
  });
}

function complain(io: CliIo, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  io.stderr.write(`error: ${plainText(message)}\n`);
}
