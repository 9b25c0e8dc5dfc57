import {
  applySummaryChanges,
  type CompletionModel,
  canonicalJson,
  checkCalls,
  checkEach,
  checkOptions,
  isUnsettled,
  type JsonObject,
  type ModelMeter,
  renderSummary,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  type SummaryChange,
  saidIn,
  sourcedItems,
  visibleText,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { rejection } from "../llm/answer/rejection.ts";
import { codeWords, isInvented, namesIn, type SpanEvidence, spanEvidence } from "../llm/answer/span-evidence.ts";
import { meteredModel } from "../llm/call/call-model.ts";
import { cutMiddle } from "../text/excerpt.ts";
import { jsonObjects } from "../text/json-objects.ts";

/** A summary before it is accepted: the request, the changes that came back, and the resulting summary. */
export interface SummaryProposal {
  readonly request: SummarizeRequest;
  readonly changes: readonly SummaryChange[];
  /** The previous summary with the changes merged into it. */
  readonly summary: StructuredSummary;
}

/** One condition that a summary must meet to be accepted. */
export interface SummaryCheck {
  /** Name of the check; becomes the `reason` in the details of a failure. */
  readonly name: string;
  /** Returns what is wrong, in a few words, or null. */
  problem(proposal: SummaryProposal): string | null | Promise<string | null>;
}

/**
 * Refuses changes that leave an empty summary (S18). No changes at all mean that there was nothing to say, and pass.
 */
export const notBlank: SummaryCheck = Object.freeze({
  name: "blank",
  problem: ({ changes, summary }) => {
    const says =
      summary.originalTask !== null ||
      (summary.narrative?.text ?? "").trim() !== "" ||
      (summary.currentTask ?? "").trim() !== "" ||
      (summary.currentPlan ?? []).length > 0 ||
      SUMMARY_SECTIONS.some((section) => summary[section].length > 0);
    return changes.length === 0 || says ? null : "the summary says nothing";
  },
} satisfies SummaryCheck);

/** Refuses changes whose items name messages that are neither in the span nor sources of the previous summary (P10). */
export const sourcesKnown: SummaryCheck = Object.freeze({
  name: "foreign-source",
  problem: ({ request: { span, previous }, changes }) => {
    const known = new Set<string>(span.messageIds);
    for (const { sources } of previous === null ? [] : sourcedItems(previous))
      for (const source of sources) known.add(source);
    const named = changes.flatMap((change) => saidIn(change)?.sources ?? []);
    return named.every((source) => known.has(source)) ? null : "an item names a message of another span";
  },
} satisfies SummaryCheck);

/** Refuses changes that remove a constraint, or that remove open work without a status for it (P5). */
export const rulesKept: SummaryCheck = Object.freeze({
  name: "rule-lost",
  problem: ({ request: { previous }, changes }) => {
    if (previous === null) return null;
    const rules = new Set(previous.constraints.map(({ id }) => id));
    const open = new Set(previous.openItems.filter(isUnsettled).map(({ id }) => id));
    const lost = changes.some(
      (change) => (removes(change) && rules.has(change.itemId)) || (change.op === "resolve" && open.has(change.itemId)),
    );
    return lost ? "a rule or open work of the summary before was taken out" : null;
  },
} satisfies SummaryCheck);

const removes = (change: SummaryChange): change is SummaryChange & { readonly op: "resolve" | "supersede" } =>
  change.op === "resolve" || change.op === "supersede";

/**
 * Refuses changes that name an identifier, path or number found neither in the span nor in the previous summary, where
 * it would be if it had been copied exactly. A narrative is refused when most of its names are found nowhere. Text that
 * code inserts, such as markers of omissions, is ignored.
 */
export const identifiersExact: SummaryCheck = Object.freeze({
  name: "invented-identifier",
  problem: ({ request, changes }) => {
    const evidence = spanEvidence(request.messages, new Set(), request.previous);
    const invented = changes.flatMap((change) =>
      change.op === "set-narrative"
        ? inventedNames(change.narrative.text, request, evidence)
        : inventedIn(change, evidence),
    );
    return invented.length === 0 ? null : `${invented.length} identifiers, paths or numbers stand nowhere in the span`;
  },
} satisfies SummaryCheck);

function inventedIn(change: SummaryChange, evidence: SpanEvidence): readonly string[] {
  if (change.op !== "add" && change.op !== "supersede") return [];
  const { item } = change;
  switch (change.section) {
    case "identifiers":
      if ("where" in item) return wordsIn(Object.values(item), evidence);
      return "text" in item && !evidence.holds(item.text) ? [item.text] : [];
    case "files":
      return "path" in item && !holdsJoined(item.path, evidence) ? [item.path] : [];
    default:
      return wordsIn(Object.values(item), evidence);
  }
}

/** Prose spells names its own way, so it is refused only when most of its names are found nowhere. */
function inventedNames(text: string, request: SummarizeRequest, evidence: SpanEvidence): readonly string[] {
  const names = namesIn(text.replace(MARKER, " "), request, evidence);
  return isInvented(names) ? names.unknown : [];
}

const wordsIn = (values: readonly unknown[], evidence: SpanEvidence): readonly string[] =>
  values
    .filter((value): value is string => typeof value === "string")
    .flatMap((text) => codeWords(text.replace(MARKER, " ")))
    .filter((word) => !evidence.holds(word) && !(word.startsWith("/") && holdsJoined(word, evidence)));

/** A path may be joined from the folders that a command went into and the path that it named there. */
function holdsJoined(path: string, evidence: SpanEvidence): boolean {
  if (evidence.holds(path)) return true;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
    if (evidence.holds(path.slice(at + 1))) return holdsJoined(path.slice(0, at), evidence);
  return false;
}

/** Matches an ellipsis that marks cut text, with the words next to it, which may be cut as well. */
const MARKER = /(?:(?<!\S)\S+\s?)?…\S*/g;

/** The headings of a summary take about as many tokens with one line, however short the message is that it tells. */
const SHORTEST_SUMMARY = 64;

/**
 * Refuses a summary with at least as many tokens as the previous summary and the messages together (S32, inflated). One
 * of up to 64 tokens is never refused: a single short message may be all that a span consists of.
 */
export const smallerThanInput: SummaryCheck = Object.freeze({
  name: "inflated",
  problem: ({ request: { messages, previous, countTokens }, summary }) => {
    const output = countTokens(renderSummary(summary));
    if (output <= SHORTEST_SUMMARY) return null;
    let input = previous === null ? 0 : countTokens(renderSummary(previous));
    for (const message of messages) {
      if (output < input) return null;
      const text = visibleText(message);
      const beginning = text.slice(0, (output - input + 1) * MOST_CHARACTERS);
      const tokens = countTokens(beginning);
      // Counted to its end only when its beginning is not enough: a span is much longer than its summary.
      input += output < input + tokens || beginning.length === text.length ? tokens : countTokens(text);
    }
    return output < input ? null : `the summary takes ${output} tokens, its input ${input}`;
  },
} satisfies SummaryCheck);

/** Hardly any text has more characters per token. */
const MOST_CHARACTERS = 16;

/**
 * Refuses a summary that lacks key fields declared by tools in the span, or declared ones of the previous summary. A
 * fold adds those itself, so it does not need this check; it is for hosts that summarize without a fold.
 */
export const keyFieldsPresent: SummaryCheck = Object.freeze({
  name: "key-fields-missing",
  problem: ({ request: { messages, previous }, summary }) => {
    const declared = [
      ...messages.flatMap(({ id, parts }) =>
        parts.flatMap((part) => {
          const fields = part.type === "tool-result" ? part.result.keyFields : undefined;
          return fields === undefined ? [] : [{ source: id, fields }];
        }),
      ),
      ...(previous?.toolOutcomes ?? []).flatMap(({ declared: isDeclared, sources: [source], keyFields }) =>
        isDeclared === true && source !== undefined ? [{ source, fields: keyFields }] : [],
      ),
    ];
    const missing = declared.filter(({ source, fields }) => !holds(summary, source, fields));
    return missing.length === 0
      ? null
      : `the key fields of ${missing.length} of ${declared.length} results are not in the summary`;
  },
} satisfies SummaryCheck);

const holds = ({ toolOutcomes }: StructuredSummary, source: string, fields: JsonObject): boolean =>
  toolOutcomes.some(
    ({ sources, keyFields }) =>
      sources.some((id) => id === source) &&
      Object.entries(fields).every(
        ([name, value]) => value === undefined || canonicalJson(keyFields[name] ?? null) === canonicalJson(value),
      ),
  );

/**
 * Refuses a summary that lacks the text of a pin. Threadfold's renderer shows pins next to summaries, so a fold does
 * not need this check; it is for hosts that send only the summary.
 */
export const pinsPresent: SummaryCheck = Object.freeze({
  name: "pin-missing",
  problem: ({ request: { pins }, summary }) => {
    const text = flat(renderSummary(summary));
    const missing = pins.filter((pin) => !text.includes(flat(pin.text)));
    return missing.length === 0 ? null : `${missing.length} of ${pins.length} pins are not in the summary`;
  },
} satisfies SummaryCheck);

/** Rendering indents continuation lines, so texts are compared with all white space normalized. */
const flat = (text: string): string => text.replace(/\s+/g, " ");

/** Checks for any summary by a model or a third party. Tool calls need none: a `SummarizeResult` cannot contain one. */
export const DEFAULT_CHECKS: readonly SummaryCheck[] = Object.freeze([
  notBlank,
  sourcesKnown,
  rulesKept,
  identifiersExact,
  smallerThanInput,
]);

/**
 * Wraps a summarizer so that its summaries are checked before they are accepted. When a check finds a problem,
 * `summarize` throws `SUMMARIZER_FAILED` with the check's name as the reason, and the fold continues without the
 * summarizer, as with any summarizer that fails.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is no summarizer, or when one of the checks is none.
 */
export function checkedSummarizer(inner: Summarizer, checks: readonly SummaryCheck[] = DEFAULT_CHECKS): Summarizer {
  checkCalls("inner", inner, ["summarize"]);
  checkEach("checks", checks, ["problem"]);
  const names = checks.map(({ name }) => name);
  return {
    id: `${inner.id} checked`,
    identity: { summarizer: "checked", checks: names, inner: inner.identity ?? inner.id },
    async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
      const result = await reported(inner, request);
      const { summary } = applySummaryChanges(request.previous, request.span, result.changes);
      for (const check of checks) {
        const problem = await check.problem({ request, changes: result.changes, summary });
        if (problem !== null) throw rejection(check.name, problem);
      }
      return result;
    },
  };
}

