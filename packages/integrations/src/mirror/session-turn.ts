import { isDeepStrictEqual } from "node:util";
import {
  type AgentThread,
  asMessageId,
  asToolCallId,
  type Clock,
  type JsonObject,
  type Message,
  type MessageId,
  type MessageInput,
  type Part,
  ThreadfoldError,
  type ToolCallId,
  type ToolResultPart,
  type Usage,
} from "@threadfold/core";
import { type LiveFormat, type MessageReader, messageReader, type ReadOptions, shortId } from "@threadfold/importers";
import {
  type CompletedResponse,
  type ContextSession,
  type FrameFields,
  type ModelResponse,
  type PreparedRequest,
  systemClock,
  type ToolCall,
  type UsageReport,
} from "@threadfold/session";
import { askModel } from "./ask-model.ts";
import { recallNames, runRecall } from "./recall-tools.ts";

/** The operations of a provider's SDK that a loop needs. */
export interface ModelDoor<Answer> {
  readonly format: LiveFormat;
  /** Name of the model that is called. */
  readonly model: string | undefined;
  /** What the host sends besides the conversation; fields that are left out come from the session's own frame. */
  readonly frame?: FrameFields;
  /** Sends a request of the session. */
  ask(payload: JsonObject, signal: AbortSignal | undefined, betas: readonly string[]): Promise<Answer>;
  /** Converts the answer to a response for the session. */
  read(answer: Answer): ModelResponse;
  /** Whether the host must run calls of the answer that the thread keeps as opaque parts. None by default. */
  hasOpaqueCalls?(answer: Answer): boolean;
}

/**
 * What the session reports about the request that was answered: the result of folding, warnings about what was left out
 * (unsigned reasoning of a message once), and the provider's rules that the request breaks, which is sent all the same.
 */
export type RequestNotes = Pick<PreparedRequest, "outcome" | "warnings" | "violations">;

/** The result of one step of a loop. */
export interface AnsweredTurn<Answer> extends RequestNotes {
  readonly answer: Answer;
  /** Ids of calls that the host must not run: those that the output limit cut off and those that were answered here. */
  readonly settled: ReadonlySet<ToolCall["callId"]>;
  /**
   * True when the model should be asked again: after an answer that was cut off, or while it is still using recall
   * tools.
   */
  readonly retry: boolean;
}

/** Options of every loop over a session. */
export interface SessionTurnOptions {
  /** The session that makes the requests. */
  readonly session: ContextSession;
  /** Dates the messages. The machine's clock by default. */
  readonly clock?: Clock;
}

/** How often in a row a step asks the model again because it called nothing but the recall tools. */
const RECALL_ROUNDS = 20;

/** How often an answer is appended anew when others append to the same thread. */
const TRIES = 5;

/**
 * The loop of a provider's SDK over a session: append a message, ask the model, append its answer. Calls of
 * `read_artifact` and `search_thread`, when the request offers them, are answered here; when the model called nothing
 * else, it is asked again at once.
 */
export class SessionTurn<Answer> {
  readonly #door: ModelDoor<Answer>;
  readonly #session: ContextSession;
  readonly #clock: Clock;
  readonly #reader: MessageReader;
  /** The position of the next message, from which its id is made. */
  #next = 0;
  /**
   * Messages that were read but could not be appended, so that passing the same values again appends the same messages.
   */
  #unwritten: { readonly values: readonly unknown[]; readonly messages: readonly MessageInput[] } | undefined;
  /** Messages whose unsigned reasoning the host was told of. Every request leaves it out: once is enough. */
  readonly #told = new Set<MessageId>();

  constructor(door: ModelDoor<Answer>, { session, clock = systemClock }: SessionTurnOptions) {
    this.#door = door;
    this.#session = session;
    this.#clock = clock;
    this.#reader = messageReader(door.format, { seed: session.threadId });
  }

  /** Appends what the user said or what tools returned. @throws ThreadfoldError as `ContextSession.append` does. */
  async tell(values: readonly unknown[]): Promise<void> {
    const again = this.#unwritten;
    const isRepeated = again !== undefined && isDeepStrictEqual(again.values, values);
    try {
      await this.#write(values, isRepeated ? again.messages : this.#read(values));
    } catch (error) {
      if (!isError(error, "DUPLICATE_MESSAGE_ID")) throw error;
      // Another writer took these positions.
      await this.#write(values, this.#read(values));
    }
  }

