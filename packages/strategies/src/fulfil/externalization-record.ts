import {
  emptySummary,
  summaryItemId,
  toolResultText,
  visibleText,
  type ExternalizationRecord,
  type Message,
  type SpanReference,
  type StructuredSummary,
} from "@threadfold/core";
import { toolPolicy } from "../durability/durability-policy.ts";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import { messagesOf, type Fulfilment } from "./fulfilment.ts";
import { recordBase } from "./record-base.ts";
import { resultKeyFields } from "./result-key-fields.ts";

const MAX_FACT = 160;

/** Writes a body to the artifact store and makes the record whose pointer stands in its place. */
export async function externalizationRecord(
  proposal: CompactionProposal & { readonly action: "externalize" },
  fulfilment: Fulfilment,
): Promise<ExternalizationRecord> {
  const message = messagesOf(proposal, fulfilment)[0] as Message;
  const base = recordBase(proposal, fulfilment);
  const artifactId = await fulfilment.artifacts.store(bodyText(message), {
    threadId: fulfilment.thread.id,
    tenantId: fulfilment.tenantId,
    createdAt: fulfilment.now,
    ttlSeconds: null,
    sensitivity: "internal",
    mediaType: "text/plain",
  });
  return {
    ...base,
    action: "externalize",
    form: "body",
    artifactId,
    summary: bodySummary(message, base.span, fulfilment),
    rehydrateHint: `read it for the full ${message.role === "tool" ? "result" : "text"} (${base.originalTokens} tokens)`,
  };
}

function bodyText(message: Message): string {
  const part = message.parts[0];
  return part?.type === "tool-result" ? toolResultText(part.result.content) : visibleText(message);
}

function bodySummary(message: Message, span: SpanReference, { config }: Fulfilment): StructuredSummary {
  const part = message.parts[0];
  const sources = [message.id];
  if (part?.type !== "tool-result") {
    const fact = { text: visibleText(message).slice(0, MAX_FACT).toWellFormed(), sources };
    return { ...emptySummary(span), facts: [{ ...fact, id: summaryItemId("facts", fact) }] };
  }
  const { toolName, outcome } = part.result;
  const { error, ...keyFields } = resultKeyFields(part.result, toolPolicy(config, toolName));
  const item = { toolName, outcome, keyFields, errorMessage: typeof error === "string" ? error : null, sources };
  return { ...emptySummary(span), toolOutcomes: [{ ...item, id: summaryItemId("toolOutcomes", item) }] };
}
