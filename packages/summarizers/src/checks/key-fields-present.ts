import { canonicalJson, type JsonObject, type StructuredSummary } from "@threadfold/core";
import type { SummaryCheck } from "./summary-check.ts";

/**
 * Refuses a summary that lacks key fields which tools of the span declared, or declared ones of the summary before. A fold
 * writes them itself, so it does not need this check; it is for hosts that summarize without one.
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
