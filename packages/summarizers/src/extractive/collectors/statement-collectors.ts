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
import { statementKey } from "../../text/excerpt.ts";
import type { Place, Speech } from "../reading/speech.ts";
import { DECISION, PREFERENCE, RULE } from "../text/phrases.ts";
import { isGuess, isPassing } from "../text/sentence.ts";
import { InstructionWords } from "../text/words.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector } from "./span-collector.ts";

const USER_WORTH = 2;
const SYSTEM_WORTH = 1;
/** Messages that are looked at in one step, in less than a millisecond. */
const AT_A_TIME = 2_048;

/**
 * Finds the standing rules of a span: those that the pin detector finds there and that are still in force at its end. A
 * pinned rule needs no second copy, and rules of the previous summary that the span withdraws are resolved.
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
    const said = new Set(standing.map(({ source }) => source?.messageId));
    const inSpan = new Set<MessageId>();
    for (const [index, { id }] of messages.entries()) {
      if (index % AT_A_TIME === 0) yield;
      if (said.has(id)) inSpan.add(id);
    }
    for (const rule of standing) {
      yield;
      holding.add(ruleKey(rule));
      if (known.has(rule) || pinned.includes(statementKey(rule.text))) continue;
      if (rule.source !== undefined && inSpan.has(rule.source.messageId))
        this.#candidates.push(ruleCandidate(rule, rule.source.messageId));
    }
    this.#changes = before
      .filter((rule) => !holding.has(ruleKey(rule)))
      .map((rule) => ({ op: "resolve", section: "constraints", itemId: rule.id, reason: "taken back" }));
  }

  harvest(): Harvest {
    return { candidates: this.#candidates, changes: this.#changes };
  }
}

function ruleCandidate({ text, authority }: Pin, said: MessageId): Candidate {
  // Of rules with the same authority, shorter ones are worth more per token.
  const worth = (authority === "system" ? SYSTEM_WORTH : USER_WORTH) + 1 / (1 + text.length / 100);
  return { section: "constraints", item: { text, sources: [said] }, worth };
}

/** The rules of a summary as pins, as if a user had said them. */
const rulesOf = (summary: StructuredSummary | null): readonly Pin[] =>
  (summary?.constraints ?? []).map(({ id, text }) => ({
    id: asPinId(id),
    text,
    authority: "user",
    origin: "detector",
  }));

/** Words about tool use: what an agent says before it calls a tool is not a decision. */
const ABOUT_TOOLS =
  /\b(?:tool|command|grep|search(?:ing)?|look(?:ing)? (?:at|for)|read(?:ing)? the|list(?:ing)?|bash|sed)\b/i;
/** Statements of fact, questions and objections, which are not decisions. */
const STATES = new RegExp(
  [
    "(?:\\b(?:is|are|was|were|has|had)|(?<!\\blet)['’](?:s|re|m))\\b(?! now\\b)[^.;]{0,80}\\b(?:instead of|rather than)\\b",
    "\\b(?:is|are|was|were|be|been) (?:\\w+ly )?(?:decided|chosen)\\b(?! (?:to|that|on|against)\\b)",
    "^(?:whether|confirm|but (?:this|that|it))\\b",
    "^the (?:change|fix|idea|switch|use) (?:to|of)\\b.{0,120}\\b(?:is|are|was|were)\\b",
    "(?<!\\b(?:we|i)) should (?!(?:now |just |also )?(?:use|be using)\\b)\\w+.{0,120}\\b(?:instead of|rather than)\\b",
  ].join("|"),
  "i",
);
/** What code does, or was made to do: a report, whatever the code does it instead of. */
const REPORTS = new RegExp(
  [
    "^(?:now,? )?(?:(?:it|this|that|they|which) )?(?:(?:now|just|only|also|simply) )*(?:uses|takes|returns|reads|shows|gives|calls|checks|gets|sends|throws|looks|expects|treats|parses|renders|writes|stores)\\b",
    "^(?:i |i['’]ve |i have )?(?:also |now )?(?:updated|fixed|changed|modified|renamed)\\b",
    "^\\w+: [\"'`“]",
    "^[\\w ]{1,40} [-–] (?:it )?(?:now )?(?:reads|takes|uses)\\b",
    "\\b(?:returns?|returned|gives|gave|prints|printed) \\S{1,40} (?:instead of|rather than)\\b",
  ].join("|"),
  "i",
);
/** What the agent uses next is a decision only if it says what else there was, or why. */
const USES_NEXT = /\b(?:i['’]ll|i will|let['’]s) (?:use|replace|implement)\b/i;
const WEIGHS = /\b(?:instead of|rather than|because|since|so that|decided|over)\b|[—–]/i;
const RATIONALE = /(?<!\s)\s+(?:(?:because|since|so that|weil|parce que|car|porque|因为)|[—–])\s+/iu;
const MIN_DECISION = 20;
const MAX_DECISION = 240;

