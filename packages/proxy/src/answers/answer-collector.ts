import { StringDecoder } from "node:string_decoder";
import { createParser, type EventSourceParser } from "eventsource-parser";
import type { ProviderApi, ReadAnswer, StreamedAnswer, WireObject } from "../apis/provider-api.ts";
import { objectOf, parsedObject } from "../apis/wire-value.ts";

/** What was read from a provider's answer while it was passed on. */
export interface CollectedAnswer {
  /** Undefined when the answer was cut off or is not an answer of the model. */
  readonly answer?: ReadAnswer;
  /** The error that the provider reported in the answer, such as in the middle of a stream. */
  readonly failure?: unknown;
}

/** Reads an answer while its bytes are passed on: the events of a stream, or one JSON document. */
export class AnswerCollector {
  readonly #api: ProviderApi;
  readonly #text = new StringDecoder("utf8");
  readonly #events: { readonly parser: EventSourceParser; readonly answer: StreamedAnswer } | undefined;
  readonly #limit: number;
  #document = "";
  #failure: unknown;

  /**
   * @param isStream true when the bytes are server-sent events.
   * @param limit the most UTF-16 code units that are buffered; a longer answer is not read.
   */
  constructor(api: ProviderApi, isStream: boolean, limit: number) {
    this.#api = api;
    this.#limit = limit;
    if (!isStream) return;
    const answer = api.streamedAnswer();
    const onEvent = ({ data }: { readonly data: string }) => this.#take(parsedObject(data), answer);
    this.#events = { answer, parser: createParser({ onEvent, maxBufferSize: limit }) };
  }

  add(bytes: Buffer): void {
    const text = this.#text.write(bytes);
    if (this.#events !== undefined) this.#events.parser.feed(text);
    else if (this.#document.length <= this.#limit) this.#document += text;
  }

  /** Returns what was read; called when all bytes of the answer were added. */
  end(): CollectedAnswer {
    const whole = this.#events === undefined ? this.#parsedDocument() : this.#events.answer.whole();
    const answer = whole === undefined ? undefined : this.#api.answerOf(whole);
    return {
      ...(answer !== undefined && { answer }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
    };
  }

  #take(event: WireObject | undefined, answer: StreamedAnswer): void {
    if (event === undefined) return;
    // Responses also has an event that is the error itself.
    const own = event["type"] === "error" ? event : undefined;
    const failure = event["error"] ?? objectOf(event["response"])?.["error"] ?? own;
    if (failure !== undefined && failure !== null) this.#failure = failure;
    answer.add(event);
  }

  #parsedDocument(): WireObject | undefined {
    return this.#document.length > this.#limit ? undefined : parsedObject(this.#document);
  }
}
