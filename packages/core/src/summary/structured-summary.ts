import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { type ArtifactId, artifactIdSchema, type MessageId, messageIdSchema } from "../model/ids.ts";
import { type Message, type Sensitivity, sensitivitySchema } from "../model/message.ts";
import { type ToolOutcomeStatus, toolOutcomeStatusSchema } from "../model/part.ts";
import { type SpanReference, spanReferenceSchema } from "../thread/span-reference.ts";

/** Version of the summary's shape. Bump it when a section or field changes, so that cached summaries are not mistaken. */
export const STRUCTURED_SUMMARY_SCHEMA_VERSION = 1;

/**
 * Whose words an item is where its section would say otherwise: the `agent`'s own note, though it reads as a request or a
 * rule; a `handoff` or summary that stood in the log; the report of a `sub-agent`.
 */
export const itemSpeakerSchema = z.enum(["agent", "handoff", "sub-agent"]);
export type ItemSpeaker = z.infer<typeof itemSpeakerSchema>;

/** What every item of a summary carries: a stable id and the messages that it was taken from. */
export interface SummaryItem {
  /** Derived from section and text, so that the same item has the same id in every fold. */
  readonly id: string;
  readonly sources: readonly MessageId[];
  /** Set by code, whoever wrote the item. */
  readonly by?: ItemSpeaker;
}

/** A plain statement: a fact, a constraint. */
export interface TextItem extends SummaryItem {
  readonly text: string;
  /**
   * Place of a quoted sentence in its message, from 0, so that what was left out between two of them shows; of a line of a
   * source its place there: the number that the source gives it, else which line of the message's text it is.
   */
  readonly at?: number;
}

/** A path, name, number or hash that is likely to be needed again, or the line that it stands in at its source. */
export interface PlaceItem extends TextItem {
  /** The file or command whose line the text is. Absent where the text is the name alone. */
  readonly where?: string;
}

/** A decision that was made. */
export interface Decision extends SummaryItem {
  readonly decision: string;
  readonly rationale: string;
  readonly turn: number;
}

/**
 * Work that was asked for or planned. Its status is state, never prose: `open`, to be done; `asked`, what came of
 * it stands behind the summary's span; `done`; `cancelled`, taken back by somebody; `lapsed`, nobody came back to it.
 */
export interface OpenItem extends SummaryItem {
  readonly description: string;
  readonly context: string;
  readonly priority: "high" | "medium" | "low";
  readonly status: "open" | "asked" | "done" | "cancelled" | "lapsed";
  /**
   * What a user asked for, what the agent asked the user, an item of a to-do list, or a chapter: old requests of many turns,
   * all of them closed, in one line. Absent where nobody said it.
   */
  readonly kind?: "request" | "question" | "todo" | "chapter";
  /** The turn in which it was last of use; absent where it is not known. */
  readonly turn?: number;
}

/** True for work whose outcome the summary does not know yet. */
export const isUnsettled = ({ status }: Pick<OpenItem, "status">): boolean => status === "open" || status === "asked";

/** An artifact that holds externalized content. */
export interface ArtifactReference extends SummaryItem {
  readonly artifactId: ArtifactId;
  readonly description: string;
  /** When the agent should read it back. */
  readonly rehydrateHint: string;
}

/** A file that the agent touched, and the strongest thing that it did to it. */
export interface FileItem extends SummaryItem {
  readonly path: string;
  readonly action: "read" | "created" | "modified" | "deleted";
  readonly description: string;
  /** How often it was changed; absent where nobody counted. */
  readonly changes?: number;
  /** Names that came into it with its changes, newest first. */
  readonly changed?: readonly string[];
}

/** The outcome of a tool call. */
export interface ToolOutcome extends SummaryItem {
  readonly toolName: string;
  readonly outcome: ToolOutcomeStatus;
  readonly keyFields: JsonObject;
  readonly errorMessage: string | null;
  /** Set by code: key fields are among it that the tool or its policy declared. It goes last when room runs out. */
  readonly declared?: true;
}

/** An error and how it was resolved, if it was. */
export interface ErrorItem extends SummaryItem {
  readonly error: string;
  readonly resolution: string | null;
}

