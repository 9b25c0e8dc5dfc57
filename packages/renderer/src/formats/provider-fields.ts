import type { JsonObject, JsonValue, ProviderMetadata } from "@threadfold/core";

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
