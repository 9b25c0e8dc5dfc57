import type { IncomingMessage, ServerResponse } from "node:http";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { modelCallError, ThreadfoldError } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import { AnswerCollector } from "./answers/answer-collector.ts";
import { anthropicMessages } from "./apis/anthropic-messages.ts";
import { openaiChat } from "./apis/openai-chat.ts";
import { openaiResponses } from "./apis/openai-responses.ts";
import type { Provider, ProviderApi } from "./apis/provider-api.ts";
import { parsedObject } from "./apis/wire-value.ts";
import type { Conversation, ReadRequest, Turn } from "./conversations/conversation.ts";
import type { Conversations } from "./conversations/conversations.ts";
import type { Address } from "./http/address.ts";
import { contentDecoder, readBody } from "./http/body.ts";
import { answerHeaders } from "./http/headers.ts";
import type { Upstream } from "./http/upstream.ts";

const APIS: readonly ProviderApi[] = [anthropicMessages, openaiChat, openaiResponses];

/** Returns the API that a request is for; undefined for a request that is passed on unread. */
const apiAt = (provider: Provider, path: string): ProviderApi | undefined =>
  APIS.find((api) => api.provider === provider && path.endsWith(api.path));

/** A turn of a conversation that passed through the proxy. */
export type ProxiedTurn = Pick<Turn, "type" | "threadId" | "tokens" | "outcome">;

/** What all exchanges of a proxy share. */
export interface ExchangeParts {
  readonly upstream: Upstream;
  readonly conversations: Conversations;
  readonly addresses: Readonly<Record<Provider, URL>>;
  readonly maxBodyBytes: number;
  readonly onTurn: (turn: ProxiedTurn) => void;
  /** Called with errors that prevent reading or folding a conversation, or recording an answer; both are passed on. */
  readonly onProblem: (error: unknown) => void;
  /** The same, but each message is reported only once. */
  readonly onLastingProblem: (problem: ThreadfoldError) => void;
}

/** A request whose body was read, and its conversation if that could be read. */
interface Understood {
  readonly bytes: Buffer;
  readonly read?: ReadRequest;
}

/** A turn whose request can be sent. */
type SentTurn = Exclude<Turn, { readonly type: "refused" }>;

