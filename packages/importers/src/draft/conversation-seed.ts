import type { SourceText } from "../reading/source-text.ts";

/**
 * What the ids of messages begin with where the log gives its messages none: a short hash of the source, so that ids
 * of different sources differ and those of one source never change.
 */
export const conversationSeed = (source: SourceText): string => source.sha256.slice(0, 8);
