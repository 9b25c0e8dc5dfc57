import { ThreadfoldError } from "@threadfold/core";
import { zippedPieces } from "@threadfold/inspection";
import { embeddedPage, servedPage } from "@threadfold/inspector";
import type { CliCommand, CliContext, CliReport } from "../command/cli-command.ts";
import {
  BODIES_OPTION,
  INSPECT_OPTIONS,
  type InspectRequest,
  PRESETS_OPTION,
  parseInspectRequest,
  UNREDACTED_OPTION,
} from "../inspect/inspect-request.ts";
import { inspecting } from "../inspect/inspected-thread.ts";
import { serveInspection } from "../inspect/serve-inspection.ts";
import { streamWholeFile } from "../output/output-folder.ts";
import { count, plainText } from "../output/page.ts";
import { parsePort } from "../parse/options.ts";

/**
 * `inspect`: writes or serves a page that shows what the model saw at each call, why, its cost, and proof that the page
 * is accurate.
 */
export const inspectCommand: CliCommand = {
  arguments: [
    { name: "source", description: "store, recorded session or audit file; - for a session on standard input" },
    {
      name: "thread",
      description: "thread of the store (default: the one changed last), or of the file, by position or name",
      optional: true,
    },
  ],
  options: [
    {
      flags: "--out <file>",
      description: "write one self-contained page (default: serve it on the loopback interface)",
    },
    { flags: "--port <port>", description: "port to serve on (default: a free one)", fallback: "0" },
    BODIES_OPTION,
    UNREDACTED_OPTION,
    PRESETS_OPTION,
    ...INSPECT_OPTIONS,
  ],
  examples: [
    "inspect sessions.db my-thread",
    "inspect session.jsonl --budget 50000 --out page.html",
    "inspect session.jsonl --budget 50000 --presets",
    "inspect audit.jsonl --bodies none --out page.html",
  ],
  run(call, context) {
    const out = call.options["out"];
    if (out === "") throw new ThreadfoldError("USAGE", "--out is empty; it must be a path.");
    if (typeof out === "string") return writePage(parseInspectRequest(call, "short"), out, context);
    return servePage(parseInspectRequest(call, "all"), parsePort("--port", call.options["port"]), context);
  },
};

function writePage(request: InspectRequest, path: string, context: CliContext): Promise<CliReport> {
  const { signal } = context.io;
  // A log that is offered byte for byte must be neither redacted nor shortened.
  const offersRawLog = request.bodies === "all" && !request.redacted;
  const options = { keepsPayloads: true, offersRawLog };
  return inspecting(request, context, options, async ({ inspection, rawLog }) => {
    const pieces = zippedPieces(inspection, offersRawLog ? await rawLog() : null, signal);
    await streamWholeFile(path, embeddedPage(pieces));
    const { calls, messages } = inspection.size;
    const secrets = request.redacted ? "Secrets with a known form were removed." : "It contains secrets.";
    const note = `Wrote ${count(calls, "call")} of ${count(messages, "message")} to ${path}. ${secrets}`;
    return {
      data: { path, calls, messages, bodies: request.bodies, redacted: request.redacted },
      text: () => "",
      notes: [note],
    };
  });
}

function servePage(request: InspectRequest, port: number, context: CliContext): Promise<CliReport> {
  const { io, progress } = context;
  return inspecting(request, context, { offersRawLog: true }, async (inspected) => {
    progress.stop();
    await serveInspection(inspected, {
      port,
      signal: io.signal,
      page: await servedPage(),
      onListening: (url) => io.stderr.write(`Open ${url} in a browser; Ctrl-C stops it.\n`),
      onError: (error) =>
        io.stderr.write(`error: ${plainText(error instanceof Error ? error.message : String(error))}\n`),
    });
    return { data: { served: inspected.inspection.size }, text: () => "" };
  });
}
