import {
  type ExternalizationRecord,
  emptySummary,
  type Message,
  type SpanReference,
  type StructuredSummary,
  summaryItemId,
  toolResultText,
  visibleText,
} from "@threadfold/core";
import { toolPolicy } from "../durability/durability-policy.ts";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import { type Fulfilment, messagesOf } from "./fulfilment.ts";
import { recordBase } from "./record-base.ts";
import { resultKeyFields } from "./result-key-fields.ts";

const MAX_FACT = 160;
const MAX_TARGET = 120;

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
    rehydrateHint: rehydrateHint(message, fulfilment),
  };
}

/** What the content is, in the words of the call that asked for it: a question about just that brings it back. */
function rehydrateHint(message: Message, { thread, shape }: Fulfilment): string {
  const part = message.parts[0];
  if (part?.type !== "tool-result") return `full text of the ${message.role} message of turn ${message.turn}`;
  const { toolName, callId } = part.result;
  const caller = thread.messageAt(shape.groupOf(message.ordinal).ordinals[0] as number);
  const call = caller?.parts.find((candidate) => candidate.type === "tool-call" && candidate.callId === callId);
  const input = call?.type === "tool-call" ? call.input : null;
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const target = values.find((value): value is string => typeof value === "string" && value.length <= MAX_TARGET);
  return `full result of ${toolName}${target === undefined ? "" : ` ${target}`}`.toWellFormed();
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
