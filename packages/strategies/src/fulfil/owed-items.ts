import {
  actionOf,
  type ExternalizationRecord,
  emptySummary,
  type Message,
  type NewItem,
  renderSummary,
  type StructuredSummary,
  type SummaryItem,
  type SummarySection,
} from "@threadfold/core";
import { toolPolicy } from "../durability/durability-policy.ts";
import { changedFiles } from "./changed-files.ts";
import { boundedFields, declaredFields } from "./declared-fields.ts";
import type { Fulfilment } from "./fulfilment.ts";

/** What code owes a summary of messages, whoever writes it. */
export interface OwedItems {
  /** Results with the fields that their tools or policies declared, oldest first. */
  readonly outcomes: readonly NewItem<"toolOutcomes">[];
  /** What stood behind pointers until now, oldest first. */
  readonly artifacts: readonly NewItem<"artifacts">[];
  /** What write and edit calls did to files, newest first. */
  readonly files: readonly NewItem<"files">[];
}

/** Reads what messages owe to whatever takes their place. Each message is looked at once. */
export async function owedItems(messages: readonly Message[], fulfilment: Fulfilment): Promise<OwedItems> {
  const { redact = async (value) => value } = fulfilment;
  const outcomes: NewItem<"toolOutcomes">[] = [];
  const artifacts = new Map<string, NewItem<"artifacts">>();
  for (const message of messages) {
    const outcome = owedOutcome(message, fulfilment);
    if (outcome !== null) outcomes.push({ ...outcome, keyFields: await redact(outcome.keyFields) });
    const { record } = actionOf(fulfilment.records, message.id, message.ordinal);
    if (record?.action !== "externalize") continue;
    const { description, ...reference } = artifactReference(record);
    artifacts.set(record.artifactId, { ...reference, description: await redact(description) });
  }
  return { outcomes, artifacts: [...artifacts.values()], files: changedFiles(messages) };
}

function owedOutcome(message: Message, { config }: Fulfilment): NewItem<"toolOutcomes"> | null {
  const part = message.parts[0];
  if (part?.type !== "tool-result") return null;
  const { toolName, outcome } = part.result;
  const fields = declaredFields(part.result, toolPolicy(config, toolName));
  if (Object.keys(fields).length === 0) return null;
  return {
    ...{ toolName, outcome, keyFields: boundedFields(fields), errorMessage: null, declared: true },
    sources: [message.id],
  };
}

const LONGEST_DESCRIPTION = 80;

/** A pointer as an item of a summary. What a result was asked for stands in its hint already. */
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

/** What items of one section take in a rendered summary, in tokens. */
export function itemTokens<Section extends SummarySection>(
  section: Section,
  items: readonly NewItem<Section>[],
  { tokenizer }: Pick<Fulfilment, "tokenizer">,
): number {
  if (items.length === 0) return 0;
  const shown = items.map((item) => ({ ...item, id: "" }) as unknown as SummaryItem);
  const alone = { ...NOTHING, [section]: shown } as unknown as StructuredSummary;
  return Math.max(0, tokenizer.countTokens(renderSummary(alone)) - tokenizer.countTokens(renderSummary(NOTHING)));
}

const NOTHING = emptySummary({ messageIds: [], firstTurn: 0, lastTurn: 0 });
