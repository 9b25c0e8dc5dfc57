// What goes around a session, whatever the host: spans and metrics, tools for MCP clients, and files of other tools.
// In your own code they come from "@threadfold/integrations/opentelemetry" and "@threadfold/integrations/mcp".
import { readFileSync, writeFileSync } from "node:fs";
import type { CompletionModel, ThreadfoldStore, ThreadId } from "@threadfold/core";
import { exportSession, importSession } from "@threadfold/importers";
import { ContextSession, planWindow } from "@threadfold/session";
import { LLMSummarizer } from "@threadfold/summarizers";
import { type ThreadHttpOptions, threadHttpHandler } from "../mcp/serve-over-http.ts";
import { sessionTelemetry, type TelemetryOptions } from "../opentelemetry/telemetry.ts";

/** Records spans and metrics of every fold through whatever providers your process has registered. */
export function traced(threadId: ThreadId, store: ThreadfoldStore, model: CompletionModel, options?: TelemetryOptions) {
  const telemetry = sessionTelemetry(options);
  const facts = { providerName: "anthropic", requestModel: "claude-haiku-4-5" };
  return ContextSession.open({
    threadId,
    store,
    onEvent: telemetry.onEvent,
    summarizer: new LLMSummarizer({ model: telemetry.model(model, facts) }),
  });
}

/**
 * Serves folded content as tools for any MCP client. `threadfold mcp` does this over stdio; here it is one route of
 * your own web server, and the client's token decides what it may see.
 */
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

/**
 * Folds a session of pi in a form that pi can open again: entries are only added at the end of the log, and nothing is
 * lost.
 */
export async function foldFile(from: string, to: string, maxInputTokens: number) {
  const imported = await importSession(readFileSync(from));
  const session = await ContextSession.open({ threadId: imported.threadId, config: { maxInputTokens } });
  await session.append(imported.messages);
  await session.compact({ force: true });
  const { thread, plan } = session;
  const window = planWindow(thread, plan);
  const at = new Date().toISOString();
  const { text } = exportSession("pi", { thread, plan, window, at, source: imported.source.text });
  writeFileSync(to, text);
}
