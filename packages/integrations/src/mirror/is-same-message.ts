import { isDeepStrictEqual } from "node:util";
import { withoutCacheMarks } from "./without-cache-marks.ts";

/**
 * Says whether a host's message is the one that it was: the same object, or one that says the same. Texts are compared by
 * identity first, so a copy that shares them costs little. Cache marks say nothing.
 */
export const isSameMessage = (before: unknown, now: unknown): boolean =>
  before === now ||
  isDeepStrictEqual(before, now) ||
  isDeepStrictEqual(withoutCacheMarks(before), withoutCacheMarks(now));