/** What stands in each list section of a summary, by section name, in the order in which they are rendered. */
export interface SummarySections {
  readonly constraints: readonly TextItem[];
  readonly facts: readonly TextItem[];
  readonly decisions: readonly Decision[];
  readonly openItems: readonly OpenItem[];
  readonly files: readonly FileItem[];
  readonly toolOutcomes: readonly ToolOutcome[];
  readonly errors: readonly ErrorItem[];
  readonly artifacts: readonly ArtifactReference[];
  /** What is where: names that are likely to be needed again, each with what it belongs to where that is known. */
  readonly identifiers: readonly PlaceItem[];
}

/** The name of a list section. */
export type SummarySection = keyof SummarySections;

/** A summary whose parts can be merged by code instead of being rewritten, so that nothing drifts. */
export interface StructuredSummary extends SummarySections {
  readonly schemaVersion: typeof STRUCTURED_SUMMARY_SCHEMA_VERSION;
  readonly span: SpanReference;
  /** The first request of the user, word for word; null when the span holds none. */
  readonly originalTask: TextItem | null;
  /**
   * What a model wrote about the span in its own words: prose that nobody checked line by line, unlike the sections.
   * Its sources are the first and the last message of what it covers. Absent where nobody wrote any.
   */
  readonly narrative?: TextItem;
  readonly currentTask: string | null;
  readonly currentPlan: readonly string[] | null;
  /** How many folds are inside: 1 for a first summary, more when it absorbed older ones. */
  readonly round: number;
  /** The lowest trust and the highest sensitivity of what it covers; absent on summaries that were made without it. */
  readonly handling?: SummaryHandling;
}

/**
 * Whose words stand behind a text, most trusted first: the operator's, the user's, the agent's own, or those of tools and
 * files, which anybody may have written.
 */
export const sourceTrustSchema = z.enum(["operator", "user", "agent", "external"]);
export type SourceTrust = z.infer<typeof sourceTrustSchema>;

/** How a summary is to be handled: as its least trusted and its most sensitive source. */
export interface SummaryHandling {
  readonly trust: SourceTrust;
  readonly sensitivity: Sensitivity;
}

export const summaryHandlingSchema: z.ZodType<SummaryHandling> = z.object({
  trust: sourceTrustSchema,
  sensitivity: sensitivitySchema,
});

const item = { id: textSchema.min(1), sources: z.array(messageIdSchema), by: itemSpeakerSchema.optional() };
const textItemSchema = z.object({ ...item, text: textSchema, at: z.int().nonnegative().optional() });

/** The shape of an item of each section. */
export const summaryItemSchemas = {
  constraints: textItemSchema,
  facts: textItemSchema,
  decisions: z.object({ ...item, decision: textSchema, rationale: textSchema, turn: z.int().nonnegative() }),
  openItems: z.object({
    ...item,
    description: textSchema,
    context: textSchema,
    priority: z.enum(["high", "medium", "low"]),
    status: z.enum(["open", "asked", "done", "cancelled", "lapsed"]),
    kind: z.enum(["request", "question", "todo", "chapter"]).optional(),
    turn: z.int().nonnegative().optional(),
  }),
  files: z.object({
    ...item,
    path: textSchema,
    action: z.enum(["read", "created", "modified", "deleted"]),
    description: textSchema,
    changes: z.int().positive().optional(),
    changed: z.array(textSchema).optional(),
  }),
  toolOutcomes: z.object({
    ...item,
    toolName: textSchema,
    outcome: toolOutcomeStatusSchema,
    keyFields: jsonObjectSchema,
    errorMessage: textSchema.nullable(),
    declared: z.literal(true).optional(),
  }),
  errors: z.object({ ...item, error: textSchema, resolution: textSchema.nullable() }),
  artifacts: z.object({ ...item, artifactId: artifactIdSchema, description: textSchema, rehydrateHint: textSchema }),
  identifiers: textItemSchema.extend({ where: textSchema.optional() }),
} as const satisfies { [Section in SummarySection]: z.ZodType<SummarySections[Section][number]> };

/** The names of the list sections, in rendering order. */
export const SUMMARY_SECTIONS = Object.freeze(Object.keys(summaryItemSchemas) as SummarySection[]);

