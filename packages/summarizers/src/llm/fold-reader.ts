import {
  type CompletionModel,
  type CompletionRequest,
  EventLoopTurns,
  modelCallFailure,
  type SummarizeRequest,
  type SummarizeResult,
  type Usage,
} from "@threadfold/core";
import { cutMiddle } from "../text/excerpt.ts";
import { groundedChanges } from "./answer/grounded-changes.ts";
import { rejection } from "./answer/rejection.ts";
import { isInvented, namesIn, type SpanEvidence, spanEvidence, withUnknownNames } from "./answer/span-evidence.ts";
import { addUsage, askModel, type ModelAnswer } from "./call/ask-model.ts";
import { callModel, meteredModel } from "./call/call-model.ts";
import type { LLMSettings } from "./llm-summarizer-options.ts";
import { notedItems, RunningNotes } from "./notes/running-notes.ts";
import { settledChanges } from "./notes/settled-changes.ts";
import {
  prefixQuestion,
  prosePrefixQuestion,
  proseTranscriptQuestion,
  type QuestionParts,
  transcriptQuestion,
} from "./prompts/question-text.ts";
import {
  chunkMessages,
  halveChunk,
  type MessageChunk,
  messageChunks,
  messagesWithin,
  type TranscriptMessage,
  transcriptMessages,
} from "./prompts/transcript.ts";

/**
 * The share of the window that is used; the rest is a margin, because token counters differ from the provider's own.
 */
const WINDOW_SHARE = 0.9;
/** Tokens of the line before each message. */
const MESSAGE_FRAME_TOKENS = 16;
/** The fewest tokens that the window must leave for messages. */
const MIN_CHUNK_TOKENS = 400;
/** How many times a single group that overflows is halved in length before the reader gives up. */
const MAX_CUTS = 4;
/** The share of the model's window for messages after the span, which are shown only as context. */
const OVERLAP_SHARE = 0.25;
const OUTPUT_PER_SUMMARY_TOKEN = 2;
const MIN_OUTPUT = 1_000;
const MAX_OUTPUT = 8_000;

/** Reads one span, chunk by chunk, and collects notes. Each fold uses its own reader. */
export class FoldReader {
  readonly #request: SummarizeRequest;
  readonly #settings: LLMSettings;
  readonly #model: CompletionModel;
  readonly #signal: AbortSignal;
  readonly #notes: RunningNotes;
  readonly #after: readonly TranscriptMessage[];
  #calls = 0;
  #usage: Usage | undefined;
  #noted = false;

  constructor(request: SummarizeRequest, settings: LLMSettings, signal: AbortSignal) {
    this.#request = request;
    this.#settings = settings;
    this.#model = meteredModel(settings.model, request.meter);
    this.#signal = signal;
    this.#notes = new RunningNotes(request.previous, request.span);
    const { overlap = [], countTokens } = request;
    const shown = transcriptMessages(overlap, settings.maxMessageTokens, countTokens);
    this.#after = messagesWithin(shown, Math.floor(settings.contextWindow * OVERLAP_SHARE), countTokens);
  }

