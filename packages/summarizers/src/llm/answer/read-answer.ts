import { type CompletionResult, parseJson } from "@threadfold/core";
import { ANSWER_KEYS, type Answer, answerSchema } from "./answer-schema.ts";
import { type UnusableAnswer, unusableAnswer } from "./rejection.ts";

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

/** Parsing stops after this many objects that never close: hostile text must not take unbounded time. */
const MAX_OPEN_ENDS = 40;

/**
 * Returns the JSON objects in a text: the text itself, or outermost objects amid prose, code fences or thinking aloud.
 * Takes time linear in the text for each brace that never closes, up to a fixed number of those.
 */
export function jsonObjects(text: string): readonly object[] {
  const whole = parseObject(text);
  if (whole !== null) return [whole];
  const found: object[] = [];
  let openEnds = 0;
  for (let start = text.indexOf("{"); start >= 0 && openEnds < MAX_OPEN_ENDS; ) {
    const end = endOfObject(text, start);
    const value = end === null ? null : parseObject(text.slice(start, end));
    if (value === null) openEnds++;
    else found.push(value);
    start = text.indexOf("{", value === null ? start + 1 : (end as number));
  }
  return found;
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = parseJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The index after the closing brace of the object that begins at `start`; null when it is never closed. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index++) {
    const sign = text[index];
    if (inString) {
      if (sign === "\\") index++;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return index + 1;
  }
  return null;
}

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
