import { sha256 } from "@threadfold/core";
import type { ForeignObject } from "../reading/foreign-value.ts";
import type { SourceText } from "../reading/source-text.ts";

/** Core takes ids of at most 512 UTF-16 code units; this leaves room for a suffix. */
const MAX_LENGTH = 480;
const KEPT_LENGTH = 400;

/** An id of a log as core can carry it: without lone surrogates, and a very long one cut and marked by its hash. */
export function shortId(id: string): string {
  const wellFormed = id.toWellFormed();
  if (wellFormed.length <= MAX_LENGTH) return wellFormed;
  return `${wellFormed.slice(0, KEPT_LENGTH).toWellFormed()}~${sha256(wellFormed).slice(0, 16)}`;
}

/** Hands out ids, each once. */
export class UniqueIds {
  readonly #taken = new Set<string>();
  /** How often an id was asked for again, so that a much repeated one is not searched for from the start. */
  readonly #repeats = new Map<string, number>();

  /** The wanted id, or one derived from it when it is taken or too long. */
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

/** Fields of a document that tell one session from another and never change while it grows. */
const IDENTIFYING = [
  ...["session_id", "sessionId", "conversation_id", "thread_id", "instance_id"],
  ...["task_id", "trial", "source_index", "task", "start_time"],
];

/** A field whose place moves as a conversation grows: nothing can be told from how such a log begins. */
const MOVING_MARKER = '"cache_control"';

/**
 * SHA-256 of how a session begins: what tells it from others, and its messages up to the first that a model wrote. A
 * log that has grown begins as before, so it is still the same thread; two sessions with the same task diverge at the
 * model's first words or at the ids that the provider assigned to its calls. A log in which cache markers move from
 * message to message has no stable beginning: there it is the SHA-256 of all bytes.
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
 * What the ids of messages begin with where the log has none for them: a short hash of the opening, so that ids of
 * different sessions differ and those of one session stay when its log grows.
 */
export const seedOf = (opening: string): string => opening.slice(0, 8);