export const structuredSummarySchema: z.ZodType<StructuredSummary> = z.object({
  schemaVersion: z.literal(STRUCTURED_SUMMARY_SCHEMA_VERSION),
  span: spanReferenceSchema,
  originalTask: textItemSchema.nullable(),
  narrative: textItemSchema.optional(),
  constraints: z.array(summaryItemSchemas.constraints),
  facts: z.array(summaryItemSchemas.facts),
  decisions: z.array(summaryItemSchemas.decisions),
  openItems: z.array(summaryItemSchemas.openItems),
  files: z.array(summaryItemSchemas.files),
  toolOutcomes: z.array(summaryItemSchemas.toolOutcomes),
  errors: z.array(summaryItemSchemas.errors),
  artifacts: z.array(summaryItemSchemas.artifacts),
  identifiers: z.array(summaryItemSchemas.identifiers),
  currentTask: textSchema.nullable(),
  currentPlan: z.array(textSchema).nullable(),
  round: z.int().positive(),
  handling: summaryHandlingSchema.optional(),
});

/** All that a summary says with its sources: the items of its sections, the original task and the narrative. */
export const sourcedItems = (summary: StructuredSummary): readonly SummaryItem[] => [
  ...SUMMARY_SECTIONS.flatMap((section): readonly SummaryItem[] => summary[section]),
  ...(summary.originalTask === null ? [] : [summary.originalTask]),
  ...(summary.narrative === undefined ? [] : [summary.narrative]),
];

/** A summary of a span that says nothing yet. */
export function emptySummary(span: SpanReference): StructuredSummary {
  return {
    schemaVersion: STRUCTURED_SUMMARY_SCHEMA_VERSION,
    span,
    originalTask: null,
    constraints: [],
    facts: [],
    decisions: [],
    openItems: [],
    files: [],
    toolOutcomes: [],
    errors: [],
    artifacts: [],
    identifiers: [],
    currentTask: null,
    currentPlan: null,
    round: 1,
  };
}

/** What is assumed of content that says nothing about itself. */
const UNKNOWN: SummaryHandling = Object.freeze({ trust: "external", sensitivity: "internal" });

/** The handling of both together: the lower trust and the higher sensitivity. A part that says nothing counts as external. */
export function combineHandling(
  first: SummaryHandling | undefined,
  second: SummaryHandling | undefined,
): SummaryHandling | undefined {
  if (first === undefined && second === undefined) return undefined;
  const { trust, sensitivity } = first ?? UNKNOWN;
  const other = second ?? UNKNOWN;
  return {
    trust: later(sourceTrustSchema.options, trust, other.trust),
    sensitivity: later(sensitivitySchema.options, sensitivity, other.sensitivity),
  };
}

/**
 * The handling of messages, which must be at least one. Trust follows from who speaks; a message names its sensitivity in
 * `metadata.sensitivity` and is `internal` when it does not.
 */
export function handlingOf(
  messages: readonly Pick<Message, "role" | "origin" | "parts" | "metadata">[],
): SummaryHandling {
  const all = messages.map(
    (message): SummaryHandling => ({ trust: trustOf(message), sensitivity: sensitivityOf(message) }),
  );
  return (
    all.reduce<SummaryHandling | undefined>(
      (sum, next, index) => (index === 0 ? next : combineHandling(sum, next)),
      undefined,
    ) ?? UNKNOWN
  );
}

function sensitivityOf({ metadata }: Pick<Message, "metadata">): Sensitivity {
  const named = metadata?.["sensitivity"];
  return sensitivitySchema.options.find((known) => known === named) ?? UNKNOWN.sensitivity;
}

function trustOf({ role, origin, parts }: Pick<Message, "role" | "origin" | "parts">): SourceTrust {
  if (role === "tool" || parts.some(({ type }) => type === "image" || type === "file" || type === "opaque"))
    return "external";
  if (role === "assistant" || origin !== undefined) return "agent";
  return role === "system" ? "operator" : "user";
}

const later = <Name>(order: readonly Name[], first: Name, second: Name): Name =>
  order.indexOf(first) >= order.indexOf(second) ? first : second;
