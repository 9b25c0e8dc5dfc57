/**
 * Keeps cache entries beyond one process. Entries are opaque text; what is lost or garbled is made again, so a store may
 * forget. Failures are for the caller to ignore.
 */
export interface SummaryCacheStore {
  get(key: string): Promise<string | null>;
  set(key: string, entry: string): Promise<void>;
}
