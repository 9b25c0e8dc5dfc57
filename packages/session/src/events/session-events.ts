import {
  type Clock,
  type CompactionEventListener,
  type ContextCompactionEvent,
  type JsonValue,
  sha256,
  type ThreadId,
  tellListener,
} from "@threadfold/core";
import { redactJson } from "@threadfold/summarizers";
import type { SessionOptions } from "../host/session-options.ts";

/** Hands events to a session's listener, and names its attempts to fold. What the listener throws is ignored. */
export class SessionEvents {
  readonly #listener: CompactionEventListener | undefined;
  readonly #redacts: boolean;
  readonly #threadId: ThreadId;
  readonly #openedAt: number;
  #attempts = 0;

  constructor({ onEvent, redactSecrets = true, threadId }: SessionOptions, clock: Clock) {
    this.#listener = onEvent;
    this.#redacts = redactSecrets;
    this.#threadId = threadId;
    this.#openedAt = clock.now();
  }

  /** A name for the next attempt: another one for each of a session, and for each session that is opened at another time. */
  nextFoldId(): string {
    this.#attempts++;
    return `fold-${sha256(`${this.#threadId}\n${this.#openedAt}\n${this.#attempts}`).slice(0, 16)}`;
  }

  emit(event: ContextCompactionEvent): void {
    tellListener(this.#listener, event);
  }

  /** Emits an event that may quote what stood in messages, without the secrets in it. */
  async emitRedacted(event: ContextCompactionEvent): Promise<void> {
    if (this.#listener === undefined) return;
    this.emit(this.#redacts ? await redactedEvent(event) : event);
  }
}

/**
 * An event without secrets. Most events carry ids and figures alone and come back as they are; an outcome brings its plan
 * along, and a plan quotes key fields of results and arguments of calls.
 */
async function redactedEvent(event: ContextCompactionEvent): Promise<ContextCompactionEvent> {
  if (event.type !== "compaction_completed" || !("plan" in event.outcome)) return event;
  return (await redactJson(event as unknown as JsonValue)) as unknown as ContextCompactionEvent;
}
