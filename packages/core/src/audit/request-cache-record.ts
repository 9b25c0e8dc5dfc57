/**
 * What a provider's prompt cache can have of a request: digests and figures, and never more than a few, however long the
 * thread is. Tokens are those of the session's counter.
 */
export interface RequestCacheRecord {
  /** Id of the price row that the request goes out under; absent where the provider's prices are not known. */
  readonly price?: string;
  /**
   * Where cached prefixes end: at the marks of the prefixes below, or anywhere, because the provider finds prefixes by itself
   * or the host may place marks that nobody here sees.
   */
  readonly ends: "marks" | "anywhere";
  /**
   * Beginnings of the request, the shortest first: tools and system text, those that end at a mark, those that an earlier
   * request had marked, what it shares with the request before, and the whole of it.
   */
  readonly prefixes: readonly RequestPrefix[];
  /** Tokens that it begins with as the request before does; absent where that one is not known, as after a restart. */
  readonly sharedTokens?: number;
  /** Where it stops being an extension of the request before; absent where it extends it, or that one is not known. */
  readonly change?: PrefixChange;
  /** What the request would have without any folding. */
  readonly unfoldedTokens: number;
  /** Answers of the recall tools among the messages that are new since the request before; absent where there are none. */
  readonly recall?: { readonly answers: number; readonly tokens: number };
}

/** A beginning of a request. */
export interface RequestPrefix {
  /** Equal digests mean equal beginnings, sent to the same model in the same format. */
  readonly digest: string;
  readonly tokens: number;
  /** How many blocks it has on the wire. */
  readonly blocks: number;
  /** How many messages it has behind tools and system text. */
  readonly messages: number;
  /** Set where a cached prefix ends here. */
  readonly marked?: true;
}

/** Whose doing it is that a request does not extend the one before. */
export type PrefixChanger = "fold" | "recall" | "tools" | "system" | "model" | "host";

/** Where and why a request stops being an extension of the one before. */
export interface PrefixChange {
  readonly by: PrefixChanger;
  /** Index of the first message that differs; -1 when tools or system text do. */
  readonly message: number;
  /** How many bytes of its canonical JSON are as they were. */
  readonly byte: number;
  /** A sentence without its end, without content. */
  readonly reason: string;
}
