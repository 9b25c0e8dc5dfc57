import {
  type BodyPreview,
  type ClearRecord,
  canonicalJson,
  type JsonObject,
  type MediaPart,
  type TextPart,
  type ToolResultEnvelope,
  toolResultText,
} from "@threadfold/core";
import { escapeLookAlikes } from "./look-alikes.ts";
import { type BodyPlace, type RecallTools, readOnLines } from "./recall-tools.ts";

/**
 * Renders a preview of a result that the model has not read yet and that does not fit: what it is, its two ends around
 * what is left out, and how to read the rest (images next to a text cannot be read back). It is data: nothing in it can
 * look like one of our frames.
 */
export function previewLines(
  result: ToolResultEnvelope,
  { headCharacters, tailCharacters, leftOutTokens }: BodyPreview,
  place: BodyPlace,
  recall: RecallTools,
): readonly string[] {
  const body = toolResultText(result.content);
  const head = body.slice(0, headCharacters);
  const isAllText = headCharacters >= body.length;
  const isNoText = headCharacters + tailCharacters === 0;
  const shown = isAllText || isNoText ? "" : ", of which the beginning and the end are shown";
  const tail = tailCharacters === 0 ? "" : body.slice(-tailCharacters);
  return [
    `${toolOutcome(result)}; ${body.length} characters${shown}`,
    ...[head, `[… ${leftOutTokens} tokens left out …]`, tail]
      .filter((piece) => piece !== "")
      .map((piece) => escapeLookAlikes(piece).toWellFormed()),
    ...(isAllText ? [] : readOnLines(place, headCharacters, recall)),
  ];
}

/** No sensible tool name is longer, but the log may contain any. In UTF-16 code units. */
const MAX_TOOL_NAME = 80;

/** Returns the name of the tool and the outcome of the call. */
export const toolOutcome = ({ toolName, outcome }: ToolResultEnvelope): string =>
  `${singleLine(toolName, MAX_TOOL_NAME)}: ${outcome}`;

/** Returns key fields as one line, or no line when there are none. */
export function keyDataLines(fields: JsonObject | undefined): readonly string[] {
  return fields === undefined || Object.keys(fields).length === 0 ? [] : [`Key data: ${canonicalJson(fields)}`];
}

const MAX_NAME = 80;

/** Returns the text that replaces an image or document. */
export function mediaMarker(
  { type, source, name }: MediaPart,
  why: "cleared" | "left out" | "below the results",
): TextPart {
  const about = [source.mediaType, name].filter((word) => word !== undefined).map((word) => singleLine(word, MAX_NAME));
  return { type: "text", text: `[${type} ${why}${about.length === 0 ? "" : `: ${about.join(", ")}`}]` };
}

/** Control characters, line ends, and characters that change the text direction or are invisible. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/gu;

/** Truncates a text and puts it on one line, so that it cannot break out of its line in a placeholder. */
export function singleLine(text: string, maxCharacters: number): string {
  const head = text.length > maxCharacters ? `${cutAt(text, maxCharacters)}…` : text;
  return head.replace(UNSEEN, " ");
}

/** Returns the first characters of a text, never half a surrogate pair. In UTF-16 code units. */
function cutAt(text: string, characters: number): string {
  const last = text.charCodeAt(characters - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? characters - 1 : characters);
}

/** Returns the last characters of a text, never half a surrogate pair. In UTF-16 code units. */
function tailFrom(text: string, characters: number): string {
  const start = text.length - characters;
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}

/** Cutting out less than this would not shorten a text. In UTF-16 code units. */
const MARKER_LENGTH = 40;

/** Keeps the beginning and the end of a text, with a marker in between that says how much is left out. */
export function truncateMiddle(text: string, keep: NonNullable<ClearRecord["keep"]>): string {
  if (text.length <= keep.headCharacters + keep.tailCharacters + MARKER_LENGTH) return text;
  const head = cutAt(text, keep.headCharacters);
  const tail = keep.tailCharacters === 0 ? "" : tailFrom(text, keep.tailCharacters);
  const marker = `[… ${text.length - head.length - tail.length} characters left out …]`;
  return [head, marker, tail].filter((piece) => piece !== "").join("\n");
}
