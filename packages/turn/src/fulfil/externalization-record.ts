import {
  type ArtifactId,
  type ExternalizationRecord,
  emptySummary,
  type JsonObject,
  type Message,
  type SpanReference,
  type StructuredSummary,
  summaryItemId,
  toolResultText,
  visibleText,
} from "@threadfold/core";
import { type CompactionProposal, toolPolicy } from "@threadfold/strategies";
import { resultKeyFields } from "./declared-fields.ts";
import { callInput, type Fulfilment, messagesOf, recordBase } from "./fulfilment.ts";
import { tellingNames } from "./telling-names.ts";

const MAX_FACT = 160;
const MAX_TARGET = 120;

/** Makes the record of a body that is in the artifact store, so that a pointer can replace it. */
export function externalizationRecord(
  proposal: CompactionProposal & { readonly action: "externalize" },
  fulfilment: Fulfilment,
): ExternalizationRecord {
  const message = messagesOf(proposal, fulfilment)[0] as Message;
  const base = recordBase(proposal, fulfilment);
  return {
    ...base,
    action: "externalize",
    form: "body",
    artifactId: fulfilment.artifactOf(message.ordinal) as ArtifactId,
    summary: bodySummary(message, base.span, fulfilment),
    rehydrateHint: rehydrateHint(message, fulfilment),
  };
}

/** Describes the content in the words of the call that asked for it, so that a question about it brings it back. */
export function rehydrateHint(message: Message, { thread, shape }: Fulfilment): string {
  const part = message.parts[0];
  if (part?.type !== "tool-result") return `full text of the ${message.role} message of turn ${message.turn}`;
  const { toolName } = part.result;
  const input = callInput(message, thread, shape);
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const target = values.find((value): value is string => typeof value === "string" && value.length <= MAX_TARGET);
  return `full result of ${toolName}${target === undefined ? "" : ` ${target}`}`.toWellFormed();
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
  const names = bodyNames(toolResultText(part.result.content));
  const item = {
    toolName,
    outcome,
    keyFields: { ...names, ...keyFields },
    errorMessage: typeof error === "string" ? error : null,
    sources,
  };
  return { ...emptySummary(span), toolOutcomes: [{ ...item, id: summaryItemId("toolOutcomes", item) }] };
}

/** Names take at most this share of the length of the body. */
const NAMES_SHARE = 1 / 8;
const MAX_NAMES = Object.freeze({ names: 32, length: 640 });

/** Returns significant names in the body, so that whoever needs one later finds the artifact, or the name itself. */
function bodyNames(body: string): JsonObject {
  const length = Math.min(MAX_NAMES.length, Math.floor(body.length * NAMES_SHARE));
  const names = tellingNames([body], { ...MAX_NAMES, length });
  return names.length === 0 ? {} : { names };
}