/** Finds choices that the agent says it made, with the reason if the sentence gives one. */
export class DecisionCollector implements SpanCollector {
  readonly #found: { readonly text: string; readonly place: Place }[] = [];

  agentSpeech({ sentences, place }: Speech): void {
    for (const sentence of sentences) {
      const { text, marks } = sentence;
      if (!(marks & DECISION) || text.length < MIN_DECISION || text.length > MAX_DECISION || /[?:？：]$/.test(text))
        continue;
      // A table row says nothing without the header.
      if (ABOUT_TOOLS.test(text) || text.startsWith("|") || STATES.test(text) || REPORTS.test(text)) continue;
      if (USES_NEXT.test(text) && !WEIGHS.test(text)) continue;
      if (!isPassing(sentence) && !isGuess(text)) this.#found.push({ text, place });
    }
  }

  harvest(): Harvest {
    const last = this.#found.at(-1)?.place.position ?? 0;
    return { candidates: this.#found.map(({ text, place }) => decisionCandidate(text, place, last)) };
  }
}

function decisionCandidate(sentence: string, place: Place, last: number): Candidate {
  const reason = RATIONALE.exec(sentence);
  // A name before a dash is what the rest is about.
  const split = reason !== null && reason.index >= MIN_DECISION ? reason : null;
  const decision = split === null ? sentence : sentence.slice(0, split.index);
  const rationale = split === null ? "" : sentence.slice(split.index + split[0].length);
  return {
    section: "decisions",
    item: {
      decision: decision.replace(/[.。]$/, ""),
      rationale: rationale.replace(/[.。]$/, ""),
      turn: place.turn,
      sources: [place.messageId],
    },
    worth: 1 + (place.position + 1) / (last + 1) + (rationale === "" ? 0 : 0.3),
  };
}

const MAX_FACT = 220;
const FIGURE = /\d|["“«„][^"”»“]{2,60}["”»“]|[$€£¥]/;

interface Fact {
  readonly text: string;
  readonly place: Place;
  readonly worth: number;
}

/** How a user feels about the work, which states nothing. */
const DOUBTS =
  /\bi(?:['’]m| am| have)\b.{0,12}\b(?:feeling|impression|hunch|not sure|unsure|afraid|confused|lost|wondering|question)\b/i;

/** Finds what users state about themselves and their work; statements with figures come first. */
export class FactCollector implements SpanCollector {
  readonly #facts: Fact[] = [];

  userSpeech({ sentences, place }: Speech): void {
    for (const { text, marks } of sentences) {
      if (!(marks & PREFERENCE) || marks & RULE || text.length > MAX_FACT || /[?:？：]$/.test(text)) continue;
      if (DOUBTS.test(text)) continue;
      this.#facts.push({ text, place, worth: FIGURE.test(text) ? 3 : 2 });
    }
  }

  harvest({ messages }: HarvestContext): Harvest {
    const candidates = this.#facts.map(
      ({ text, place, worth }): Candidate => ({
        section: "facts",
        item: { text, sources: [place.messageId] },
        worth: worth + (place.position + 1) / messages.length,
      }),
    );
    return { candidates };
  }
}

const MIN_SENTENCE = 18;

/** Finds the sentences that match a fold's instructions, including those that nothing else would quote. */
export class AskedForCollector implements SpanCollector {
  readonly #words: InstructionWords;
  readonly #sentences: { readonly text: string; readonly place: Place }[] = [];
  #shares: readonly number[] = [];

  constructor(instructions: string | undefined) {
    this.#words = new InstructionWords(instructions);
  }

  userSpeech(speech: Speech): void {
    this.#read(speech);
  }

  agentSpeech(speech: Speech): void {
    this.#read(speech);
  }

  #read({ sentences, place }: Speech): void {
    if (!this.#words.areGiven) return;
    for (const { text } of sentences) if (text.length >= MIN_SENTENCE) this.#sentences.push({ text, place });
  }

  *prepare(): Steps<void> {
    this.#shares = yield* this.#words.sharesInSteps(this.#sentences.map(({ text }) => text));
  }

  harvest(): Harvest {
    const candidates = this.#sentences.flatMap(({ text, place }, index): readonly Candidate[] => {
      const worth = this.#shares[index] as number;
      return worth === 0 ? [] : [{ section: "facts", item: { text, sources: [place.messageId] }, worth }];
    });
    return { candidates };
  }
}
