/** What takes the room in a request, in tokens. The shares add up to the request. */
export interface TokenBreakdown {
  readonly system: number;
  readonly tools: number;
  /** Pins rendered apart from their source. */
  readonly pins: number;
  readonly summaries: number;
  /** Pointers to externalized content and placeholders of cleared content. */
  readonly pointers: number;
  /** Messages kept as they are. */
  readonly kept: number;
  readonly rehydrated: number;
  /** What the provider wraps around a request, and synthetic messages that its rules ask for. */
  readonly overhead: number;
}
