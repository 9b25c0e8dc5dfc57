import type { JsonObject, JsonValue, ToolDefinition } from "@threadfold/core";
import { derivation } from "../neutral/derivation.ts";
import type { Repair } from "./conformance.ts";

/** Changes nothing: says which tools have a schema of which the provider does not heed every keyword. */
export const noteSchemaKeywords: Repair = {
  name: "note-schema-keywords",
  end: "first",
  apply(request, { requirements: { schemaKeywords }, warnings }) {
    if (schemaKeywords === undefined) return request;
    for (const tool of request.tools) {
      const beyond = keywordsBeyond(tool, schemaKeywords);
      if (beyond.length > 0) warnings.named("tool-schema-beyond-provider", [`${tool.name} (${beyond.join(", ")})`]);
    }
    return request;
  },
};

const keywordsBeyond = derivation((tool: ToolDefinition, heeded: readonly string[]): readonly string[] => {
  const beyond = new Set<string>();
  visit(tool.inputSchema, (keyword) => {
    if (!heeded.includes(keyword)) beyond.add(keyword);
  });
  return [...beyond].sort();
});

/** Keywords whose value maps names of the tool's own to schemas. */
const MAPS: readonly string[] = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
/** Keywords whose value is data. */
const DATA: readonly string[] = ["enum", "const", "default", "example", "examples", "required", "propertyOrdering"];

function visit(schema: JsonValue | undefined, seen: (keyword: string) => void): void {
  if (Array.isArray(schema)) {
    for (const item of schema) visit(item, seen);
    return;
  }
  if (!isObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    seen(keyword);
    if (DATA.includes(keyword)) continue;
    visit(MAPS.includes(keyword) && isObject(value) ? Object.values(value).map((item) => item ?? null) : value, seen);
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