/** One request of a client, from its headers to the last byte of its answer. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #address: Address;
  readonly #gone = new AbortController();

  constructor(parts: ExchangeParts, incoming: IncomingMessage, outgoing: ServerResponse, address: Address) {
    this.#parts = parts;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#address = address;
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) this.#gone.abort(new ThreadfoldError("ABORTED", "The client disconnected."));
    });
  }

  /** Handles the request. @throws the error of the connection to the provider when it fails. */
  async run(): Promise<void> {
    const { method, headers } = this.#incoming;
    const { provider, path } = this.#address;
    // Traffic over an upgraded socket cannot be read here; a client that is told so falls back to HTTP.
    // Other offers, such as HTTP/2 by Java's own client, may be ignored.
    if (/websocket/i.test(headers.upgrade ?? ""))
      return sendJson(this.#outgoing, 426, problem("The proxy speaks plain HTTP."));
    const place = path.replace(/\?.*$/, "");
    const api = method === "POST" ? apiAt(provider, place) : undefined;
    const coding = headers["content-encoding"];
    // An encoded body is not read; few clients send one.
    if (api !== undefined && coding !== undefined) this.#parts.onLastingProblem(unreadCoding(place, coding));
    if (api === undefined || coding !== undefined) return this.#pass(await this.#send());
    const bytes = await readBody(this.#incoming, this.#parts.maxBodyBytes);
    if (bytes === null) return this.#refuseLength();
    const body = parsedObject(bytes.toString("utf8"));
    if (body === undefined) this.#parts.onProblem(noJson(place));
    const values = body && api.conversationOf(body);
    const read = values && body && { api, body, headers, values };
    return read === undefined ? this.#pass(await this.#send(bytes)) : this.#converse({ bytes, read }, read);
  }

  async #converse(understood: Understood, read: ReadRequest): Promise<void> {
    const conversation = await this.#guarded(() => this.#parts.conversations.of(read));
    const turn = conversation && (await this.#turn(conversation, read));
    if (conversation === undefined || turn === undefined) return this.#pass(await this.#send(understood.bytes));
    if (turn.type === "refused") return sendJson(this.#outgoing, turn.refusal.status, turn.refusal.body);
    const answer = await this.#send(bytesOf(turn, understood), true);
    if (isRefusal(answer)) return this.#takeRefusal(answer, { understood, read, conversation, turn });
    return this.#collect(answer, { read, conversation, turn });
  }

  /** Prepares the request of a turn and reports the turn; returns undefined when that failed. */
  async #turn(conversation: Conversation, read: ReadRequest): Promise<Turn | undefined> {
    const turn = await this.#guarded(() => conversation.turn(read, this.#gone.signal));
    if (turn === undefined) return undefined;
    const { type, threadId, tokens, outcome } = turn;
    this.#parts.onTurn({ type, threadId, tokens, outcome });
    return turn;
  }

  /**
   * If the provider refuses a request as too long, folds and retries once; any other refusal is passed to the client.
   */
  async #takeRefusal(
    answer: IncomingMessage,
    { understood, read, conversation, turn }: Conversing & { readonly understood: Understood },
  ): Promise<void> {
    const bytes = await readBody(answer, this.#parts.maxBodyBytes);
    if (bytes === null) return sendJson(this.#outgoing, 502, problem("The provider's error response is too long."));
    const coding = answer.headers["content-encoding"];
    if (contentDecoder(coding) === undefined) this.#parts.onLastingProblem(unreadable(coding));
    const retry = await this.#guarded(() => canRetry(turn.session, answer, bytes), notRecorded);
    const again = retry === true ? await this.#turn(conversation, read) : undefined;
    if (again === undefined || again.type === "refused") return this.#passBytes(answer, bytes);
    const second = await this.#send(bytesOf(again, understood), true);
    return isRefusal(second) ? this.#pass(second) : this.#collect(second, { read, conversation, turn: again });
  }

  /** Passes an answer on, byte for byte as it comes, and reads a copy. */
  async #collect(answer: IncomingMessage, { read, conversation, turn }: Conversing): Promise<void> {
    const coding = answer.headers["content-encoding"];
    const decoder = contentDecoder(coding);
    if (decoder === undefined) {
      this.#parts.onLastingProblem(unreadable(coding));
      return this.#pass(answer);
    }
    const isStream = (answer.headers["content-type"] ?? "").includes("text/event-stream");
    const collector = new AnswerCollector(read.api, isStream, this.#parts.maxBodyBytes);
    const collected = this.#guarded(async () => {
      await readThrough(answer, decoder, (piece) => collector.add(piece));
      await conversation.answered(read, turn.session, collector.end());
    }, notRecorded);
    answer.on("data", (piece: Buffer) => decoder.write(piece));
    answer.once("end", () => decoder.end());
    answer.once("close", () => !answer.complete && decoder.destroy());
    // The client's last byte waits for nothing; the exchange ends when the answer is also recorded.
    const [passed] = await Promise.allSettled([this.#pass(answer), collected]);
    if (passed.status === "rejected") throw passed.reason;
  }

  async #send(body?: Buffer, isAnswerRead = false): Promise<IncomingMessage> {
    const { upstream, addresses } = this.#parts;
    const { provider, path } = this.#address;
    return upstream.send({
      incoming: this.#incoming,
      base: addresses[provider],
      path,
      isAnswerRead,
      signal: this.#gone.signal,
      ...(body !== undefined && { body }),
    });
  }

  async #pass(answer: IncomingMessage): Promise<void> {
    this.#writeHead(answer);
    await pipeline(answer, this.#outgoing);
  }

  async #passBytes(answer: IncomingMessage, bytes: Buffer): Promise<void> {
    this.#writeHead(answer);
    await pipeline(Readable.from([bytes]), this.#outgoing);
  }

  #writeHead(answer: IncomingMessage): void {
    this.#outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, [...answerHeaders(answer)]);
    this.#outgoing.flushHeaders();
  }

  /** The rest of the body is read and dropped: a client hears an answer only on an open connection. */
  #refuseLength(): void {
    this.#incoming.resume();
    sendJson(this.#outgoing, 413, problem(`The body is longer than ${this.#parts.maxBodyBytes} bytes.`));
  }

  /**
   * Reports an error of Threadfold instead of throwing it, so that request and answer are still passed on unless the
   * client is gone.
   *
   * @param told what is reported; by default the error itself, which prevented folding.
   */
  async #guarded<Result>(
    work: () => Promise<Result>,
    told: (error: unknown) => unknown = (error) => error,
  ): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#gone.signal.throwIfAborted();
      this.#parts.onProblem(told(error));
      return undefined;
    }
  }
}

