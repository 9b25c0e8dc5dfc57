import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { type ArtifactId, artifactIdSchema, type MessageId, messageIdSchema } from "../model/ids.ts";
import { type Message, type Sensitivity, sensitivitySchema } from "../model/message.ts";
import { type ToolOutcomeStatus, toolOutcomeStatusSchema } from "../model/part.ts";
import type { FileUse } from "../model/tool-use.ts";
import { type SpanReference, spanReferenceSchema } from "../thread/span-reference.ts";

/** Version of the summary schema. Bump it when a section or field changes, so that cached summaries are not misread. */
export const STRUCTURED_SUMMARY_SCHEMA_VERSION = 1;

/**
 * Whose words an item is, when its section would suggest otherwise: the `agent`'s own note, although it reads as a
 * request or a rule; what a `user` stated, although it stands beside what the agent found; a `handoff` or summary in the
 * log; the report of a `sub-agent`.
 */
export const itemSpeakerSchema = z.enum(["agent", "user", "handoff", "sub-agent"]);
export type ItemSpeaker = z.infer<typeof itemSpeakerSchema>;

/** The fields that every item of a summary has: a stable id, and the messages that it was taken from. */
export interface SummaryItem {
  /** Derived from section and text, so that the same item has the same id in every fold. */
  readonly id: string;
  readonly sources: readonly MessageId[];
  /** Set by code, not by whoever wrote the item. */
  readonly by?: ItemSpeaker;
}

/** A plain statement: a fact, a constraint. */
export interface TextItem extends SummaryItem {
  readonly text: string;
  /**
   * For a quoted sentence, its index in its message, from 0, so that gaps between sentences can be shown. For a line of
   * a source, the line number that the source gives it, or else its line number in the message's text.
   */
  readonly at?: number;
}

/** A path, name, number or hash that is likely to be needed again, or the line of its source that contains it. */
export interface PlaceItem extends TextItem {
  /** The file or command that the line comes from. Absent when the text is only the name. */
  readonly where?: string;
}

/** A decision that was made. */
export interface Decision extends SummaryItem {
  readonly decision: string;
  readonly rationale: string;
  readonly turn: number;
}

/**
 * Work that was asked for or planned. Its status is state, never prose: `open`, still to be done; `asked`, the outcome
 * is only known after the summary's span; `done`; `cancelled`, somebody took it back; `lapsed`, nobody came back to it.
 */
export interface OpenItem extends SummaryItem {
  readonly description: string;
  readonly context: string;
  readonly priority: "high" | "medium" | "low";
  readonly status: "open" | "asked" | "done" | "cancelled" | "lapsed";
  /**
   * What a user asked for (`request`), what the agent asked the user (`question`), an item of a to-do list (`todo`), or
   * one line for old requests of many turns that are all closed (`chapter`). Absent when it is not known.
   */
  readonly kind?: "request" | "question" | "todo" | "chapter";
  /** The turn in which it was last relevant; absent when it is not known. */
  readonly turn?: number;
}

/** True for work whose outcome the summary does not know yet. */
export const isUnsettled = ({ status }: Pick<OpenItem, "status">): boolean => status === "open" || status === "asked";

/** An artifact with externalized content. */
export interface ArtifactReference extends SummaryItem {
  readonly artifactId: ArtifactId;
  readonly description: string;
  /** When the agent should read it back. */
  readonly rehydrateHint: string;
}

/** A file that the agent touched, and the strongest action that it took on the file. */
export interface FileItem extends SummaryItem {
  readonly path: string;
  readonly action: FileUse;
  readonly description: string;
  /** The number of times it was changed; absent when nobody counted. */
  readonly changes?: number;
  /** What its changes added, newest first: names, and in a document of prose lines in curly quotes. */
  readonly changed?: readonly string[];
}

/** The outcome of a tool call. */
export interface ToolOutcome extends SummaryItem {
  readonly toolName: string;
  readonly outcome: ToolOutcomeStatus;
  readonly keyFields: JsonObject;
  readonly errorMessage: string | null;
  /** Set by code if it includes key fields that the tool or its policy declared. Such outcomes are trimmed last. */
  readonly declared?: true;
}

