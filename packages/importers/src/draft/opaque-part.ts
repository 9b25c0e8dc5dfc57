import type { JsonValue, OpaquePart } from "@threadfold/core";

/** A block that the neutral model has no part for, kept as it stands. */
export const opaquePart = (provider: string, block: unknown): OpaquePart => ({
  type: "opaque",
  provider,
  value: (block ?? null) as JsonValue,
});
