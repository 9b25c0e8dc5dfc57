import type { RequestFrame } from "../request/request-frame.ts";

/** What a manual or automatic fold may be told. */
export interface CompactOptions {
  readonly frame?: RequestFrame;
  /** True to fold although no trigger fires, and to take any plan that frees something. */
  readonly force?: boolean;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}
