// What goes around a session, whatever the host: spans and metrics, tools for MCP clients, and files of other tools.
// In your own code they come from "@threadfold/integrations/opentelemetry" and "@threadfold/integrations/mcp".
import { readFileSync, writeFileSync } from "node:fs";
import type { CompletionModel, ThreadfoldStore, ThreadId } from "@threadfold/core";
import { exportSession, importSession } from "@threadfold/importers";
import { ContextSession, planWindow } from "@threadfold/session";
import { LLMSummarizer } from "@threadfold/summarizers";
import { type ThreadHttpOptions, threadHttpHandler } from "../mcp/serve-over-http.ts";
import { sessionTelemetry, type TelemetryOptions } from "../opentelemetry/telemetry.ts";

/** Spans and metrics of every fold, through whatever providers your process has registered. */
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
 * What was folded away, as tools for any MCP client: `threadfold mcp` does this over stdio. Here it is one route of a web
 * server of your own, and what a client may see comes from its token.
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

/** A session of pi, folded here and opened by pi again: the log grows at its end, and nothing of it is lost. */
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
