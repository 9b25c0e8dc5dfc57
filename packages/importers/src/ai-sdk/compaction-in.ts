import type { Part } from "@threadfold/core";
import { objectOf } from "../reading/foreign-value.ts";

/** Says whether one of the parts is a compaction that ran at the provider. */
export const compactionIn = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.type === "opaque" && objectOf(part.value)?.type === "compaction");