  async read(): Promise<SummarizeResult> {
    const prefix = this.#settings.prefixFor?.(this.#request) ?? null;
    if (prefix === null) await this.#readTranscript();
    else await this.#readPrefix(prefix);
    if (!this.#noted) throw rejection("ungrounded", "nothing that the model noted stands in the span");
    const changes = await new EventLoopTurns().finish(
      settledChanges(this.#notes.outcome(), this.#request),
      this.#signal,
    );
    return { changes, ...(this.#usage !== undefined && { usage: this.#usage }) };
  }

  async #readPrefix(prefix: NonNullable<CompletionRequest["prefix"]>): Promise<void> {
    const { messages } = this.#request;
    const parts = this.#parts();
    const text = this.#isProse ? prosePrefixQuestion(parts, messages) : prefixQuestion(parts, messages);
    const answer = await this.#ask({ ...this.#question(text), prefix });
    this.#take(answer, new Set(), parts);
  }

  async #readTranscript(): Promise<void> {
    const { countTokens, messages } = this.#request;
    const room = this.#chunkTokens();
    const { maxMessageTokens, maxInputTokens } = this.#settings;
    const whole = transcriptMessages(messages, Math.min(maxMessageTokens, room), countTokens);
    const shown = maxInputTokens === null ? whole : messagesWithin(whole, maxInputTokens, countTokens);
    const tokens = new Map(shown.map((entry) => [entry, countTokens(entry.text) + MESSAGE_FRAME_TOKENS]));
    const waiting = [...messageChunks(shown, room, (entry) => tokens.get(entry) as number)];
    if (waiting.length > this.#settings.maxCalls)
      throw rejection("too-large", `the span needs ${waiting.length} calls; ${this.#settings.maxCalls} are allowed`);
    for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
      const halves = await this.#readChunk(fitted(chunk, room, countTokens));
      if (halves !== null) waiting.unshift(...halves);
    }
  }

  /** Reads a chunk. If it still overflows the window, returns it in halves, or reads it at half its length (L4). */
  async #readChunk(chunk: MessageChunk): Promise<readonly MessageChunk[] | null> {
    let current = chunk;
    for (let cuts = 0; ; cuts++) {
      const messages = chunkMessages(current);
      const parts = this.#parts();
      try {
        const answer = await this.#ask(this.#question(this.#text(parts, messages)));
        this.#take(answer, new Set(messages.map(({ number }) => number)), parts);
        return null;
      } catch (error) {
        if (modelCallFailure(error)?.kind !== "overflow") throw error;
        const halves = halveChunk(current);
        if (halves !== null) return halves;
        if (cuts === MAX_CUTS) throw rejection("too-large", "a single message is too large for the model", error);
        const size = messages.reduce((sum, { text }) => sum + this.#request.countTokens(text), 0);
        current = fitted(current, Math.floor(size / 2), this.#request.countTokens);
      }
    }
  }

  get #isProse(): boolean {
    return this.#settings.prompt.form === "prose";
  }

  #text(parts: QuestionParts, messages: readonly TranscriptMessage[]): string {
    return this.#isProse ? proseTranscriptQuestion(parts, messages) : transcriptQuestion(parts, messages);
  }

  #ask(question: Omit<CompletionRequest, "signal">): Promise<ModelAnswer> {
    const { prompt, maxCalls } = this.#settings;
    const call = (request: Omit<CompletionRequest, "signal">) => {
      // Repairs, halves and shortened attempts count as well, so that no kind of failure leads to endless calls.
      if (this.#calls++ >= maxCalls * 2) throw rejection("too-large", `more than ${maxCalls * 2} calls were needed`);
      return callModel(this.#model, request, this.#settings, this.#signal);
    };
    const { countTokens } = this.#request;
    return askModel(question, prompt, async (request) => call(request), countTokens).then(({ answer, usage }) => {
      this.#usage = addUsage(this.#usage, usage);
      return answer;
    });
  }

  #take(answer: ModelAnswer, numbers: ReadonlySet<number>, { noted }: QuestionParts): void {
    const evidence = spanEvidence(this.#request.messages, numbers, this.#notes.current);
    if ("prose" in answer) this.#tell(answer.prose, evidence);
    else if (this.#notes.note(groundedChanges(answer.notes, noted, evidence))) this.#noted = true;
  }

  #tell(prose: string, evidence: SpanEvidence): void {
    const names = namesIn(prose, { ...this.#request, previous: this.#notes.current }, evidence);
    if (isInvented(names)) return;
    const { messageIds } = this.#request.span;
    const ends = new Set([messageIds[0], messageIds.at(-1)].filter((id) => id !== undefined));
    const narrative = { text: withUnknownNames(prose, names), sources: [...ends] };
    this.#notes.note([{ op: "set-narrative", narrative }]);
    this.#noted = true;
  }

  #parts(): QuestionParts {
    const { maxTokens, instructions } = this.#request;
    const asked = [this.#settings.instructions, instructions].filter((text) => text != null && text.trim() !== "");
    const request = { ...this.#request, instructions: asked.join("\n") };
    const { current } = this.#notes;
    const noted = notedItems(current);
    return { variant: this.#settings.prompt, request, current, noted, maxTokens, after: this.#after };
  }

  #question(text: string): Omit<CompletionRequest, "signal"> {
    const { prompt, temperature } = this.#settings;
    return {
      system: prompt.system,
      messages: [{ role: "user", text }],
      maxOutputTokens: this.#outputTokens,
      ...(temperature !== null && { temperature }),
    };
  }

  get #outputTokens(): number {
    const { maxOutputTokens } = this.#settings;
    const { maxTokens } = this.#request;
    if (maxOutputTokens !== null) return maxOutputTokens;
    if (this.#isProse) return Math.max(MIN_OUTPUT, maxTokens);
    return Math.min(MAX_OUTPUT, Math.max(MIN_OUTPUT, maxTokens * OUTPUT_PER_SUMMARY_TOKEN));
  }

  /** The number of tokens of messages that one call can show, after everything else in the question. */
  #chunkTokens(): number {
    const { contextWindow, prompt } = this.#settings;
    const overhead = this.#request.countTokens(`${prompt.system}${this.#text(this.#parts(), [])}`);
    // Later calls are also shown the notes so far, which grow by what the answers may add.
    const room = Math.floor(contextWindow * WINDOW_SHARE) - overhead - 2 * this.#outputTokens;
    if (room >= MIN_CHUNK_TOKENS) return room;
    throw rejection("too-large", `a window of ${contextWindow} tokens leaves ${Math.max(0, room)} for messages`);
  }
}

/** Shortens a chunk to at most this many tokens, if it takes more, by leaving out the middle of its messages. */
function fitted(chunk: MessageChunk, maxTokens: number, countTokens: (text: string) => number): MessageChunk {
  const messages = chunk.groups.flat();
  const sizes = new Map(messages.map((entry) => [entry, countTokens(entry.text) + MESSAGE_FRAME_TOKENS]));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (total <= maxTokens) return chunk;
  const shorten = (entry: TranscriptMessage): TranscriptMessage => {
    const share = Math.floor(((sizes.get(entry) as number) * maxTokens) / total) - MESSAGE_FRAME_TOKENS;
    return { ...entry, text: cutMiddle(entry.text, Math.max(1, share), countTokens) };
  };
  return { groups: chunk.groups.map((group) => group.map(shorten)) };
}