/** A turn that was sent, and the conversation that it belongs to. */
interface Conversing {
  readonly read: ReadRequest;
  readonly conversation: Conversation;
  readonly turn: SentTurn;
}

const bytesOf = (turn: SentTurn, { bytes }: Understood): Buffer =>
  turn.type === "folded" ? Buffer.from(JSON.stringify(turn.body)) : bytes;

const isRefusal = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 400;

/** Reads an answer that is passed on meanwhile. @throws what {@link whyUnread} returns. */
async function readThrough(
  answer: IncomingMessage,
  decoder: AsyncIterable<Buffer>,
  add: (piece: Buffer) => void,
): Promise<void> {
  try {
    for await (const piece of decoder) add(piece);
  } catch (cause) {
    throw whyUnread(answer, cause);
  }
}

/** Returns an error that says, as a clause, why an answer cannot be read. */
function whyUnread({ destroyed, complete, headers }: IncomingMessage, cause: unknown): Error {
  if (destroyed && !complete) return new Error("it broke off before its end", { cause });
  const { message } = cause as Error;
  return new Error(`it is no valid ${headers["content-encoding"]} (${message})`, { cause });
}

async function canRetry(session: ContextSession, answer: IncomingMessage, bytes: Buffer): Promise<boolean> {
  const decoder = contentDecoder(answer.headers["content-encoding"]);
  const text = decoder && (await decoded(bytes, decoder).catch((cause) => Promise.reject(whyUnread(answer, cause))));
  const said = parsedObject(text?.toString("utf8") ?? "");
  return (await session.failed({ status: answer.statusCode, ...said })).retry;
}

const decoded = (bytes: Buffer, decoder: Duplex): Promise<Buffer | null> =>
  readBody(Readable.from([bytes]).pipe(decoder), MOST_REFUSAL_BYTES);

/** The longest refusal that is read, in bytes; a longer one is not about the length of a prompt. */
const MOST_REFUSAL_BYTES = 1_000_000;

const noJson = (path: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_JSON", `The body of ${path} is no JSON object.`);

const unreadCoding = (path: string, coding: string): ThreadfoldError =>
  new ThreadfoldError(
    "UNKNOWN_FORMAT",
    `The body of ${path} has the content encoding ${coding}, in which conversations are not read.`,
    { hint: "Have the client send its requests without compression." },
  );

const unreadable = (coding = ""): ThreadfoldError =>
  new ThreadfoldError(
    "MODEL_CALL_FAILED",
    `Answers with the content encoding ${coding} cannot be read: they are passed on, but their usage is not recorded.`,
    { hint: "Have the provider answer in gzip, br or without compression; zstd needs Node 22.15." },
  );

function notRecorded(error: unknown): ThreadfoldError {
  const why = error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
  const message = `The provider's answer was passed on, but not recorded: ${why}.`;
  return modelCallError(message, { kind: "unavailable" }, error);
}

/** Returns a problem of the proxy itself, in the format that both providers use for errors. */
export const problem = (message: string) => ({
  type: "error",
  error: { type: "threadfold_proxy_error", message },
});

export function sendJson(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
