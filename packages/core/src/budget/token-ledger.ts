import type { Message } from "../model/message.ts";
import type { ToolDurability, ToolResultEnvelope } from "../model/part.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { AppendOnlyList } from "../thread/append-only-list.ts";
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

/** The figures that a ledger has counted, in tokens of its counter. */
interface CountedMessages {
  readonly headers: AppendOnlyList<MessageHeader>;
  readonly sums: AppendOnlyList<number>;
  readonly systemTokens: number;
  readonly hiddenTokens: number;
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
    this.#factor = factor;
  }

  static empty(tokenizer: ProviderAwareTokenizer, durabilityOf: DurabilityOf): TokenLedger {
    const counted = { headers: AppendOnlyList.empty<MessageHeader>(), sums: AppendOnlyList.of([0]) };
    return new TokenLedger(tokenizer, durabilityOf, { ...counted, systemTokens: 0, hiddenTokens: 0 }, 1);
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
   */
  extend(thread: AgentThread, hiddenTokens?: number): TokenLedger {
    const counted = this.#uncounted(thread).map((message) =>
      this.#headerOf(message, tokenShares(message, this.#tokenizer)),
    );
    return this.#with(thread, counted, hiddenTokens);
  }

  /** The same as {@link extend}, in steps as small as the counter allows. */
  *extendInSteps(thread: AgentThread, hiddenTokens?: number): Steps<TokenLedger> {
    const counted: MessageHeader[] = [];
    for (const message of this.#uncounted(thread))
      counted.push(this.#headerOf(message, yield* tokenSharesInSteps(message, this.#tokenizer)));
    return this.#with(thread, counted, hiddenTokens);
  }

  #uncounted(thread: AgentThread): readonly Message[] {
    return this.#resumes(thread) ? [...thread.messagesInMemory()] : thread.messagesBetween(this.length);
  }

  #resumes(thread: AgentThread): boolean {
    return this.length === 0 && !thread.isWhole;
  }

  #with(thread: AgentThread, added: readonly MessageHeader[], hiddenTokens: number | undefined): TokenLedger {
    if (this.#resumes(thread)) return this.#resumed(thread, added, hiddenTokens);
    if (added.length === 0) return this;
    let sum = this.#sums.at(this.length) as number;
    const sums = added.map(({ tokens }) => (sum += tokens));
    const system = added.reduce((tokens, header) => tokens + (header.role === "system" ? header.tokens : 0), 0);
    const counted = {
      headers: this.#headers.append(added),
      sums: this.#sums.append(sums),
      systemTokens: this.#systemTokens + system,
      hiddenTokens: this.#hiddenTokens,
    };
    return new TokenLedger(this.#tokenizer, this.#durabilityOf, counted, this.#factor);
  }

  /**
   * Returns the ledger of a resumed thread, which has only some of its messages in memory. Sums that begin among the
   * others are unknown; system messages are never folded, so all of them are counted.
   */
  #resumed(thread: AgentThread, headers: readonly MessageHeader[], hiddenTokens: number | undefined): TokenLedger {
    const held = new Map(headers.map((header) => [header.ordinal, header]));
    const system = headers.reduce((tokens, header) => tokens + (header.role === "system" ? header.tokens : 0), 0);
    const inMemory = headers.reduce((tokens, header) => tokens + header.tokens, 0);
    const start = new Map(hiddenTokens === undefined ? [] : [[0, 0]]);
    const counted = {
      headers: AppendOnlyList.resumed(thread.length, held),
      sums: AppendOnlyList.resumed(thread.length, start).append([
        hiddenTokens === undefined ? 0 : inMemory + hiddenTokens,
      ]),
      systemTokens: system,
      hiddenTokens: hiddenTokens ?? 0,
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
