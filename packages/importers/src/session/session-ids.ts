import { sha256 } from "@threadfold/core";
import type { ForeignObject } from "../reading/foreign-value.ts";
import type { SourceText } from "../reading/source-text.ts";

/** Core accepts ids of at most 512 UTF-16 code units; this leaves room for a suffix. */
const MAX_LENGTH = 480;
const KEPT_LENGTH = 400;

/**
 * Returns an id that every store takes: without lone surrogates and NUL, and with a very long one cut and marked by its
 * hash.
 */
export function shortId(id: string): string {
  const wellFormed = id.toWellFormed().replaceAll("\0", "\uFFFD");
  if (wellFormed.length <= MAX_LENGTH) return wellFormed;
  return `${wellFormed.slice(0, KEPT_LENGTH).toWellFormed()}~${sha256(wellFormed).slice(0, 16)}`;
}

/** Issues ids, each only once. */
export class UniqueIds {
  readonly #taken = new Set<string>();
  /** How often an id was requested again, so that the search for a suffix does not restart from the beginning. */
  readonly #repeats = new Map<string, number>();

  /** Returns the wanted id, or one derived from it when it is taken or too long. */
  take(wanted: string): string {
    const short = shortId(wanted);
    let id = short;
    while (this.#taken.has(id)) {
      const repeat = (this.#repeats.get(short) ?? 1) + 1;
      this.#repeats.set(short, repeat);
      id = `${short}~${repeat}`;
    }
    this.#taken.add(id);
    return id;
  }
}

/** Fields of a document that distinguish sessions and never change while a session grows. */
const IDENTIFYING = [
  ...["session_id", "sessionId", "conversation_id", "thread_id", "instance_id"],
  ...["task_id", "trial", "source_index", "task", "start_time"],
];

/** A field that moves as a conversation grows: the beginning of a log that contains it is not stable. */
const MOVING_MARKER = '"cache_control"';

/**
 * Returns the SHA-256 of how a session begins: the fields that identify it, and its messages up to the first that a
 * model wrote. A log that has grown begins as before, so it is still the same thread; two sessions with the same task
 * diverge at the model's first words or at the ids that the provider assigned to its calls. A log in which cache
 * markers move between messages has no stable beginning, so the SHA-256 of all bytes is used.
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
    // The nesting is too deep to serialize.
    return source.sha256;
  }
}

/**
 * Returns the prefix for ids of messages that have none in the log: a short hash of the opening, so that ids differ
 * between sessions and stay the same when a session's log grows.
 */
export const seedOf = (opening: string): string => opening.slice(0, 8);
