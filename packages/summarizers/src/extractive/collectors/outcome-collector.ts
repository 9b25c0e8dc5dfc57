import type { JsonObject, JsonValue } from "@threadfold/core";
import { errorLine } from "../reading/error-line.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";

const MAX_FIELDS = 4;
const MAX_VALUE = 80;
const DECLARED_WORTH = 3;

/**
 * Finds the outcomes of tools that neither touch files nor run commands: orders, look-ups, calls to services. Key fields
 * that a tool declared survive every fold; for the others the short arguments tell what was done.
 */
export class OutcomeCollector implements SpanCollector {
  readonly #outcomes: { readonly result: ResultReading; readonly keyFields: JsonObject }[] = [];

  result(result: ResultReading): void {
    const { envelope, call } = result;
    if (envelope.keyFields !== undefined) this.#outcomes.push({ result, keyFields: envelope.keyFields });
    else if (call?.kind === "other" || call?.kind === "agent") {
      const keyFields = shortFields(call.input);
      if (Object.keys(keyFields).length > 0) this.#outcomes.push({ result, keyFields });
    }
  }

  harvest({ messages }: HarvestContext): Harvest {
    return {
      candidates: this.#outcomes.map(({ result, keyFields }) => candidateOf(result, keyFields, messages.length)),
    };
  }
}

function candidateOf(
  { envelope, failed, text, place }: ResultReading,
  keyFields: JsonObject,
  length: number,
): Candidate {
  const declared = envelope.keyFields === undefined ? 0 : DECLARED_WORTH;
  return {
    section: "toolOutcomes",
    item: {
      toolName: envelope.toolName,
      outcome: failed && envelope.outcome === "success" ? "failure" : envelope.outcome,
      keyFields,
      errorMessage: failed ? errorLine(text, false) : null,
      sources: [place.messageId],
    },
    worth: declared + (place.position + 1) / length,
  };
}

function shortFields(input: JsonValue): JsonObject {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return {};
  const short = Object.entries(input).filter(([, value]) => isShort(value));
  return Object.fromEntries(short.slice(0, MAX_FIELDS));
}

const isShort = (value: JsonValue | undefined): boolean =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && value.length > 0 && value.length <= MAX_VALUE);
