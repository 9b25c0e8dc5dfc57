import type { CompletionResult } from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { jsonObjects } from "../../text/json-objects.ts";
import { type UnusableAnswer, unusableAnswer } from "./rejection.ts";

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
const answerSchema = z.object({
  add: additionsSchema.default(() => additionsSchema.parse({})),
  resolve: list(z.object({ item: handle, reason: some, ...evidence })),
  supersede: list(z.object({ item: handle, with: z.record(z.string(), z.unknown()) })),
  currentTask: text.nullable().optional(),
  currentPlan: z.array(text).nullable().optional(),
});

/** The keys of an answer. An object with none of them is not an empty answer but something else entirely. */
const ANSWER_KEYS: readonly string[] = Object.freeze(Object.keys(answerSchema.shape));
export type Answer = z.infer<typeof answerSchema>;

/** The shape of an item, by section, for validating an item that supersedes another. */
export const answerItemSchemas: { readonly [Section in AnswerSection]: (typeof itemShapes)[Section] } = itemShapes;
export type AnswerItem<Section extends AnswerSection> = z.infer<(typeof itemShapes)[Section]>;
/** The evidence for a statement: message numbers, or words quoted from a message. */
export type Evidence = Pick<AnswerItem<"facts">, "sources" | "quote">;

/** Usable notes, or why there are none; in that case also the text, if it could serve as a summary. */
export type AnswerReading = { readonly notes: Answer } | (UnusableAnswer & { readonly prose?: string });

/** Reads an answer that should be notes. An answer far longer than `maxTokens`, its limit, is refused as a flood. */
export function readAnswer(
  result: CompletionResult,
  maxTokens: number,
  countTokens: (text: string) => number,
): AnswerReading {
  const unusable = unusableAnswer(result, maxTokens, countTokens);
  if (unusable !== null) return unusable;
  const { text, finish } = result;
  const objects = jsonObjects(text);
  if (objects.length > 0) return fitting(objects);
  if (finish === "length")
    return { reason: "cut-off", problem: `the answer was cut off; it must be shorter than ${maxTokens} tokens` };
  const prose = proseInstead(text);
  return { reason: "not-json", problem: "the answer holds no JSON object", ...(prose !== null && { prose }) };
}

function fitting(objects: readonly object[]): AnswerReading {
  let problem = "";
  for (const value of objects) {
    if (!ANSWER_KEYS.some((key) => Object.hasOwn(value, key))) continue;
    const parsed = answerSchema.safeParse(value);
    if (parsed.success) return isEmpty(parsed.data) ? EMPTY : { notes: parsed.data };
    const issue = parsed.error.issues[0];
    problem ||= `${issue?.path.join(".") || "the answer"}: ${issue?.message ?? "is not as described"}`;
  }
  return { reason: "wrong-schema", problem: problem || `the object has none of ${ANSWER_KEYS.join(", ")}` };
}

const EMPTY: AnswerReading = Object.freeze<AnswerReading>({
  reason: "blank",
  problem: "the answer says nothing of the conversation",
});

const isEmpty = ({ add, resolve, supersede, currentTask, currentPlan }: Answer): boolean =>
  Object.values(add).every((items) => items.length === 0) &&
  resolve.length === 0 &&
  supersede.length === 0 &&
  (currentTask ?? "") === "" &&
  (currentPlan ?? []).length === 0;

/** A text that can serve as a summary, or why there is none. */
export type ProseReading = { readonly prose: string } | UnusableAnswer;

/** Appended to a text that the model could not finish. */
export const UNFINISHED = "[The model's answer was cut off here at its length limit.]";

/** Matches a text up to its last line break or end of a sentence, where an unfinished text is cut. */
const LAST_BORDER = /^[\s\S]*(?:\n|[.!?…](?=\s)|[。！？])/u;

/**
 * Reads an answer that should be prose and takes it unchanged, except that text outside the answer tag is dropped.
 *
 * @param answerTag the tag that the prompt asked for, if any.
 */
export function readProse(
  result: CompletionResult,
  maxTokens: number,
  countTokens: (text: string) => number,
  answerTag: string | undefined,
): ProseReading {
  const unusable = unusableAnswer(result, maxTokens, countTokens);
  if (unusable !== null) return unusable;
  const text = said(result.text, answerTag);
  if (text === "") return { reason: "blank", problem: "the answer is empty" };
  if (isRefusal(text)) return { reason: "refusal", problem: "the model declined to answer" };
  if (result.finish !== "length") return { prose: text };
  const whole = LAST_BORDER.exec(text)?.[0].trimEnd() ?? "";
  if (whole === "") return { reason: "cut-off", problem: "the answer was cut off before its first sentence ended" };
  return { prose: `${whole}\n${UNFINISHED}` };
}

/** Prose shorter than this, in UTF-16 code units, is of no use in place of the notes that were asked for. */
const LEAST_INSTEAD = 80;

/** The text of an answer that should have been notes, if it can serve as a summary; null otherwise. */
function proseInstead(answer: string): string | null {
  const text = said(answer, undefined);
  return text.length < LEAST_INSTEAD || isRefusal(text) || /^[[{`<]/.test(text) ? null : text;
}

/** Matches a model's thinking before its answer, which some servers send along. */
const THINKING = /^\s*<(think|thinking)>[\s\S]*?<\/\1>/i;

function said(answer: string, answerTag: string | undefined): string {
  const text = answer.replace(THINKING, "").toWellFormed().trim();
  if (answerTag === undefined) return text;
  const start = text.lastIndexOf(`<${answerTag}>`);
  if (start < 0) return text;
  const inside = text.slice(start + answerTag.length + 2);
  const end = inside.indexOf(`</${answerTag}>`);
  return (end < 0 ? inside : inside.slice(0, end)).trim();
}

/** A text longer than this, in UTF-16 code units, is not just a refusal, whatever its first words. */
const LONGEST_REFUSAL = 400;
const REFUSAL =
  /^(?:i['’]?m (?:very )?sorry|i am sorry|sorry|apologies|i (?:can['’]?t|cannot|can not|won['’]?t)|i['’]?m (?:not able|unable)|i am (?:not able|unable)|as an ai)\b/i;

const isRefusal = (text: string): boolean => text.length <= LONGEST_REFUSAL && REFUSAL.test(text);
