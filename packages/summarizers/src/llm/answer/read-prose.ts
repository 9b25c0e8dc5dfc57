import type { CompletionResult } from "@threadfold/core";
import { type UnusableAnswer, unusableAnswer } from "./unusable-answer.ts";

/** A text that can stand as a summary, or why there is none. */
export type ProseReading = { readonly prose: string } | UnusableAnswer;

/** Stands behind a text that the model could not finish. */
export const UNFINISHED = "[The model's answer ended here, at its longest.]";

/** Shorter than this, an answer in place of the notes that were asked for tells nothing. In UTF-16 code units. */
const LEAST_INSTEAD = 80;
/** What a model thought before its answer, as some servers send it along. */
const THINKING = /^\s*<(think|thinking)>[\s\S]*?<\/\1>/i;
/** A longer text says more than no. */
const LONGEST_REFUSAL = 400;
const REFUSAL =
  /^(?:i['’]?m (?:very )?sorry|i am sorry|sorry|apologies|i (?:can['’]?t|cannot|can not|won['’]?t)|i['’]?m (?:not able|unable)|i am (?:not able|unable)|as an ai)\b/i;
/** What a text is cut behind that ends in the middle of a sentence: a line, or the end of a sentence. */
const LAST_BORDER = /^[\s\S]*(?:\n|[.!?…](?=\s)|[。！？])/u;

/**
 * Reads an answer that should be prose, as it comes. What the prompt asked to stand around it is left out.
 *
 * @param answerTag the tag that the prompt asked for, if it did.
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

/** The text of an answer that should have been notes, where it says something as a summary; null otherwise. */
export function proseInstead(answer: string): string | null {
  const text = said(answer, undefined);
  return text.length < LEAST_INSTEAD || isRefusal(text) || /^[[{`<]/.test(text) ? null : text;
}

function said(answer: string, answerTag: string | undefined): string {
  const text = answer.replace(THINKING, "").toWellFormed().trim();
  if (answerTag === undefined) return text;
  const start = text.lastIndexOf(`<${answerTag}>`);
  if (start < 0) return text;
  const inside = text.slice(start + answerTag.length + 2);
  const end = inside.indexOf(`</${answerTag}>`);
  return (end < 0 ? inside : inside.slice(0, end)).trim();
}

const isRefusal = (text: string): boolean => text.length <= LONGEST_REFUSAL && REFUSAL.test(text);
