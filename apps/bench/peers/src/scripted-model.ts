import type { PolicyContext, PromptPiece, SummaryCall, WorkTime } from "@threadfold/simulation";
import type { Message } from "threadfold";

/** Number of characters of a text that must be in a request for its message to count as read. */
const OPENING = 80;
/** A line shorter than this may begin many messages. */
const TELLING = 24;
/** Most messages start within this distance of the one before them, in UTF-16 code units. */
const NEAR = 20_000;

/**
 * The stand-in for a peer's LLM: whatever the peer asks, and however it asks, the context's own summarizer answers, so
 * that only the messages it asks about make a difference. It tracks which log messages each of the peer's messages
 * stands for.
 */
export class ScriptedModel<Native extends object> {
  readonly #context: PolicyContext;
  readonly #pieceOf: (native: Native) => PromptPiece;
  readonly #time: WorkTime;
  /** Keyed by content, because peers copy their messages. */
  readonly #sources = new Map<PromptPiece, readonly Message[]>();
  #calls: SummaryCall[] = [];
  /** The summaries so far, and the log messages that each was made from. */
  readonly #made: { readonly summary: string; readonly of: readonly Message[] }[] = [];

  /** @param time the work time of the peer, which waits while this model answers. */
  constructor(context: PolicyContext, pieceOf: (native: Native) => PromptPiece, time: WorkTime) {
    this.#context = context;
    this.#pieceOf = pieceOf;
    this.#time = time;
  }

  /** Records that this message of the peer stands for those of the log. */
  learn(native: Native, sources: readonly Message[]): void {
    this.#sources.set(this.#pieceOf(native), sources);
  }

  /** Summarizes a span that the peer passed message by message. `request` is the rest of what it sent. */
  async summarize(span: readonly Native[], request = ""): Promise<string> {
    return this.#time.waitFor(() => {
      const texts = [request, ...span.map((native) => this.#pieceOf(native).text)];
      const read = texts.reduce((sum, text) => sum + this.#context.countTokens(text), 0);
      return this.#answer(span, read);
    });
  }

  /**
   * Summarizes messages that a peer wrote into one text. `candidates` are the messages that it may have written there;
   * those whose beginning is in the text count as read, and as read whole even if the peer cut them short.
   */
  async summarizeText(request: string, candidates: readonly Native[]): Promise<string> {
    return this.#time.waitFor(() => {
      const span = this.#standing(candidates, request);
      return this.#answer(span, this.#context.countTokens(request));
    });
  }

  /** Returns the calls since the last time and forgets them. */
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

  /**
   * Returns the candidates found in a request. Peers write them in order, so each is first sought after the last found.
   */
  #standing(candidates: readonly Native[], request: string): readonly Native[] {
    let from = 0;
    return candidates.filter((native) => {
      const marks = this.#marksOf(native);
      const at = firstOf(marks, request, from);
      if (at >= 0) from = at;
      return at >= 0 || firstOf(marks, request, 0) >= 0;
    });
  }

  /**
   * Returns the marks by which a message is found in a request: its beginning, plain or in JSON, or the id of a call.
   * Peers write calls in their own way, so a first line that is long enough stands for the text before a call.
   */
  #marksOf(native: Native): readonly string[] {
    const { text, callIds = [] } = this.#pieceOf(native);
    const opening = text.trim().slice(0, OPENING);
    if (opening === "") return callIds;
    const [line = ""] = opening.split("\n", 1);
    return [opening, JSON.stringify(opening).slice(1, -1), ...callIds, ...(line.length < TELLING ? [] : [line])];
  }

  /**
   * Returns the log messages behind a message that the peer made itself. If it contains summaries, these are all the
   * messages they were made from, so that the next summary is as good as one of the whole, as the floor's is; otherwise
   * it is the message's own text.
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

/**
 * Returns the position of the first mark found after a position, looking nearby before anywhere; -1 when none is found.
 */
function firstOf(marks: readonly string[], request: string, from: number): number {
  const near = request.slice(from, from + NEAR);
  const at = marks.map((mark) => near.indexOf(mark)).find((place) => place >= 0);
  if (at !== undefined) return from + at;
  return marks.map((mark) => request.indexOf(mark, from)).find((place) => place >= 0) ?? -1;
}

const EPOCH = new Date(0).toISOString();

/** Share of the budget that a summary may take: the floor's (`floorPolicy`), so that all have equal room. */
const SHARE = 0.05;

/** Returns the tokens that the scripted model may write for one summary. */
function summarySize(budgetTokens: number): number {
  return Math.floor(budgetTokens * SHARE);
}
