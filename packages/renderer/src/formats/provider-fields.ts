import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type ProviderMetadata,
  parseJson,
  type ToolCallPart,
} from "@threadfold/core";
import { derivation } from "../input/derivation.ts";

/**
 * Returns the fields that a provider put on a part, limited to those that its requests accept on that kind of block:
 * any others would be rejected, so each format lists what it accepts.
 *
 * @param names fields as the provider spells them on the wire.
 */
export function providerFields(
  metadata: ProviderMetadata | undefined,
  provider: string,
  names: readonly string[],
): JsonObject {
  const fields = metadata?.[provider];
  if (fields === undefined) return NO_FIELDS;
  const known = names.flatMap((name): readonly (readonly [string, JsonValue])[] => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return value === undefined || value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
}

const NO_FIELDS: JsonObject = Object.freeze({});

/**
 * Returns the arguments of a call as JSON text, serialized once per call. They are the model's own text if the log has
 * it because a double cannot hold one of its numbers, and if nothing changed the call since. Formats that take an object
 * instead of text send the nearest double, as the log has it.
 */
export const argumentsText = derivation(
  (part: ToolCallPart, _key: null): string => exactText(part) ?? JSON.stringify(part.input),
);

function exactText({ input, providerMetadata }: ToolCallPart): string | undefined {
  const text = providerMetadata?.["openai"]?.["arguments"];
  if (typeof text !== "string") return undefined;
  try {
    return canonicalJson(parseJson(text) as JsonValue) === canonicalJson(input) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** A tool's schema as every provider wants it: that of an object. */
export const objectSchema = (schema: JsonObject): JsonObject =>
  schema.type === undefined ? { type: "object", ...schema } : schema;

/** {@link objectSchema} as OpenAI wants it: with its properties listed, even when there are none. */
export function openaiSchema(schema: JsonObject): JsonObject {
  const typed = objectSchema(schema);
  return typed.type === "object" && typed.properties === undefined ? { ...typed, properties: {} } : typed;
}
