import type { PolicyContext, PromptPiece, SummaryCall } from "@threadfold/simulation";
import type { Message } from "threadfold";
import { summarySize } from "./summary-size.ts";

/** How much of a text has to be in a request for its message to count as read. */
const OPENING = 80;

/**
 * The stand-in for a peer's LLM: whatever the peer asks and however it asks it, the context's own summarizer answers, so
 * that only what the peer asks about makes a difference. It keeps which message of the log each of the peer's is.
 */
export class ScriptedModel<Native extends object> {
  readonly #context: PolicyContext;
  readonly #pieceOf: (native: Native) => PromptPiece;
  /** By what the messages say, for peers copy theirs. */
  readonly #sources = new Map<PromptPiece, readonly Message[]>();
  #calls: SummaryCall[] = [];
  /** The summaries so far, and the messages of the log that each was made of. */
  readonly #made: { readonly summary: string; readonly of: readonly Message[] }[] = [];

  constructor(context: PolicyContext, pieceOf: (native: Native) => PromptPiece) {
    this.#context = context;
    this.#pieceOf = pieceOf;
  }

  /** Says that these messages of the peer stand for those of the log. */
  learn(native: Native, sources: readonly Message[]): void {
    this.#sources.set(this.#pieceOf(native), sources);
  }

  /** Summarizes a span that the peer handed over message by message. `request` is the rest of what it sent. */
  async summarize(span: readonly Native[], request = ""): Promise<string> {
    const texts = span.map((native) => this.#pieceOf(native).text);
    const read = texts.reduce((sum, text) => sum + this.#context.countTokens(text), this.#context.countTokens(request));
    return this.#answer(span, read);
  }

  /**
   * Summarizes what a peer wrote into one text. The messages it could have written there are `candidates`; those whose
   * beginning stands in the text are read, and read whole, also where the peer cut them short.
   */
  async summarizeText(request: string, candidates: readonly Native[]): Promise<string> {
    const span = candidates.filter((native) => this.#stands(native, request));
    return this.#answer(span, this.#context.countTokens(request));
  }

  /** The calls since the last time this was asked. */
  takeCalls(): readonly SummaryCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  async #answer(span: readonly Native[], read: number): Promise<string> {
    const messages = span.flatMap(
      (native, index) => this.#sources.get(this.#pieceOf(native)) ?? this.#sourcesOfMade(native, index),
    );
    const of = [...new Set(messages)];
    const summary = await this.#context.summarize(of, summarySize(this.#context.budgetTokens));
    this.#calls.push({ read, wrote: this.#context.countTokens(summary) });
    if (summary !== "") this.#made.push({ summary, of });
    return summary;
  }

  #stands(native: Native, request: string): boolean {
    const { text, callIds = [] } = this.#pieceOf(native);
    const opening = text.trim().slice(0, OPENING);
    const escaped = JSON.stringify(opening).slice(1, -1);
    return (
      (opening !== "" && (request.includes(opening) || request.includes(escaped))) ||
      callIds.some((id) => request.includes(id))
    );
  }

  /**
   * What a message stands for that the peer made itself: where it holds summaries, all that they were made of, so that
   * the next one is as good as one of the whole, as the floor's is; else its own text.
   */
  #sourcesOfMade(native: Native, index: number): readonly Message[] {
    const { text } = this.#pieceOf(native);
    const held = this.#made.filter(({ summary }) => text.includes(summary));
    if (held.length > 0) return held.flatMap(({ of }) => of);
    const id = `made-by-the-peer-${index}` as Message["id"];
    const parts = [{ type: "text", text } as const];
    return [{ id, role: "user", origin: "compaction", parts, createdAt: EPOCH, ordinal: index, turn: 0, step: 0 }];
  }
}

const EPOCH = new Date(0).toISOString();
