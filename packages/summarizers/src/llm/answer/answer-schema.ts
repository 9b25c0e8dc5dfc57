import * as z from "@threadfold/core/schema";

/** A place in the transcript: `12`, `"12"` or `"m12"`. */
const place = z.union([
  z.int(),
  z
    .string()
    .regex(/^\s*\[?m?\d{1,9}\]?\s*$/i)
    .transform((text) => Number(text.replace(/\D/g, ""))),
]);

const text = z.string().transform((value) => value.toWellFormed());
const some = text.default("");
const evidence = { sources: z.array(place).default([]), quote: text.optional() };

const itemShapes = {
  constraints: z.object({ text, ...evidence }),
  facts: z.object({ text, ...evidence }),
  decisions: z.object({ decision: text, rationale: some, ...evidence }),
  openItems: z.object({
    description: text,
    context: some,
    priority: z.enum(["high", "medium", "low"]).default("medium"),
    status: z.enum(["open", "done", "cancelled"]).default("open"),
    ...evidence,
  }),
  files: z.object({
    path: text,
    action: z.enum(["read", "created", "modified", "deleted"]),
    description: some,
    ...evidence,
  }),
  toolOutcomes: z.object({
    toolName: text,
    outcome: z.enum(["success", "failure", "partial"]),
    keyFields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
    errorMessage: text.nullable().default(null),
    ...evidence,
  }),
  errors: z.object({ error: text, resolution: text.nullable().default(null), ...evidence }),
};

/** The sections of items that a model may write. Identifiers are plain text; artifacts are only named by code. */
export const ANSWER_SECTIONS = Object.freeze(Object.keys(itemShapes) as (keyof typeof itemShapes)[]);
export type AnswerSection = keyof typeof itemShapes;

const list = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).default([]);
const handle = z.string().regex(/^\s*\[?[a-z]\d{1,6}\]?\s*$/i);

const additionsSchema = z.object({
  constraints: list(itemShapes.constraints),
  facts: list(itemShapes.facts),
  decisions: list(itemShapes.decisions),
  openItems: list(itemShapes.openItems),
  files: list(itemShapes.files),
  toolOutcomes: list(itemShapes.toolOutcomes),
  errors: list(itemShapes.errors),
  identifiers: list(text),
});

/** A model's answer: items to add, and changes to existing items. Unknown keys are ignored. */
export const answerSchema = z.object({
  add: additionsSchema.default(() => additionsSchema.parse({})),
  resolve: list(z.object({ item: handle, reason: some, ...evidence })),
  supersede: list(z.object({ item: handle, with: z.record(z.string(), z.unknown()) })),
  currentTask: text.nullable().optional(),
  currentPlan: z.array(text).nullable().optional(),
});

/** The keys of an answer. An object with none of them is not an empty answer but something else entirely. */
export const ANSWER_KEYS: readonly string[] = Object.freeze(Object.keys(answerSchema.shape));
export type Answer = z.infer<typeof answerSchema>;

/** The shape of an item, by section, for validating an item that supersedes another. */
export const answerItemSchemas: { readonly [Section in AnswerSection]: (typeof itemShapes)[Section] } = itemShapes;
export type AnswerItem<Section extends AnswerSection> = z.infer<(typeof itemShapes)[Section]>;
/** The evidence for a statement: message numbers, or words quoted from a message. */
export type Evidence = Pick<AnswerItem<"facts">, "sources" | "quote">;
