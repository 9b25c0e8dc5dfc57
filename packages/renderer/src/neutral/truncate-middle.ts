import type { ClearRecord } from "@threadfold/core";
import { cutAt, tailFrom } from "./single-line.ts";

/** Cutting out less than this would not make a text shorter. In UTF-16 code units. */
const MARKER_LENGTH = 40;

/** Keeps the beginning and the end of a text around a marker that says how much is left out. */
export function truncateMiddle(text: string, keep: NonNullable<ClearRecord["keep"]>): string {
  if (text.length <= keep.headCharacters + keep.tailCharacters + MARKER_LENGTH) return text;
  const head = cutAt(text, keep.headCharacters);
  const tail = keep.tailCharacters === 0 ? "" : tailFrom(text, keep.tailCharacters);
  const marker = `[… ${text.length - head.length - tail.length} characters left out …]`;
  return [head, marker, tail].filter((piece) => piece !== "").join("\n");
}
