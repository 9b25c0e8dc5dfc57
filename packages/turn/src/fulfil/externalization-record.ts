import {
  type ArtifactId,
  actionOf,
  type ExternalizationRecord,
  emptySummary,
  type JsonObject,
  type JsonValue,
  type Message,
  type NewItem,
  namesFile,
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
function rehydrateHint(message: Message, { thread, shape }: Fulfilment): string {
  const part = message.parts[0];
  if (part?.type !== "tool-result") return `full text of the ${message.role} message of turn ${message.turn}`;
  const { toolName } = part.result;
  const target = targetOf(callInput(message, thread, shape));
  return `full result of ${toolName}${target === undefined ? "" : ` ${target}`}`.toWellFormed();
}

/** Returns the file that a call is about, or its first short words, or at least where it looked. */
function targetOf(input: JsonValue): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const fields = input as JsonObject;
  const [, file] = Object.entries(fields).find(([name, value]) => namesFile(name) && isText(value)) ?? [];
  const words = Object.values(fields).find((value) => isText(value) && value.length <= MAX_TARGET);
  const target = file ?? words ?? fields["path"];
  return isText(target) ? endOf(target) : undefined;
}

const isText = (value: JsonValue | undefined): value is string => typeof value === "string" && value !== "";

/** A long path is told from its neighbors by its end. */
const endOf = (path: string): string => (path.length <= MAX_TARGET ? path : `…${path.slice(1 - MAX_TARGET)}`);

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

/** Returns a reference to a message's body if a pointer replaced it or this fold stored it; null otherwise. */
export function owedReference(message: Message, fulfilment: Fulfilment): NewItem<"artifacts"> | null {
  const { record } = actionOf(fulfilment.records, message.id, message.ordinal);
  if (record?.action === "externalize") return artifactReference(record);
  const artifactId = fulfilment.artifactOf(message.ordinal);
  const part = message.parts[0];
  if (artifactId === undefined || part?.type !== "tool-result") return null;
  const description = `${part.result.toolName}, ${part.result.outcome}`.slice(0, LONGEST_DESCRIPTION).toWellFormed();
  return { artifactId, description, rehydrateHint: rehydrateHint(message, fulfilment), sources: [message.id] };
}

const LONGEST_DESCRIPTION = 80;

/** Converts a pointer to an item of a summary. Its hint already says what the result was requested for. */
function artifactReference({ artifactId, summary, rehydrateHint, span }: ExternalizationRecord): NewItem<"artifacts"> {
  const [outcome] = summary.toolOutcomes;
  const [fact] = summary.facts;
  const description = outcome === undefined ? (fact?.text ?? "") : `${outcome.toolName}, ${outcome.outcome}`;
  return {
    artifactId,
    description: description.slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    rehydrateHint,
    sources: span.messageIds,
  };
}
