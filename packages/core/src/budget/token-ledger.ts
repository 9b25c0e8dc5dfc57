import type { Message } from "../model/message.ts";
import type { ToolDurability, ToolResultEnvelope } from "../model/part.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { AppendOnlyList } from "../thread/append-only-list.ts";
import type { Steps } from "../time/steps.ts";
import { headerOf, type MessageHeader } from "./message-header.ts";
import { type MessageTokens, type ProviderAwareTokenizer, tokenShares, tokenSharesInSteps } from "./tokenizer.ts";

/** Says how a tool's results may be folded when the result itself does not say so. */
export type DurabilityOf = (result: ToolResultEnvelope) => ToolDurability;

/**
 * The counted headers of a thread: each message is counted once, ever, and sums over any range cost O(1). An immutable
 * value like the thread; `extend` counts only what is new.
 */
export class TokenLedger {
  readonly tokenizer: ProviderAwareTokenizer;
  readonly #durabilityOf: DurabilityOf;
  readonly #headers: AppendOnlyList<MessageHeader>;
  /** `#sums[n]` is the number of tokens in the first n messages. */
  readonly #sums: AppendOnlyList<number>;
  /** Tokens of the system messages among them. */
  readonly systemTokens: number;

  private constructor(
    tokenizer: ProviderAwareTokenizer,
    durabilityOf: DurabilityOf,
    headers: AppendOnlyList<MessageHeader>,
    sums: AppendOnlyList<number>,
    systemTokens: number,
  ) {
    this.tokenizer = tokenizer;
    this.systemTokens = systemTokens;
    this.#durabilityOf = durabilityOf;
    this.#headers = headers;
    this.#sums = sums;
  }

  static empty(tokenizer: ProviderAwareTokenizer, durabilityOf: DurabilityOf): TokenLedger {
    return new TokenLedger(tokenizer, durabilityOf, AppendOnlyList.empty(), AppendOnlyList.of([0]), 0);
  }

  /** How many messages are counted. */
  get length(): number {
    return this.#headers.length;
  }

  /** The same for ledgers of one growing thread, which count the same messages as far as both reach. */
  get family(): object {
    return this.#headers.family;
  }

  /** Tokens of all counted messages. */
  get totalTokens(): number {
    return this.tokensBetween(0, this.length);
  }

  get headers(): Iterable<MessageHeader> {
    return this.#headers;
  }

  header(ordinal: number): MessageHeader | undefined {
    return this.#headers.at(ordinal);
  }

  /**
   * Tokens of the messages from one ordinal up to another. Ordinals beyond either end stand for that end.
   *
   * @throws ThreadfoldError `HISTORY_NOT_LOADED` when some of them are not in memory.
   */
  tokensBetween(fromOrdinal: number, toOrdinal: number): number {
    return this.#tokensBefore(toOrdinal) - this.#tokensBefore(fromOrdinal);
  }

  #tokensBefore(ordinal: number): number {
    return this.#sums.at(Math.min(Math.max(ordinal, 0), this.length)) as number;
  }

  /**
   * Counts the messages that the thread has beyond this ledger.
   *
   * @param hiddenTokens tokens of those messages of a resumed thread that are not in memory; sums over them are not known
   * when it is left out. Read only when this ledger has counted nothing yet.
   */
  extend(thread: AgentThread, hiddenTokens?: number): TokenLedger {
    const counted = this.#uncounted(thread).map((message) =>
      this.#headerOf(message, tokenShares(message, this.tokenizer)),
    );
    return this.#with(thread, counted, hiddenTokens);
  }

  /** The same as {@link extend}, in steps as small as the counter makes them. */
  *extendInSteps(thread: AgentThread, hiddenTokens?: number): Steps<TokenLedger> {
    const counted: MessageHeader[] = [];
    for (const message of this.#uncounted(thread))
      counted.push(this.#headerOf(message, yield* tokenSharesInSteps(message, this.tokenizer)));
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
    return new TokenLedger(
      this.tokenizer,
      this.#durabilityOf,
      this.#headers.append(added),
      this.#sums.append(sums),
      this.systemTokens + system,
    );
  }

  /**
   * The ledger of a resumed thread, of which some messages are in memory. Sums that begin among the others are not known;
   * system messages are never folded, so all of them are counted.
   */
  #resumed(thread: AgentThread, headers: readonly MessageHeader[], hiddenTokens: number | undefined): TokenLedger {
    const held = new Map(headers.map((header) => [header.ordinal, header]));
    const system = headers.reduce((tokens, header) => tokens + (header.role === "system" ? header.tokens : 0), 0);
    const inMemory = headers.reduce((tokens, header) => tokens + header.tokens, 0);
    const start = new Map(hiddenTokens === undefined ? [] : [[0, 0]]);
    return new TokenLedger(
      this.tokenizer,
      this.#durabilityOf,
      AppendOnlyList.resumed(thread.length, held),
      AppendOnlyList.resumed(thread.length, start).append([hiddenTokens === undefined ? 0 : inMemory + hiddenTokens]),
      system,
    );
  }

  #headerOf(message: Message, { shares, overhead }: MessageTokens): MessageHeader {
    const tokens = shares.text + shares.toolInput + shares.toolResult + shares.reasoning + shares.media + overhead;
    const first = message.parts[0];
    const result = first?.type === "tool-result" ? first.result : undefined;
    return headerOf(message, tokens, shares, result && (result.durability ?? this.#durabilityOf(result)));
  }
}
