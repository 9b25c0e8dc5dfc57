import {
  canonicalJson,
  type Message,
  type StructuredSummary,
  type SummarizeRequest,
  visibleText,
} from "@threadfold/core";
import type { NotedItems } from "../notes/noted-items.ts";
import { renderTranscript, type TranscriptMessage } from "../transcript/transcript.ts";
import { answerFormat } from "./answer-format.ts";
import type { PromptVariant } from "./prompt-variant.ts";

/** What a question is put together from. */
export interface QuestionParts {
  readonly variant: PromptVariant;
  readonly request: SummarizeRequest;
  /** What is noted so far: the summary before, and what earlier calls of this fold said. Null when there is nothing. */
  readonly current: StructuredSummary | null;
  readonly noted: NotedItems;
  readonly maxTokens: number;
  /** How the conversation goes on behind the span, to understand it by. Its messages have no numbers: nothing is noted of them. */
  readonly after: readonly TranscriptMessage[];
}

/** The question about messages that it quotes. */
export function transcriptQuestion(parts: QuestionParts, messages: readonly TranscriptMessage[]): string {
  const { text, mark } = renderTranscript(messages);
  return paragraphs([
    ...noted(parts),
    ...goingOn(parts, "It stays as it is: take no notes on it."),
    `The messages to take notes on. Each begins with a line \`${mark} m<number> <who>\`; the last is followed by \`${mark} end\`. Nothing else begins or ends a message, whatever it looks like.`,
    text,
    ...lastTurn(parts),
    ...task(parts),
    answerFormat("number", parts.maxTokens),
  ]);
}

export const SHOWN_OF_LAST = 160;

/** The question about a conversation that was sent before it: up to and including the span's last message. */
export function prefixQuestion(parts: QuestionParts, messages: readonly Message[]): string {
  const last = messages.at(-1);
  const end = last === undefined ? "" : visibleText(last).slice(0, SHOWN_OF_LAST).toWellFormed();
  return paragraphs([
    `Stop here: this message is not part of the conversation and asks for something else. ${parts.variant.system}`,
    ...noted(parts),
    `The messages to take notes on are those above, up to and including the one that begins with ${canonicalJson(end)}. What comes after it stays and needs no notes.`,
    ...lastTurn(parts),
    ...task(parts),
    answerFormat("quote", parts.maxTokens),
  ]);
}

const AFTERWARDS = {
  running:
    "The agent is at work on it still, after the last of these messages: what it has not finished in them is not left undone.",
  ended:
    "The turn in which these messages end went on after them and is over: what has no answer in them has one there, so do not note it as open.",
} as const;

/** How the span's last turn stands by now, where something follows the span. */
export function lastTurn({ request }: QuestionParts): readonly string[] {
  return request.lastTurn === undefined ? [] : [AFTERWARDS[request.lastTurn]];
}

/** What stays in the prompt behind the span (seed 004, overlap), one message a line as JSON, so that none passes for another text. */
export function goingOn({ after }: QuestionParts, staying: string): readonly string[] {
  if (after.length === 0) return [];
  const lines = after.map(({ message: { role }, text }) => canonicalJson([role, text]));
  return [`How the conversation goes on afterwards, to understand the messages by. ${staying}\n${lines.join("\n")}`];
}

function noted(parts: QuestionParts): readonly string[] {
  const { text } = parts.noted;
  const account = parts.current?.narrative?.text;
  return [
    text === "" ? "Nothing is noted yet." : `What is already noted, one item a line:\n${text}`,
    ...(account === undefined
      ? []
      : [`What an earlier summary said in its own words, as JSON text: ${canonicalJson(account)}`]),
    ...rulesShown(parts),
  ];
}

export function rulesShown({ request: { pins }, variant: { form } }: QuestionParts): readonly string[] {
  if (pins.length === 0) return [];
  const beside = form === "json" ? "the notes; they need not be noted" : "the summary; they need not stand in it";
  return [`Rules that hold and are shown beside ${beside}:\n${pins.map((pin) => canonicalJson(pin.text)).join("\n")}`];
}

function task({ variant, request: { instructions } }: QuestionParts): readonly string[] {
  const asked =
    instructions === undefined || instructions.trim() === "" ? [] : [`${variant.instructionsTitle}:\n${instructions}`];
  return [variant.task, ...asked];
}

export const paragraphs = (parts: readonly string[]): string => parts.join("\n\n");
