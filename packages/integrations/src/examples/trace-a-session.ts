// Spans and metrics of every fold, through whatever providers your process has registered.
import type { CompletionModel, ThreadfoldStore, ThreadId } from "@threadfold/core";
import { ContextSession } from "@threadfold/session";
import { LLMSummarizer } from "@threadfold/summarizers";
// In your own code: "@threadfold/integrations/opentelemetry".
import { sessionTelemetry } from "../opentelemetry/session-telemetry.ts";
import type { TelemetryOptions } from "../opentelemetry/telemetry-options.ts";

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
