import type { ToolCallId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { ToolDurability, ToolResultEnvelope } from "../model/part.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { AppendOnlyList } from "../thread/append-only-list.ts";
import type { OrdinalRun } from "../thread/span-reference.ts";
import type { Steps } from "../time/steps.ts";
import { headerOf, type MessageHeader } from "./message-header.ts";
import { scaledTokenizer } from "./scaled-tokenizer.ts";
import {
  type MessageTokens,
  type ProviderAwareTokenizer,
  type TokenShares,
  tokenShares,
  tokenSharesInSteps,
} from "./tokenizer.ts";

/** Returns how a tool result may be folded when the result itself does not say so. */
export type DurabilityOf = (result: ToolResultEnvelope) => ToolDurability;

/**
 * A part of a resumed thread of which only some messages are in memory, and the tokens of all of its messages by the
 * ledger's counter.
 */
export interface CountedRun extends OrdinalRun {
  readonly tokens: number;
  /** Its calls that no result has answered. */
  readonly unanswered?: readonly ToolCallId[];
  /** The part of it to pass over, even where a message is in memory. From its first missing message to its last. */
  readonly apart?: OrdinalRun;
}

/** A part of a thread that is not in memory, and its unanswered calls. */
export interface AbsentMessages extends OrdinalRun {
  readonly unanswered?: readonly ToolCallId[];
}

/** The figures that a ledger has counted, in tokens of its counter. */
interface CountedMessages {
  readonly headers: AppendOnlyList<MessageHeader>;
  readonly sums: AppendOnlyList<number>;
  readonly systemTokens: number;
  readonly hiddenTokens: number;
  readonly absent: readonly AbsentMessages[];
}

/**
 * The counted headers of a thread: each message is counted only once, and sums over any range cost O(1). An immutable
 * value like the thread; `extend` counts only new messages.
 */
export class TokenLedger {
  readonly #tokenizer: ProviderAwareTokenizer;
  readonly #durabilityOf: DurabilityOf;
  readonly #headers: AppendOnlyList<MessageHeader>;
  /** `#sums[n]` is the number of tokens in the first n messages. */
  readonly #sums: AppendOnlyList<number>;
  readonly #systemTokens: number;
  /** The part of the sums that messages not in memory took when they were folded. */
  readonly #hiddenTokens: number;
  /** The factor by which figures are multiplied when they are read. */
  readonly #factor: number;
  /** The parts of a resumed thread that are not in memory, but for single messages, in order. */
  readonly absent: readonly AbsentMessages[];

  private constructor(
    tokenizer: ProviderAwareTokenizer,
    durabilityOf: DurabilityOf,
    counted: CountedMessages,
    factor: number,
  ) {
    this.#tokenizer = tokenizer;
    this.#durabilityOf = durabilityOf;
    this.#headers = counted.headers;
    this.#sums = counted.sums;
    this.#systemTokens = counted.systemTokens;
    this.#hiddenTokens = counted.hiddenTokens;
    this.absent = counted.absent;
    this.#factor = factor;
  }

  static empty(tokenizer: ProviderAwareTokenizer, durabilityOf: DurabilityOf): TokenLedger {
    const counted = { headers: AppendOnlyList.empty<MessageHeader>(), sums: AppendOnlyList.of([0]) };
    const none = { systemTokens: 0, hiddenTokens: 0, absent: [] };
    return new TokenLedger(tokenizer, durabilityOf, { ...counted, ...none }, 1);
  }

  /**
   * Returns the same ledger with all figures multiplied by a factor, which is how much more a provider reports than the
   * counter says (`TokenEstimate.slope`). Costs nothing: figures are multiplied when they are read. The tokens of
   * messages that are not in memory are not multiplied, because they are provider tokens already.
   */
  scaled(factor: number): TokenLedger {
    return factor === this.#factor ? this : new TokenLedger(this.#tokenizer, this.#durabilityOf, this.#counted, factor);
  }

  get #counted(): CountedMessages {
    return {
      headers: this.#headers,
      sums: this.#sums,
      systemTokens: this.#systemTokens,
      hiddenTokens: this.#hiddenTokens,
      absent: this.absent,
    };
  }

  /** The counter of the figures, scaled by the factor. */
  get tokenizer(): ProviderAwareTokenizer {
    return scaledTokenizer(this.#tokenizer, this.#factor);
  }

  /** Tokens of the system messages. */
  get systemTokens(): number {
    return Math.round(this.#systemTokens * this.#factor);
  }

  /** The number of counted messages. */
  get length(): number {
    return this.#headers.length;
  }

  /** Identical for ledgers of one growing thread, whose counted messages agree as far as both reach. */
  get family(): object {
    return this.#headers.family;
  }

  /** Tokens of all counted messages. */
  get totalTokens(): number {
    return this.tokensBetween(0, this.length);
  }

  get headers(): Iterable<MessageHeader> {
    return this.#factor === 1 ? this.#headers : scaledHeaders(this.#headers, this.#factor);
  }

  header(ordinal: number): MessageHeader | undefined {
    const header = this.#headers.at(ordinal);
    return header === undefined || this.#factor === 1 ? header : scaledHeader(header, this.#factor);
  }

  /**
   * Returns the tokens of the messages from one ordinal up to, but not including, another. Ordinals beyond either end
   * are taken as that end.
   *
   * @throws ThreadfoldError `HISTORY_NOT_LOADED` when some of them are not in memory.
   */
  tokensBetween(fromOrdinal: number, toOrdinal: number): number {
    return this.#tokensBefore(toOrdinal) - this.#tokensBefore(fromOrdinal);
  }

  /** The same; undefined when some of them are not in memory. */
  tokensIfKnown(fromOrdinal: number, toOrdinal: number): number | undefined {
    const isKnown = this.#sums.holds(fromOrdinal) && this.#sums.holds(toOrdinal);
    return isKnown ? this.tokensBetween(fromOrdinal, toOrdinal) : undefined;
  }

  #tokensBefore(ordinal: number): number {
    const tokens = this.#sums.at(Math.min(Math.max(ordinal, 0), this.length)) as number;
    if (this.#factor === 1 || ordinal <= 0) return tokens;
    return Math.round((tokens - this.#hiddenTokens) * this.#factor) + this.#hiddenTokens;
  }

  /**
   * Counts the messages of the thread that this ledger does not have yet.
   *
   * @param hiddenTokens tokens of the messages of a resumed thread that are not in memory; without it, sums over them
   * are unknown. Used only when this ledger has counted nothing yet.
   * @param runs the parts that those messages are in; with each of them, sums that begin or end at any message in
   * memory are known.
   */
  extend(thread: AgentThread, hiddenTokens?: number, runs: readonly CountedRun[] = []): TokenLedger {
    const counted = this.#uncounted(thread).map((message) =>
      this.#headerOf(message, tokenShares(message, this.#tokenizer)),
    );
    return this.#with(thread, counted, hiddenTokens, runs);
  }

  /** The same as {@link extend}, in steps as small as the counter allows. */
  *extendInSteps(thread: AgentThread, hiddenTokens?: number, runs: readonly CountedRun[] = []): Steps<TokenLedger> {
    const counted: MessageHeader[] = [];
    for (const message of this.#uncounted(thread))
      counted.push(this.#headerOf(message, yield* tokenSharesInSteps(message, this.#tokenizer)));
    return this.#with(thread, counted, hiddenTokens, runs);
  }

  #uncounted(thread: AgentThread): readonly Message[] {
    return this.#resumes(thread) ? [...thread.messagesInMemory()] : thread.messagesBetween(this.length);
  }

  #resumes(thread: AgentThread): boolean {
    return this.length === 0 && !thread.isWhole;
  }

  #with(
    thread: AgentThread,
    added: readonly MessageHeader[],
    hiddenTokens: number | undefined,
    runs: readonly CountedRun[],
  ): TokenLedger {
    if (this.#resumes(thread)) return this.#resumed(thread, added, hiddenTokens, runs);
    if (added.length === 0) return this;
    let sum = this.#sums.at(this.length) as number;
    const sums = added.map(({ tokens }) => (sum += tokens));
    const system = added.reduce((tokens, header) => tokens + (header.role === "system" ? header.tokens : 0), 0);
    const counted = {
      headers: this.#headers.append(added),
      sums: this.#sums.append(sums),
      systemTokens: this.#systemTokens + system,
      hiddenTokens: this.#hiddenTokens,
      absent: this.absent,
    };
    return new TokenLedger(this.#tokenizer, this.#durabilityOf, counted, this.#factor);
  }

  /**
   * Returns the ledger of a resumed thread, which has only some of its messages in memory. Sums that begin among the
   * others are unknown; system messages are never folded, so all of them are counted.
   */
  #resumed(
    thread: AgentThread,
    headers: readonly MessageHeader[],
    hiddenTokens: number | undefined,
    runs: readonly CountedRun[],
  ): TokenLedger {
    const held = new Map(headers.map((header) => [header.ordinal, header]));
    const system = headers.reduce((tokens, header) => tokens + (header.role === "system" ? header.tokens : 0), 0);
    const gaps = gapsBetween(headers, thread.length);
    const known = sumsAround(thread.length, gaps, headers, runs);
    const inMemory = headers.reduce((tokens, header) => tokens + header.tokens, 0);
    const start = new Map(hiddenTokens === undefined ? [] : [[0, 0]]);
    const total = hiddenTokens === undefined ? 0 : inMemory + hiddenTokens;
    const counted = {
      headers: AppendOnlyList.resumed(thread.length, held),
      sums: AppendOnlyList.resumed(thread.length, known?.sums ?? start).append([known?.total ?? total]),
      systemTokens: system,
      hiddenTokens: known === null ? (hiddenTokens ?? 0) : 0,
      absent: known?.absent ?? gaps,
    };
    return new TokenLedger(this.#tokenizer, this.#durabilityOf, counted, this.#factor);
  }

  #headerOf(message: Message, { shares, overhead }: MessageTokens): MessageHeader {
    const tokens = shares.text + shares.toolInput + shares.toolResult + shares.reasoning + shares.media + overhead;
    const first = message.parts[0];
    const result = first?.type === "tool-result" ? first.result : undefined;
    return headerOf(message, tokens, shares, result && (result.durability ?? this.#durabilityOf(result)));
  }
}

/** Returns the ordinals below `length` that none of the headers has, as unbroken runs. */
function gapsBetween(headers: readonly MessageHeader[], length: number): readonly OrdinalRun[] {
  const gaps: OrdinalRun[] = [];
  let next = 0;
  for (const ordinal of [...headers.map((header) => header.ordinal), length]) {
    if (ordinal > next) gaps.push({ from: next, to: ordinal - 1 });
    next = ordinal + 1;
  }
  return gaps;
}

/** What is known of a resumed thread whose hidden parts are all counted. */
interface KnownSums {
  /** The parts that sums pass over. Single messages among them may be in memory. */
  readonly absent: readonly AbsentMessages[];
  /** The tokens of the first n messages, by n, outside of those parts. */
  readonly sums: ReadonlyMap<number, number>;
  readonly total: number;
}

/** Returns the sums over messages in memory and over counted runs; null when some gap is not in such a run. */
function sumsAround(
  length: number,
  gaps: readonly OrdinalRun[],
  headers: readonly MessageHeader[],
  runs: readonly CountedRun[],
): KnownSums | null {
  const passed = passedParts(gaps, runs);
  if (passed === null) return null;
  const tokensAt = new Map(headers.map(({ ordinal, tokens }) => [ordinal, tokens]));
  const sums = new Map<number, number>();
  let total = 0;
  let next = 0;
  const addUpTo = (end: number): void => {
    for (; next < end; next++) {
      sums.set(next, total);
      total += tokensAt.get(next) ?? 0;
    }
  };
  for (const [run, { from, to }] of passed) {
    addUpTo(run.from);
    const before = total;
    addUpTo(from);
    sums.set(from, total);
    total = before + run.tokens;
    for (let ordinal = to + 1; ordinal <= run.to; ordinal++) total -= tokensAt.get(ordinal) ?? 0;
    next = to + 1;
  }
  addUpTo(length);
  const absent = [...passed].map(([{ unanswered }, part]) =>
    unanswered === undefined ? part : { ...part, unanswered },
  );
  return { absent, sums, total };
}

/** Returns the part of each run that is passed over; null when some gap is in no such part. */
function passedParts(
  gaps: readonly OrdinalRun[],
  runs: readonly CountedRun[],
): ReadonlyMap<CountedRun, OrdinalRun> | null {
  const ordered = runs.toSorted((a, b) => a.from - b.from);
  const passed = new Map<CountedRun, OrdinalRun>();
  let index = 0;
  for (const { from, to } of gaps) {
    while ((ordered[index]?.to ?? to) < to) index++;
    const run = ordered[index];
    if (run === undefined || from < run.from) return null;
    const part = run.apart ?? { from: passed.get(run)?.from ?? from, to };
    if (from < part.from || to > part.to) return null;
    passed.set(run, part);
  }
  return passed;
}

function* scaledHeaders(headers: Iterable<MessageHeader>, factor: number): Iterable<MessageHeader> {
  for (const header of headers) yield scaledHeader(header, factor);
}

const scaledHeader = (header: MessageHeader, factor: number): MessageHeader => ({
  ...header,
  tokens: Math.round(header.tokens * factor),
  shares: scaledShares(header.shares, factor),
});

const scaledShares = ({ text, toolInput, toolResult, reasoning, media }: TokenShares, factor: number): TokenShares => ({
  text: Math.round(text * factor),
  toolInput: Math.round(toolInput * factor),
  toolResult: Math.round(toolResult * factor),
  reasoning: Math.round(reasoning * factor),
  media: Math.round(media * factor),
});
