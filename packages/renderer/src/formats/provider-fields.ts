import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type ProviderMetadata,
  parseJson,
  type ToolCallPart,
} from "@threadfold/core";
import { derivation } from "../input/derivation.ts";
import { isPlainObject } from "../legality/legality-rule.ts";

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

/** {@link joinedSchema} as OpenAI wants it: with its properties listed, even when there are none. */
export function openaiSchema(schema: JsonObject): JsonObject {
  const joined = joinedSchema(schema, null);
  return joined.type === "object" && !isPlainObject(joined.properties) ? { ...joined, properties: {} } : joined;
}

const ALTERNATIVES = ["allOf", "anyOf", "oneOf"] as const;

/** Keywords of alternatives and conditions, which Anthropic and OpenAI reject at the top of a tool's schema. */
export const REFUSED_AT_TOP: readonly string[] = [...ALTERNATIVES, "enum", "const", "not"];

/**
 * A tool's schema without what is rejected at its top: alternatives become one object with the properties of all, of
 * which those are required that every alternative requires. The model can still call the tool in each of these ways.
 */
export const joinedSchema = derivation((schema: JsonObject, _key: null): JsonObject => {
  const isPlain = !Array.isArray(schema.type) && !REFUSED_AT_TOP.some((keyword) => schema[keyword] !== undefined);
  return isPlain ? objectSchema(schema) : joined(schema, { root: schema, seen: new Set() });
});

interface WholeSchema {
  /** The tool's schema, to which references point. */
  readonly root: JsonObject;
  /** Schemas that are already part of it: references may go round in circles, and meet again. */
  readonly seen: Set<JsonObject>;
}

function joined(schema: JsonObject, whole: WholeSchema): JsonObject {
  whole.seen.add(schema);
  const [all = [], any = [], one = []] = ALTERNATIVES.map((keyword) =>
    listOf(schema[keyword]).map((branch) => {
      const target = resolved(branch, whole.root);
      return whole.seen.has(target) ? {} : joined(target, whole);
    }),
  );
  const properties = joinedProperties(schema, [...all, ...any, ...one]);
  const required = new Set([schema, ...all].flatMap(requiredBy));
  for (const alternatives of [any, one]) for (const name of requiredByEach(alternatives)) required.add(name);
  const kept = Object.entries(schema).filter(([keyword]) => !REFUSED_AT_TOP.includes(keyword));
  return {
    ...(Object.fromEntries(kept) as JsonObject),
    type: typeof schema.type === "string" ? schema.type : "object",
    properties,
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** The schema's own properties stay as they are; alternatives that disagree on another one are alternatives of it. */
function joinedProperties({ properties: own }: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const found = new Map<string, Map<string, JsonValue>>();
  for (const { properties } of branches) {
    for (const [name, schema = null] of Object.entries(isPlainObject(properties) ? properties : {})) {
      const known = found.get(name) ?? new Map<string, JsonValue>();
      found.set(name, known.set(canonicalJson(schema as JsonValue), schema as JsonValue));
    }
  }
  const joint = Array.from(found, ([name, schemas]): readonly [string, JsonValue] => {
    const [first = null, ...others] = schemas.values();
    return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
  });
  return Object.fromEntries([
    ...Object.entries(isPlainObject(own) ? own : {}),
    ...joint.filter(([name]) => !has(own, name)),
  ]) as JsonObject;
}

const has = (object: unknown, name: string): boolean => isPlainObject(object) && Object.hasOwn(object, name);

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const requiredBy = ({ required }: JsonObject): readonly string[] =>
  listOf(required).filter((name) => typeof name === "string");

function requiredByEach([first, ...others]: readonly JsonObject[]): readonly string[] {
  if (first === undefined) return [];
  return requiredBy(first).filter((name) => others.every((other) => requiredBy(other).includes(name)));
}

/** Returns what a reference into the same schema points to; anything that cannot be found accepts everything. */
function resolved(branch: JsonValue, root: JsonObject): JsonObject {
  if (!isPlainObject(branch)) return {};
  const reference = branch.$ref;
  if (typeof reference !== "string") return branch as JsonObject;
  const [, place = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  const definitions = root[place];
  const found = isPlainObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return isPlainObject(found) ? (found as JsonObject) : {};
}
