import { groupMessages, headerOf } from "@threadfold/core";
import type { TranscriptMessage } from "./transcript.ts";

/** A run of whole groups that one call reads. */
export interface MessageChunk {
  /** Whole groups, each in the order of the span. */
  readonly groups: readonly (readonly TranscriptMessage[])[];
}

/** The messages of a chunk, in the order of the span. */
export const chunkMessages = ({ groups }: MessageChunk): readonly TranscriptMessage[] =>
  groups.flat().sort((a, b) => a.number - b.number);

/** The span in runs of whole groups of at most so many tokens each (S20). A group that alone takes more is a run by itself. */
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

/** Two chunks in place of one, the older first; null for a single group. */
export function halveChunk({ groups }: MessageChunk): readonly [MessageChunk, MessageChunk] | null {
  if (groups.length < 2) return null;
  const half = Math.ceil(groups.length / 2);
  return [{ groups: groups.slice(0, half) }, { groups: groups.slice(half) }];
}

const NO_SHARES = Object.freeze({ text: 0, toolInput: 0, toolResult: 0, reasoning: 0, media: 0 });

function groupsOf(messages: readonly TranscriptMessage[]): readonly (readonly TranscriptMessage[])[] {
  // Grouping wants ordinals without gaps; those of a span may have some.
  const headers = messages.map(({ message }, ordinal) => headerOf({ ...message, ordinal }, 0, NO_SHARES, undefined));
  const { groups } = groupMessages(headers);
  return groups.map(({ ordinals }) => ordinals.map((ordinal) => messages[ordinal] as TranscriptMessage));
}
