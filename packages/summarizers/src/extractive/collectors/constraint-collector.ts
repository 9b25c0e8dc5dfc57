import {
  asPinId,
  type MessageId,
  type Pin,
  ruleKey,
  rulesBehindInSteps,
  type Steps,
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
  readonly #candidates: Candidate[] = [];
  #changes: readonly SummaryChange[] = [];

  *prepare({ messages, previous, pins }: HarvestContext): Steps<void> {
    const before = rulesOf(previous);
    const standing = yield* rulesBehindInSteps(messages, [...pins, ...before]);
    const holding = new Set<string>();
    const pinned = pins.map(({ text }) => statementKey(text)).join("\n");
    const known = new Set<Pin>([...pins, ...before]);
    const inSpan = new Set(messages.map(({ id }) => id));
    for (const rule of standing) {
      yield;
      holding.add(ruleKey(rule));
      if (known.has(rule) || pinned.includes(statementKey(rule.text))) continue;
      if (rule.source !== undefined && inSpan.has(rule.source.messageId))
        this.#candidates.push(candidateOf(rule, rule.source.messageId));
    }
    this.#changes = before
      .filter((rule) => !holding.has(ruleKey(rule)))
      .map((rule) => ({ op: "resolve", section: "constraints", itemId: rule.id, reason: "taken back" }));
  }

  harvest(): Harvest {
    return { candidates: this.#candidates, changes: this.#changes };
  }
}

function candidateOf({ text, authority }: Pin, said: MessageId): Candidate {
  // Among rules of one source, shorter ones bind more per token.
  const worth = (authority === "system" ? SYSTEM_WORTH : USER_WORTH) + 1 / (1 + text.length / 100);
  return { section: "constraints", item: { text, sources: [said] }, worth };
}

/** The rules of a summary, as if a user had said them. */
const rulesOf = (summary: StructuredSummary | null): readonly Pin[] =>
  (summary?.constraints ?? []).map(({ id, text }) => ({
    id: asPinId(id),
    text,
    authority: "user",
    origin: "detector",
  }));