  async #write(values: readonly unknown[], messages: readonly MessageInput[]): Promise<void> {
    this.#unwritten = { values, messages };
    await this.#session.append(await this.#named(messages));
    this.#unwritten = undefined;
  }

  /**
   * Asks the model and appends its answer.
   *
   * @throws what the SDK throws, except for an overflow that folding resolves, and what `ContextSession.prepare`
   *   throws.
   */
  async step(signal?: AbortSignal): Promise<AnsweredTurn<Answer>> {
    for (let round = 1; ; round++) {
      const { answered, calls, request } = await this.#ask(signal);
      const names = recallNames(request.request.tools);
      const own = calls.filter(({ toolName }) => names.has(toolName));
      if (own.length > 0) await this.#afterOthers(async () => this.#session.append(await this.#resultsOf(own)));
      const settled = new Set([...answered.settled, ...own.map(({ callId }) => callId)]);
      const isForHost = own.length < calls.length || (this.#door.hasOpaqueCalls?.(answered.answer) ?? false);
      const isReading = own.length > 0 && !isForHost;
      if (!isReading || round === RECALL_ROUNDS) {
        const warnings = this.#untold(answered.warnings);
        return { ...answered, warnings, settled, retry: answered.retry || isReading };
      }
      signal?.throwIfAborted();
    }
  }

  #untold(warnings: RequestNotes["warnings"]): RequestNotes["warnings"] {
    return warnings.flatMap((warning) => {
      if (warning.kind !== "reasoning-left-out" || warning.reason !== "not-signed") return [warning];
      const messageIds = warning.messageIds.filter((id) => !this.#told.has(id));
      for (const id of messageIds) this.#told.add(id);
      return messageIds.length === 0 ? [] : [{ ...warning, messageIds }];
    });
  }

  async #ask(signal: AbortSignal | undefined): Promise<{
    readonly answered: AnsweredTurn<Answer>;
    /** The calls of the answer, as appended to the thread. */
    readonly calls: readonly ToolCall[];
    readonly request: PreparedRequest;
  }> {
    const { frame, model } = this.#door;
    const options = { model, ...(frame !== undefined && { frame }), ...(signal !== undefined && { signal }) };
    const { answer, request } = await askModel(this.#session, options, async (prepared) => ({
      answer: await this.#door.ask(prepared.payload, signal, prepared.betas),
      request: prepared,
    }));
    const completed = await this.#complete(answer);
    const settled = new Set(completed.discarded.map(({ callId }) => callId));
    const { outcome, warnings, violations } = request;
    const answered = { answer, settled, retry: completed.retry, outcome, warnings, violations };
    return { answered, calls: callsIn(completed.appended), request };
  }

  /** @throws what `ContextSession.complete` throws; a `VERSION_CONFLICT` with the answer in its details. */
  async #complete(answer: Answer): Promise<CompletedResponse> {
    const response = this.#dated(this.#door.read(answer));
    const append = () => this.#session.complete(response);
    try {
      // A provider's compaction replaces all that is before it, and so would replace what others said meanwhile.
      return await (holdsCompaction(response) ? append() : this.#afterOthers(append));
    } catch (error) {
      if (!isError(error, "VERSION_CONFLICT")) throw error;
      throw new ThreadfoldError(error.code, error.message, {
        hint: "The model's answer is in `details.answer`. Call refresh(), and step() to ask the model again.",
        details: { ...error.details, answer },
        cause: error,
      });
    }
  }

  /** Appends what must not be lost, after what other writers appended meanwhile. */
  async #afterOthers<Result>(append: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await append();
      } catch (error) {
        if (!isError(error, "VERSION_CONFLICT") || attempt === TRIES) throw error;
        await this.#session.refresh();
      }
    }
  }

  async #resultsOf(calls: readonly ToolCall[]): Promise<readonly MessageInput[]> {
    const first = this.#take(calls.length);
    return Promise.all(
      calls.map(async ({ callId, toolName, input }, index): Promise<MessageInput> => {
        const text = await runRecall(this.#session, toolName, input);
        const result = { callId, toolName, outcome: "success" as const, content: { type: "text" as const, text } };
        return {
          id: asMessageId(`${this.#session.threadId}-${first + index}`),
          role: "tool",
          createdAt: this.#now(),
          parts: [{ type: "tool-result", result }],
        };
      }),
    );
  }

  #read(values: readonly unknown[]): readonly MessageInput[] {
    const position = this.#take(values.length);
    return this.#reader.read(values, { position, now: this.#clock.now() }).map(withoutPositions);
  }

  /**
   * Gives results the names of the tools that were called. The calls are in the thread: the reader of what a host says
   * sees no answers, and none of what another process did with the thread.
   */
  async #named(messages: readonly MessageInput[]): Promise<readonly MessageInput[]> {
    const own = new Set(callsIn(messages).map(({ callId }) => callId));
    const wanted = new Set(resultsIn(messages).flatMap(({ result: { callId } }) => (own.has(callId) ? [] : [callId])));
    if (wanted.size === 0) return messages;
    let names = toolNames(this.#session.thread, wanted);
    if (names.size < wanted.size && !this.#session.thread.isWhole) {
      await this.#session.loadHistory();
      names = toolNames(this.#session.thread, wanted);
    }
    return messages.map((message) => ({ ...message, parts: message.parts.map((part) => withToolName(part, names)) }));
  }

  /** Reserves positions for this many messages and returns the first. */
  #take(count: number): number {
    const position = Math.max(this.#next, this.#session.thread.length);
    this.#next = position + count;
    return position;
  }

  #dated(response: ModelResponse): ModelResponse {
    const createdAt = this.#now();
    return { ...response, messages: response.messages.map((message) => ({ ...message, createdAt })) };
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

/** Checks whether a call is settled, by the id that the provider gave it: the thread shortens a very long one. */
export const isSettled = (id: string, settled: AnsweredTurn<unknown>["settled"]): boolean =>
  settled.has(asToolCallId(shortId(id)));

const holdsCompaction = ({ messages }: ModelResponse): boolean =>
  messages.some(({ parts }) =>
    parts.some((part) => part.type === "opaque" && Object(part.value).type === "compaction"),
  );

const isError = (error: unknown, code: ThreadfoldError["code"]): error is ThreadfoldError =>
  ThreadfoldError.isInstance(error) && error.code === code;

const callsIn = (messages: readonly MessageInput[]): readonly ToolCall[] =>
  messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));

