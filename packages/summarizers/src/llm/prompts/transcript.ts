import { groupMessages, headerOf, type Message, sha256, visibleText } from "@threadfold/core";
import { cutMiddle } from "../../text/excerpt.ts";

/** A message as shown to a model, with the number by which the answer refers to it. */
export interface TranscriptMessage {
  readonly number: number;
  readonly message: Message;
  readonly text: string;
}

/** Returns the messages of a span as shown to a model, each cut to at most this many tokens. */
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
 * Renders messages as one text. Every message begins with a line that no content can forge, which begins with `mark`.
 *
 * @param beside other texts that will be quoted between lines with the same mark.
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

const LENGTH = 8;

/**
 * Returns a word that occurs in none of the texts, always the same for the same texts. It begins the line before each
 * message, so that no content can pass for the beginning or end of one.
 */
export function transcriptMark(texts: readonly string[]): string {
  let mark = sha256(JSON.stringify(texts)).slice(0, LENGTH);
  while (texts.some((text) => text.includes(mark))) mark = sha256(mark).slice(0, LENGTH);
  return mark;
}

/** Messages are not shortened below this many tokens; beyond that, the oldest are left out. */
const LEAST_SHOWN = 40;

/**
 * Reduces messages to at most this many tokens in total. The longest are shortened first, all to the same length; if
 * that is not enough, the oldest are left out.
 */
export function messagesWithin(
  messages: readonly TranscriptMessage[],
  maxTokens: number,
  countTokens: (text: string) => number,
): readonly TranscriptMessage[] {
  const sizes = messages.map(({ text }) => countTokens(text));
  const most = Math.max(LEAST_SHOWN, lengthThatFits(sizes, maxTokens));
  const shown = messages.map((entry, index) =>
    (sizes[index] as number) <= most ? entry : { ...entry, text: cutMiddle(entry.text, most, countTokens) },
  );
  let from = shown.length;
  for (let left = maxTokens; from > 0; from--) {
    left -= countTokens((shown[from - 1] as TranscriptMessage).text);
    if (left < 0) break;
  }
  return shown.slice(from);
}

/** The greatest length per message at which all messages together take no more than `maxTokens`. */
function lengthThatFits(sizes: readonly number[], maxTokens: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = maxTokens;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return ascending.at(-1) ?? 0;
}

/** A run of whole groups that one call reads. */
export interface MessageChunk {
  /** Whole groups, each in the order of the span. */
  readonly groups: readonly (readonly TranscriptMessage[])[];
}

/** Returns the messages of a chunk, in the order of the span. */
export const chunkMessages = ({ groups }: MessageChunk): readonly TranscriptMessage[] =>
  groups.flat().sort((a, b) => a.number - b.number);

/**
 * Splits the span into runs of whole groups of at most this many tokens each (S20). A single group that takes more
 * forms its own run.
 */
export function messageChunks(
  messages: readonly TranscriptMessage[],
  maxTokens: number,
  tokensOf: (message: TranscriptMessage) => number,
): readonly MessageChunk[] {
  const chunks: MessageChunk[] = [];
  let groups: (readonly TranscriptMessage[])[] = [];
  let used = 0;
  for (const group of groupsOf(messages)) {
    const tokens = group.reduce((sum, message) => sum + tokensOf(message), 0);
    if (groups.length > 0 && used + tokens > maxTokens) {
      chunks.push({ groups });
      groups = [];
      used = 0;
    }
    groups.push(group);
    used += tokens;
  }
  return groups.length === 0 ? chunks : [...chunks, { groups }];
}

/** Splits a chunk in two, the older half first; null for a single group. */
export function halveChunk({ groups }: MessageChunk): readonly [MessageChunk, MessageChunk] | null {
  if (groups.length < 2) return null;
  const half = Math.ceil(groups.length / 2);
  return [{ groups: groups.slice(0, half) }, { groups: groups.slice(half) }];
}

const NO_SHARES = Object.freeze({ text: 0, toolInput: 0, toolResult: 0, reasoning: 0, media: 0 });

function groupsOf(messages: readonly TranscriptMessage[]): readonly (readonly TranscriptMessage[])[] {
  // Grouping needs ordinals without gaps; those of a span may have gaps.
  const headers = messages.map(({ message }, ordinal) => headerOf({ ...message, ordinal }, 0, NO_SHARES, undefined));
  const { groups } = groupMessages(headers);
  return groups.map(({ ordinals }) => ordinals.map((ordinal) => messages[ordinal] as TranscriptMessage));
}
