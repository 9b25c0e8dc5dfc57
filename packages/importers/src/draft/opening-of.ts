import { sha256 } from "@threadfold/core";
import type { ForeignObject } from "../reading/foreign-value.ts";
import type { SourceText } from "../reading/source-text.ts";

/** Fields of a document that tell one session from another and never change while it grows. */
const IDENTIFYING = [
  ...["session_id", "sessionId", "conversation_id", "thread_id", "instance_id"],
  ...["task_id", "trial", "source_index", "task", "start_time"],
];

/** A field whose place moves as a conversation grows: nothing can be told from how such a log begins. */
const MOVING_MARKER = '"cache_control"';

/**
 * SHA-256 of how a session begins: what tells it from others, and its messages up to the first that a model wrote. A
 * log that has grown begins as before, so it is still the same thread; two sessions with one task part at the model's
 * first words or at the ids that the provider gave its calls. A log in which cache markers move from message to message
 * has no stable beginning: there it is the SHA-256 of all bytes.
 */
export function openingOf(
  source: SourceText,
  frame: ForeignObject,
  messages: readonly unknown[],
  isAnswer: (message: unknown) => boolean,
): string {
  if (source.text.includes(MOVING_MARKER)) return source.sha256;
  const answer = messages.findIndex(isAnswer);
  const opening = answer === -1 ? messages : messages.slice(0, answer + 1);
  try {
    return sha256(JSON.stringify([IDENTIFYING.map((field) => frame[field]), opening]));
  } catch {
    // Nested deeper than can be written out.
    return source.sha256;
  }
}

/**
 * What the ids of messages begin with where the log gives its messages none: a short hash of the opening, so that ids
 * of different sessions differ and those of one session stay when its log grows.
 */
export const seedOf = (opening: string): string => opening.slice(0, 8);