/** An error and how it was resolved, if it was. */
export interface ErrorItem extends SummaryItem {
  readonly error: string;
  readonly resolution: string | null;
}

/** The items of each list section of a summary, by section name, in rendering order. */
export interface SummarySections {
  readonly constraints: readonly TextItem[];
  readonly facts: readonly TextItem[];
  readonly decisions: readonly Decision[];
  readonly openItems: readonly OpenItem[];
  readonly files: readonly FileItem[];
  readonly toolOutcomes: readonly ToolOutcome[];
  readonly errors: readonly ErrorItem[];
  readonly artifacts: readonly ArtifactReference[];
  /** Names that are likely to be needed again, each with the place that it belongs to if that is known. */
  readonly identifiers: readonly PlaceItem[];
}

/** The name of a list section. */
export type SummarySection = keyof SummarySections;

/** A summary whose parts are merged by code instead of being rewritten, so that their content does not drift. */
export interface StructuredSummary extends SummarySections {
  readonly schemaVersion: typeof STRUCTURED_SUMMARY_SCHEMA_VERSION;
  readonly span: SpanReference;
  /** The user's first request, word for word; null when the span contains none. */
  readonly originalTask: TextItem | null;
  /**
   * What a model wrote about the span in its own words: prose that, unlike the sections, nobody checked line by line.
   * Its sources are the first and the last message that it covers. Absent when there is none.
   */
  readonly narrative?: TextItem;
  readonly currentTask: string | null;
  readonly currentPlan: readonly string[] | null;
  /** The number of folds inside it: 1 for a first summary, more if it absorbed older ones. */
  readonly round: number;
  /** The lowest trust and highest sensitivity of what it covers; absent if the summary was made without them. */
  readonly handling?: SummaryHandling;
}

/**
 * The origin of a text, most trusted first: the operator, the user, the agent itself, or (`external`) tools and files,
 * which anybody may have written.
 */
export const sourceTrustSchema = z.enum(["operator", "user", "agent", "external"]);
export type SourceTrust = z.infer<typeof sourceTrustSchema>;

/** How a summary must be handled: like its least trusted and its most sensitive source. */
export interface SummaryHandling {
  readonly trust: SourceTrust;
  readonly sensitivity: Sensitivity;
}

export const summaryHandlingSchema: z.ZodType<SummaryHandling> = z.lazy(() =>
  z.object({
    trust: sourceTrustSchema,
    sensitivity: sensitivitySchema,
  }),
);

const item = { id: textSchema.min(1), sources: z.array(messageIdSchema), by: itemSpeakerSchema.optional() };
const textItemSchema = z.object({ ...item, text: textSchema, at: z.int().nonnegative().optional() });

/** The schema of an item of each section. */
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

export const structuredSummarySchema: z.ZodType<StructuredSummary> = z.lazy(() =>
  z.object({
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
  }),
);

/** Returns everything in a summary that has sources: the items of its sections, the original task and the narrative. */
export const sourcedItems = (summary: StructuredSummary): readonly SummaryItem[] => [
  ...SUMMARY_SECTIONS.flatMap((section): readonly SummaryItem[] => summary[section]),
  ...(summary.originalTask === null ? [] : [summary.originalTask]),
  ...(summary.narrative === undefined ? [] : [summary.narrative]),
];

/** Returns an empty summary of a span. */
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

/** What is assumed about content that says nothing about its trust and sensitivity. */
const UNKNOWN: SummaryHandling = Object.freeze({ trust: "external", sensitivity: "internal" });

/**
 * Combines two handlings: the lower trust and the higher sensitivity. A missing one counts as external and internal.
 */
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
 * Returns the handling of one or more messages. Trust follows from who speaks; a message states its sensitivity in
 * `metadata.sensitivity` and is `internal` if it does not.
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
