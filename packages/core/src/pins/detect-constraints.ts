import { sha256 } from "../json/sha256.ts";
import { asPinId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import { visibleText } from "../model/message-header.ts";
import type { Pin } from "../thread/pin.ts";

/** Longer sentences are prose or data, not rules. In UTF-16 code units. */
const MAX_SENTENCE = 400;
/** Longer texts are pasted documents; their first and last part is where people put rules. In UTF-16 code units. */
const MAX_SCANNED = 20_000;

/**
 * Words that mark a standing constraint at the place where a sentence gives an order. A marker inside code, a quote or a
 * question is no order.
 */
const STANDING_RULE =
  /^(?:(?:please|and|but|also|important|note|remember|rule|warning|caution)[:,!]?\s+)*(?:(?:you|we|it|this|that|they)\s+)?(?:never\b|always\b|do\s+not\s+(?:ever\b|.*\bwithout\b|touch|delete|remove|change|modify|edit|push|commit|use|run|create|write|add|install|include|mention)|don['’]t\s+(?:ever\b|.*\bwithout\b|touch|delete|remove|change|modify|edit|push|commit|use|run|create|write|add|install|include|mention)|must\b|mustn['’]t\b|should\s+never\b|make\s+sure\s+(?:to\s+)?(?:never|always|not)\b|only\s+(?:use|edit|change|run|write|modify|touch)\b|(?:ask|confirm|check)\s+(?:me\s+)?(?:first\s+)?before\b)/iu;
const RULE_INSIDE =
  /\b(?:must\s+(?:not|never|always|be|only)|never\s+\p{L}+|only\s+\p{L}+.*\bif\b|under\s+no\s+circumstances)\b/iu;

/**
 * Finds standing constraints ("never", "always", "do not … without", "must", "only … if") in what a user or the system
 * said, sentence by sentence. Each becomes a pin with the exact text and where it stands. Deterministic, linear in the
 * text, and blind to tool output, summaries and anything that nobody typed.
 */
export function detectConstraints(message: Message): readonly Pin[] {
  if (message.role !== "user" && message.role !== "system") return [];
  if (message.origin !== undefined || message.branch !== undefined) return [];
  const pins: Pin[] = [];
  let offset = 0;
  for (const part of message.parts) {
    if (part.type !== "text") {
      offset += visibleText({ parts: [part] }).length + 1;
      continue;
    }
    for (const { start, text } of sentences(part.text.slice(0, MAX_SCANNED))) {
      if (!isStandingRule(text) || !text.isWellFormed()) continue;
      pins.push({
        id: asPinId(`pin-${sha256(`${message.id}\n${text}`).slice(0, 16)}`),
        text,
        authority: message.role === "system" ? "system" : "user",
        origin: "detector",
        source: { messageId: message.id, start: offset + start, end: offset + start + text.length },
      });
    }
    offset += part.text.length + 1;
  }
  return pins;
}

function isStandingRule(sentence: string): boolean {
  if (sentence.length < 8 || sentence.length > MAX_SENTENCE || sentence.endsWith("?")) return false;
  return STANDING_RULE.test(sentence) || RULE_INSIDE.test(sentence);
}

/** Splits text at line ends and sentence ends, skipping fenced code. List marks at the start are not part of a sentence. */
function* sentences(text: string): Generator<{ readonly start: number; readonly text: string }> {
  let fenced = false;
  let lineStart = 0;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    else if (!fenced && line.length <= 4 * MAX_SENTENCE) yield* sentencesOfLine(line, lineStart);
    lineStart += line.length + 1;
  }
}

function* sentencesOfLine(
  line: string,
  lineStart: number,
): Generator<{ readonly start: number; readonly text: string }> {
  const mark = /^\s*(?:[-*+•]|\d{1,3}[.)])?\s*/.exec(line)?.[0].length ?? 0;
  let start = mark;
  for (let index = mark; index < line.length; index++) {
    const ends = /[.!?]/.test(line[index] as string) && /^(?:\s|$)/.test(line.slice(index + 1, index + 2));
    if (!ends) continue;
    yield { start: lineStart + start, text: line.slice(start, index + 1) };
    start = index + 1;
    while (line[start] === " ") start++;
  }
  if (start < line.length) yield { start: lineStart + start, text: line.slice(start).trimEnd() };
}
