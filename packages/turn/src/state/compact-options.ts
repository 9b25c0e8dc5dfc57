import type { FrameFields } from "../measure/request-frame.ts";

/** What a manual or automatic fold may be told. */
export interface CompactOptions {
  /** System text and tools to measure with, field by field; those of the newest request when it is left out. */
  readonly frame?: FrameFields;
  /** True to fold although no trigger fires, and to take any plan that frees something. */
  readonly force?: boolean;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}