const resultsIn = (messages: readonly MessageInput[]): readonly ToolResultPart[] =>
  messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result"));

/**
 * Returns the tools of these calls, of those that are in memory. Ids may be used again: the newest call with an id
 * counts.
 */
function toolNames(thread: AgentThread, wanted: ReadonlySet<ToolCallId>): ReadonlyMap<ToolCallId, string> {
  const names = new Map<ToolCallId, string>();
  for (const message of newestFirst(thread)) {
    for (const { callId, toolName } of callsIn([message]).toReversed())
      if (wanted.has(callId) && !names.has(callId)) names.set(callId, toolName);
    if (names.size === wanted.size) break;
  }
  return names;
}

/** The messages in memory. A whole thread is walked from its end, so that its old messages cost nothing. */
function* newestFirst(thread: AgentThread): Iterable<Message> {
  if (!thread.isWhole) return yield* [...thread.messagesInMemory()].toReversed();
  for (let ordinal = thread.length - 1; ordinal >= 0; ordinal--) yield* thread.messagesBetween(ordinal, ordinal + 1);
}

function withToolName(part: Part, names: ReadonlyMap<ToolCallId, string>): Part {
  const toolName = part.type === "tool-result" ? names.get(part.result.callId) : undefined;
  return part.type !== "tool-result" || toolName === undefined
    ? part
    : { ...part, result: { ...part.result, toolName } };
}

/** Returns an answer's id, or a random one where the provider, or a server that imitates it, gave none. */
export const idOfAnswer = (id: unknown): string =>
  typeof id === "string" && id !== "" ? id : globalThis.crypto.randomUUID();

/**
 * Reads a standalone answer, which belongs to no list and so has no position in one. An answer without an id gets a
 * random one: two such answers are two messages, even if they say the same.
 */
export const readOnce = (
  format: LiveFormat,
  values: readonly unknown[],
  options?: ReadOptions,
): readonly MessageInput[] =>
  messageReader(format, { seed: idOfAnswer(undefined) })
    .read(values, options)
    .map(withoutPositions);

/** Removes a message's position in a host's list, for messages that arrive one by one and mirror no list. */
function withoutPositions({ metadata = {}, ...message }: MessageInput): MessageInput {
  const { positions: _positions, ...notes } = metadata;
  return Object.keys(notes).length === 0 ? message : { ...message, metadata: notes satisfies JsonObject };
}

/** Converts the usage that a message reports to a report for the session; empty when the provider reported none. */
export function reportOf(usage: Usage | undefined): Pick<ModelResponse, "usage"> {
  if (usage === undefined) return {};
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, compaction } = usage;
  const report: NonNullable<ModelResponse["usage"]> = {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(compaction !== undefined && { compaction }),
  } satisfies UsageReport;
  return { usage: report };
}
