import type { JsonObject, JsonValue, MessageId, ToolOutcome } from "@threadfold/core";
import { excerpt } from "../../text/excerpt.ts";
import { type CallReading, changedFields, programIn, shortFields } from "../reading/call-reading.ts";
import { complaintIn, labelOf, toldFields, valueIn } from "../reading/result-body.ts";
import { jsonField, lastLines, type ResultReading, toolError } from "../reading/result-reading.ts";
import { failedBefore } from "./question-collector.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector } from "./span-collector.ts";

const DECLARED_WORTH = 3;
const CHANGED_WORTH = 0.8;
/** A failed call that is made again is looked for among so many calls before. */
const LATEST = 64;

interface ServiceOutcome {
  readonly result: ResultReading;
  readonly keyFields: JsonObject;
  /** True for a call that only looked something up, of which nothing is told but what was looked for. */
  readonly isLook: boolean;
}

/**
 * Finds the outcomes of tools that neither touch files nor run commands: key fields that a tool declared, which survive
 * every fold, or else its arguments and result. What was only looked up takes a line for each tool.
 */
export class OutcomeCollector implements SpanCollector {
  #outcomes: ServiceOutcome[] = [];

  result(result: ResultReading): void {
    const { envelope, call, failed } = result;
    if (!failed && call !== null && this.#outcomes.slice(-LATEST).some((one) => failedBefore(one.result, call)))
      this.#outcomes = this.#outcomes.filter((one) => !failedBefore(one.result, call));
    const said = envelope.keyFields ?? saidOnApproval(result);
    if (said !== null) this.#outcomes.push({ result, keyFields: said, isLook: false });
    else if ((call?.kind === "other" && call.questions.length === 0) || call?.kind === "agent") {
      const keyFields = toldFieldsOf(call, result);
      const isLook = call.isLook && !failed && !("result" in keyFields) && !("command" in keyFields);
      if (Object.keys(keyFields).length > 0) this.#outcomes.push({ result, keyFields, isLook });
    }
  }

  harvest({ messages, previous }: HarvestContext): Harvest {
    const looks = Map.groupBy(
      this.#outcomes.filter(({ isLook }) => isLook),
      ({ result, keyFields }) => `${result.envelope.toolName} ${lookedAt(keyFields).name}`,
    );
    return {
      candidates: [
        ...this.#outcomes.filter(({ isLook }) => !isLook).map((outcome) => outcomeCandidate(outcome, messages.length)),
        ...[...looks.values()].map((alike) => looksCandidate(alike, messages.length, previous?.toolOutcomes ?? [])),
      ],
    };
  }
}

function looksCandidate(alike: readonly ServiceOutcome[], length: number, before: readonly ToolOutcome[]): Candidate {
  const newest = outcomeCandidate(alike.at(-1) as ServiceOutcome, length);
  const { name } = lookedAt((alike[0] as ServiceOutcome).keyFields);
  const earlier = before.find(
    ({ toolName, outcome, keyFields, declared }) =>
      declared === undefined &&
      outcome === "success" &&
      toolName === newest.item.toolName &&
      lookedAt(keyFields).name === name,
  );
  const looks = [...(earlier === undefined ? [] : [earlier]), ...alike];
  const values = newestLooks(looks.map(({ keyFields }) => keyFields));
  if (values.length < 2) return newest;
  const places = [...(earlier?.sources ?? []), ...alike.map(({ result }) => result.place.messageId)];
  const item = {
    ...newest.item,
    keyFields: { [name]: values },
    sources: [...new Set([places[0] as MessageId, places.at(-1) as MessageId])],
  };
  return { ...newest, item, ...(earlier !== undefined && { supersedes: earlier.id }) };
}

function outcomeCandidate(
  { result, keyFields }: ServiceOutcome,
  length: number,
): Candidate & { section: "toolOutcomes" } {
  const { envelope, failed, place, call } = result;
  const declared = envelope.keyFields === undefined ? 0 : DECLARED_WORTH;
  return {
    section: "toolOutcomes",
    item: {
      toolName: envelope.toolName,
      outcome: failed && envelope.outcome === "success" ? "failure" : envelope.outcome,
      keyFields,
      errorMessage: failed ? complaintOf(result) : null,
      sources: [place.messageId],
    },
    worth: declared + (place.position + 1) / length + (call?.isLook && !failed ? 0 : CHANGED_WORTH),
  };
}

/** One short line that says something, such as a sum that was asked for. */
const ANSWER = /^(?!(?:ok|done|success|true|null|\W{1,100})$)[^\n]{1,100}$/i;

/** What came of a call that went well, as far as it can be told in a line; undefined when it cannot. */
function cameOf(
  { call, text, failed, envelope: { content } }: ResultReading,
  isProgram: boolean,
): JsonValue | undefined {
  if (failed) return undefined;
  const value = valueIn(content, text);
  if (typeof value === "object" && value !== null) {
    const told = toldFields(value, call?.input ?? null);
    return told === null || (call?.isLook && !isProgram && told !== value) ? undefined : told;
  }
  if (ANSWER.test(text.trim())) return text.trim();
  const last = isProgram ? lastLines(text)[0] : undefined;
  return last === undefined ? undefined : excerpt(last, MAX_CAME);
}

const MAX_CAME = 100;

/** Names of tools that only note what the agent thinks. */
const THINKS = /(?:^|[^a-z]|sequential)(?:think|thought)/i;
/** What the user said on approving the call; null for any other result. */
function saidOnApproval({ envelope }: ResultReading): JsonObject | null {
  const approved = jsonField(labelOf(envelope.content), "feedback");
  return approved === null ? null : { approved };
}

/** Why a call of a service failed, in the service's own words. */
function complaintOf({ text, envelope: { content } }: ResultReading): string | null {
  const value = valueIn(content, text);
  const said = typeof value === "object" && value !== null ? complaintIn(value) : null;
  return excerpt(said ?? toolError(text), MAX_COMPLAINT) || null;
}

const MAX_COMPLAINT = 200;

/** What was done, by the arguments of a call and by what came of it. */
function toldFieldsOf(call: CallReading, result: ResultReading): JsonObject {
  if (THINKS.test(call.toolName)) return {};
  const program = programIn(call.input);
  const { [program?.name ?? ""]: _, ...fields } = call.isLook ? shortFields(call.input) : changedFields(call.input);
  const came = cameOf(result, program !== null);
  return { ...(came !== undefined && { result: came }), ...(program !== null && { command: program.line }), ...fields };
}

/** What calls of one tool looked at, and under which name it is told. */
const lookedAt = (keyFields: JsonObject): { readonly name: string; readonly values: readonly string[] } => {
  const names = Object.keys(keyFields).sort();
  const [only = null] = names.length === 1 ? Object.values(keyFields) : [];
  if (Array.isArray(only)) return { name: names[0] as string, values: only.map(String) };
  return { name: names.join(", "), values: [names.map((name) => String(keyFields[name])).join(", ")] };
};

/** The most things that a tool looked at, the newest of which are told. */
const MOST_LOOKED_AT = 8;

/** Returns what calls of one tool looked at last, each once. */
const newestLooks = (calls: readonly JsonObject[]): readonly string[] =>
  [...new Set(calls.flatMap((keyFields) => lookedAt(keyFields).values).reverse())].slice(0, MOST_LOOKED_AT).reverse();
