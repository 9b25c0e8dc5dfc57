/**
 * The parts of a request that a provider's prompt cache can have: digests and figures, only a few of them however long
 * the thread is. Tokens are those of the session's counter.
 */
export interface RequestCacheRecord {
  /** Id of the price row that applies to the request; absent when the provider's prices are not known. */
  readonly price?: string;
  /**
   * Where cached prefixes can end: at the marked prefixes below, or anywhere, because the provider finds prefixes on
   * its own or the host may place cache breakpoints that the session does not see.
   */
  readonly ends: "marks" | "anywhere";
  /**
   * Prefixes of the request, shortest first: tools and system text, those that end at a mark, those that an earlier
   * request had marked, the one it shares with the previous request, and the whole request.
   */
  readonly prefixes: readonly RequestPrefix[];
  /** Tokens of the prefix shared with the previous request; absent when that is not known, as after a restart. */
  readonly sharedTokens?: number;
  /** Where the request diverges from the previous one; absent when it extends that one, or that one is not known. */
  readonly change?: PrefixChange;
  /** Tokens that the request would have without any folding. */
  readonly unfoldedTokens: number;
  /** Answers of the recall tools among the messages since the previous request; absent when there are none. */
  readonly recall?: { readonly answers: number; readonly tokens: number };
}

/** A prefix of a request. */
export interface RequestPrefix {
  /** Equal digests mean equal prefixes, sent to the same model in the same format. */
  readonly digest: string;
  readonly tokens: number;
  /** The number of content blocks on the wire. */
  readonly blocks: number;
  /** The number of messages after tools and system text. */
  readonly messages: number;
  /** Set when a cached prefix ends here. */
  readonly marked?: true;
}

/** What caused a request not to extend the previous one. */
export type PrefixChanger = "fold" | "recall" | "tools" | "system" | "model" | "host";

/** Where and why a request diverges from the previous one. */
export interface PrefixChange {
  readonly by: PrefixChanger;
  /** Index of the first message that differs; -1 when tools or system text do. */
  readonly message: number;
  /** The number of leading bytes of its canonical JSON that are unchanged. */
  readonly byte: number;
  /** A clause without a final period. It holds no content of the thread. */
  readonly reason: string;
}
