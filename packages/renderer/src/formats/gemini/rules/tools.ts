import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asText, type PlainObject } from "../../../legality/plain-object.ts";
import { type GeminiView, placeOf } from "../gemini-view.ts";

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const PROBLEM = "the name has other signs";
const isNamed = ({ name }: PlainObject): boolean => NAME.test(asText(name) ?? "");

export const toolNames: LegalityRule<GeminiView> = {
  id: "tool-names",
  description:
    "Function names begin with a letter or _ and have at most 128 letters, digits, _ . : and -, in calls, responses and definitions.",
  reference: "Tool definitions",
  find: ({ contents, declarations }) => [
    ...declarations
      .filter(({ declaration }) => !isNamed(declaration))
      .map(({ path }) => ({ place: { path: `${path}.name` }, problem: PROBLEM })),
    ...contents.flatMap(({ calls, responses }) =>
      [...calls, ...responses]
        .filter(({ part }) => !isNamed(Object(part.functionCall ?? part.functionResponse)))
        .map((placed) => ({ place: placeOf(placed), problem: PROBLEM })),
    ),
  ],
};

export const toolNamesOnce: LegalityRule<GeminiView> = {
  id: "tool-names-once",
  description: "A function is declared once.",
  reference: "Tool definitions",
  find({ declarations }) {
    const seen = new Set<unknown>();
    return declarations
      .filter(({ declaration: { name } }) => typeof name === "string" && (seen.has(name) || !seen.add(name)))
      .map(({ path }) => ({ place: { path: `${path}.name` }, problem: "the name is taken" }));
  },
};

export const oneSchema: LegalityRule<GeminiView> = {
  id: "one-schema",
  description: "A function has its parameters as an OpenAPI schema or as JSON Schema, not as both.",
  reference: "Tool definitions",
  find: ({ declarations }) =>
    declarations
      .filter(
        ({ declaration }) => declaration.parameters !== undefined && declaration.parametersJsonSchema !== undefined,
      )
      .map(({ path }) => ({ place: { path }, problem: "the function has two schemas" })),
};
