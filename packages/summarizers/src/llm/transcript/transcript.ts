import { type Message, visibleText } from "@threadfold/core";
import { cutMiddle } from "./cut-middle.ts";
import { transcriptMark } from "./transcript-mark.ts";

/** A message as a model reads it: under a number by which the answer names it. */
export interface TranscriptMessage {
  readonly number: number;
  readonly message: Message;
  readonly text: string;
}

/** The messages of a span as a model reads them, each of at most so many tokens. */
export function transcriptMessages(
  messages: readonly Message[],
  maxMessageTokens: number,
  countTokens: (text: string) => number,
): readonly TranscriptMessage[] {
  return messages.map((message, index) => ({
    number: index + 1,
    message,
    text: cutMiddle(visibleText(message), maxMessageTokens, countTokens),
  }));
}

/**
 * Messages as one text. Every message begins with a line that no content can forge; `mark` begins that line.
 *
 * @param beside texts that are quoted between lines of the same mark.
 */
export function renderTranscript(
  messages: readonly TranscriptMessage[],
  beside: readonly string[] = [],
): {
  readonly text: string;
  readonly mark: string;
} {
  const mark = transcriptMark([...messages.flatMap((entry) => [entry.text, speaker(entry.message)]), ...beside]);
  const lines = messages.map((entry) => `${mark} m${entry.number} ${speaker(entry.message)}\n${entry.text}`);
  return { text: [...lines, `${mark} end`].join("\n"), mark };
}

function speaker({ role, origin, parts }: Message): string {
  const first = parts[0];
  if (first?.type === "tool-result") return `result of ${oneLine(first.result.toolName)}, ${first.result.outcome}`;
  return origin === undefined ? role : `${role} (written by a program, not typed)`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, 80);
