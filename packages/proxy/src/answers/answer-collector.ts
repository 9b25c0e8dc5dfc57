import { StringDecoder } from "node:string_decoder";
import { createParser, type EventSourceParser } from "eventsource-parser";
import type { ProviderApi, ReadAnswer, StreamedAnswer, WireObject } from "../apis/provider-api.ts";
import { objectOf, parsedObject } from "../apis/wire-value.ts";

/** What was read on the side of an answer that passed by. */
export interface CollectedAnswer {
  /** Undefined when the answer was cut off, or is none. */
  readonly answer?: ReadAnswer;
  /** What the provider said in mid-stream that it failed for. */
  readonly failure?: unknown;
}

/** Reads an answer while its bytes pass by: the events of a stream, or one JSON document. */
export class AnswerCollector {
  readonly #api: ProviderApi;
  readonly #text = new StringDecoder("utf8");
  readonly #events: { readonly parser: EventSourceParser; readonly answer: StreamedAnswer } | undefined;
  readonly #limit: number;
  #document = "";
  #failure: unknown;

  /**
   * @param isStream whether the bytes are server-sent events.
   * @param limit of what is kept, in characters: an answer beyond it is not read.
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

  /** What the answer was, once all of it has passed. */
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
    const failure = event["error"] ?? objectOf(event["response"])?.["error"];
    if (failure !== undefined && failure !== null) this.#failure = failure;
    answer.add(event);
  }

  #parsedDocument(): WireObject | undefined {
    return this.#document.length > this.#limit ? undefined : parsedObject(this.#document);
  }
}
