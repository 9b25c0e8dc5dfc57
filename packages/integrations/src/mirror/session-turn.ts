import { isDeepStrictEqual } from "node:util";
import type { Clock, JsonObject, MessageInput } from "@threadfold/core";
import { type LiveFormat, type MessageReader, messageReader } from "@threadfold/importers";
import {
  type CompletedResponse,
  type ContextSession,
  type ModelResponse,
  type RequestFrame,
  systemClock,
  type ToolCall,
} from "@threadfold/session";
import { askModel } from "./ask-model.ts";
import { withoutPositions } from "./read-once.ts";

/** One provider's SDK, as far as a loop needs it. */
export interface ModelDoor<Answer> {
  readonly format: LiveFormat;
  /** What the host sends beside the conversation; the session's own frame holds when it is left out. */
  readonly frame?: RequestFrame;
  /** Sends a request of the session. */
  ask(payload: JsonObject, signal: AbortSignal | undefined): Promise<Answer>;
  /** The answer as the session takes it. */
  read(answer: Answer): ModelResponse;
}

/** What one call of the model came to. */
export interface AnsweredTurn<Answer> extends Pick<CompletedResponse, "retry"> {
  readonly answer: Answer;
  /** Ids of calls that the output limit cut off: they are not in the thread and must not be run. */
  readonly discarded: ReadonlySet<ToolCall["callId"]>;
}

/** How a turn is made. */
export interface SessionTurnOptions {
  readonly session: ContextSession;
  /** Gives messages their time. The machine's clock by default. */
  readonly clock?: Clock;
}

/** The loop of a provider's SDK over a session: say something, ask the model, take in what it answered. */
export class SessionTurn<Answer> {
  readonly #door: ModelDoor<Answer>;
  readonly #session: ContextSession;
  readonly #clock: Clock;
  readonly #reader: MessageReader;
  /** Where the next message stands: ids are made of it. */
  #next = 0;
  /** What was read and could not be appended: saying it again appends the same. */
  #unwritten: { readonly values: readonly unknown[]; readonly messages: readonly MessageInput[] } | undefined;

  constructor(door: ModelDoor<Answer>, { session, clock = systemClock }: SessionTurnOptions) {
    this.#door = door;
    this.#session = session;
    this.#clock = clock;
    this.#reader = messageReader(door.format, { seed: session.threadId });
  }

  /** Appends what the user said or what tools gave back. @throws ThreadfoldError as `ContextSession.append` does. */
  async tell(values: readonly unknown[]): Promise<void> {
    const again = this.#unwritten;
    const messages =
      again !== undefined && isDeepStrictEqual(again.values, values) ? again.messages : this.#read(values);
    this.#unwritten = { values, messages };
    await this.#session.append(messages);
    this.#unwritten = undefined;
  }

  /** Asks the model and takes in its answer. @throws what the SDK throws, but for an overflow that folding helps against. */
  async step(signal?: AbortSignal): Promise<AnsweredTurn<Answer>> {
    const { frame } = this.#door;
    const options = { ...(frame !== undefined && { frame }), ...(signal !== undefined && { signal }) };
    const answer = await askModel(this.#session, options, ({ payload }) => this.#door.ask(payload, signal));
    const { discarded, retry } = await this.#session.complete(this.#dated(this.#door.read(answer)));
    return { answer, discarded: new Set(discarded.map(({ callId }) => callId)), retry };
  }

  #read(values: readonly unknown[]): readonly MessageInput[] {
    const position = Math.max(this.#next, this.#session.thread.length);
    this.#next = position + values.length;
    return this.#reader.read(values, { position, now: this.#clock.now() }).map(withoutPositions);
  }

  #dated(response: ModelResponse): ModelResponse {
    const createdAt = new Date(this.#clock.now()).toISOString();
    return { ...response, messages: response.messages.map((message) => ({ ...message, createdAt })) };
  }
}