/**
 * Summarizes, and reports what a summarizer took that did not report it: a check that asks a model does, and whoever
 * counts requests takes it that all of them are reported.
 */
async function reported(inner: Summarizer, request: SummarizeRequest): Promise<SummarizeResult> {
  const { meter } = request;
  if (meter === undefined) return inner.summarize(request);
  let [isAsked, isAnswered] = [false, false];
  const watched: ModelMeter = {
    asked: () => {
      isAsked = true;
      meter.asked();
    },
    answered: (usage) => {
      isAnswered = true;
      meter.answered(usage);
    },
  };
  const result = await inner.summarize({ ...request, meter: watched });
  if (isAnswered || result.usage === undefined) return result;
  if (!isAsked) meter.asked();
  meter.answered(result.usage);
  return result;
}

/** Options of {@link secondOpinion}. */
export interface SecondOpinionOptions {
  /** The model to ask. A different model from the one that wrote the summary notices more. */
  readonly model: CompletionModel;
  /** The most tokens of the span that the model is shown; 60 000 by default. */
  readonly maxInputTokens?: number;
  /** What to do when the model returns no usable verdict. `accept` by default: it is a second look, not a gate. */
  readonly otherwise?: "accept" | "refuse";
}

const SYSTEM =
  "You check notes that were taken of a conversation, before they replace it. Look for statements that contradict the conversation, rules or unfinished work that are missing, and work that is called done and is not. Style and brevity are no faults.";
