import {
  asPinId,
  type Message,
  type Pin,
  ruleKey,
  rulesBehind,
  type StructuredSummary,
  type SummaryChange,
} from "@threadfold/core";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import { statementKey } from "../text/excerpt.ts";

const USER_WORTH = 2;
const SYSTEM_WORTH = 1;

/**
 * The standing rules of a span: those that the detector of pins finds there and that hold behind its end. A pinned rule
 * needs no second copy, and what the span takes back of the summary before is resolved.
 */
export class ConstraintCollector implements SpanCollector {
  harvest({ messages, previous, pins }: HarvestContext): Harvest {
    const before = rulesOf(previous);
    const standing = rulesBehind(messages, [...pins, ...before]);
    const holding = new Set(standing.map(ruleKey));
    const pinned = pins.map(({ text }) => statementKey(text)).join("\n");
    const known = new Set<Pin>([...pins, ...before]);
    const candidates = standing
      .filter((rule) => !known.has(rule) && !pinned.includes(statementKey(rule.text)))
      .flatMap((rule): readonly Candidate[] => candidateOf(rule, messages));
    const changes = before
      .filter((rule) => !holding.has(ruleKey(rule)))
      .map((rule): SummaryChange => ({ op: "resolve", section: "constraints", itemId: rule.id, reason: "taken back" }));
    return { candidates, changes };
  }
}

function candidateOf({ text, authority, source }: Pin, messages: readonly Message[]): readonly Candidate[] {
  const said = messages.find(({ id }) => id === source?.messageId);
  if (said === undefined) return [];
  // Among rules of one source, shorter ones bind more per token.
  const worth = (authority === "system" ? SYSTEM_WORTH : USER_WORTH) + 1 / (1 + text.length / 100);
  return [{ section: "constraints", item: { text, sources: [said.id] }, worth }];
}

/** The rules of a summary, as if a user had said them. */
const rulesOf = (summary: StructuredSummary | null): readonly Pin[] =>
  (summary?.constraints ?? []).map(({ id, text }) => ({
    id: asPinId(id),
    text,
    authority: "user",
    origin: "detector",
  }));
