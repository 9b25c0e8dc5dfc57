/** What a model can take, as far as rendering depends on it. A row of the table; what is left out comes from broader rows. */
export interface ModelCapabilities {
  /** Name of the provider whose reasoning and opaque items the model takes back. */
  readonly provider: string;
  /**
   * What reasoning that goes back is bound to. `none` and `last-turn`: to nothing but itself, so that it stays valid when
   * the messages before it change; `last-turn` says that the provider reads only what belongs to the newest turn.
   * `prefix-bound`: to everything before it; what stands behind an edit that was made later is left out.
   */
  readonly reasoning: "none" | "last-turn" | "prefix-bound";
  /** Whether reasoning that nobody signed goes back as text: servers of open models ask for it inside a tool loop. */
  readonly reasoningText: boolean;
  /** Whether a request may end on an assistant turn that the model goes on with. */
  readonly prefill: boolean;
  /** Whether tool results may hold pictures and documents, where the format has a place for them. */
  readonly multimodalResults: boolean;
  /** Whether a request may mark where cached prefixes end. A model that may not refuses the marks. */
  readonly cacheBreakpoints: boolean;
  /** In tokens. */
  readonly contextWindow: number;
  /** Shorter prefixes are never cached, in tokens. */
  readonly minimumCachedTokens: number;
}

/** Rows by the beginning of a model's name; longer beginnings refine shorter ones. */
export type CapabilityTable = Readonly<Record<string, Partial<ModelCapabilities>>>;