const ASK =
  'Answer with one JSON object and nothing else: { "verdict": "good" } or { "verdict": "bad", "problem": "the worst fault, in one sentence" }.';
const verdictSchema = z.object({ verdict: z.enum(["good", "bad"]), problem: z.string().default("") });

/**
 * Returns a check that asks another model whether the notes represent the span faithfully.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a model, or for an option that makes no sense.
 */
export function secondOpinion(options: SecondOpinionOptions): SummaryCheck {
  checkOptions("options", options, { model: "any", maxInputTokens: "figure", otherwise: ["accept", "refuse"] });
  const { model, maxInputTokens = 60_000, otherwise = "accept" } = options;
  checkCalls("model", model, ["complete"]);
  return {
    name: "second-opinion",
    problem: async (proposal) => {
      const text = await answerOf(model, proposal, maxInputTokens);
      for (const value of text === null ? [] : jsonObjects(text)) {
        const parsed = verdictSchema.safeParse(value);
        if (parsed.success) return parsed.data.verdict === "good" ? null : parsed.data.problem || "the notes are bad";
      }
      proposal.request.signal?.throwIfAborted();
      return otherwise === "accept" ? null : "there was no second opinion";
    },
  };
}

async function answerOf(
  model: CompletionModel,
  { request: { messages, countTokens, meter, signal }, summary }: SummaryProposal,
  maxInputTokens: number,
): Promise<string | null> {
  const said = messages.map((message) => canonicalJson([message.role, visibleText(message)])).join("\n");
  const text = [
    `The conversation, one message a line as JSON:\n${cutMiddle(said, maxInputTokens, countTokens)}`,
    `The notes, as a JSON string:\n${canonicalJson(renderSummary(summary))}`,
    ASK,
  ].join("\n\n");
  try {
    const result = await meteredModel(model, meter).complete({
      system: SYSTEM,
      messages: [{ role: "user", text }],
      maxOutputTokens: 500,
      ...(signal !== undefined && { signal }),
    });
    return result.toolCalls === 0 ? result.text : null;
  } catch {
    return null;
  }
}
