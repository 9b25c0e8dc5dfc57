import type { JsonObject, MessageInput } from "@threadfold/core";
import { type LiveFormat, messageReader, type ReadOptions } from "@threadfold/importers";

/**
 * Reads an answer that stands alone. Of no list, it has no position in one.
 *
 * @param seed what the id begins with of an answer without one.
 */
export const readOnce = (
  format: LiveFormat,
  seed: string,
  values: readonly unknown[],
  options?: ReadOptions,
): readonly MessageInput[] => messageReader(format, { seed }).read(values, options).map(withoutPositions);

/** A message without its place in a host's list: what is said one by one is mirrored from none. */
export function withoutPositions({ metadata = {}, ...message }: MessageInput): MessageInput {
  const { positions: _positions, ...notes } = metadata;
  return Object.keys(notes).length === 0 ? message : { ...message, metadata: notes satisfies JsonObject };
}
