import type { JsonObject, JsonValue } from "@threadfold/core";
import type { FrameFields } from "@threadfold/session";
import type { WireObject } from "./provider-api.ts";

export const objectOf = (value: unknown): WireObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WireObject) : undefined;

export const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Parses a text as a JSON object; undefined when it is not one. */
export function parsedObject(text: string): WireObject | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the fields of a request that determine what is legal in it, without those that are absent. */
export function hostFields(fields: {
  readonly thinking?: unknown;
  readonly toolChoice?: unknown;
  readonly store?: unknown;
  readonly responseFormat?: unknown;
  readonly betas?: readonly string[];
  readonly contextManagement?: unknown;
}): Pick<FrameFields, "host"> {
  const { thinking, toolChoice, store, responseFormat, betas, contextManagement } = fields;
  return {
    host: {
      ...(objectOf(thinking) && { thinking: thinking as JsonObject }),
      ...(toolChoice !== undefined && { toolChoice: toolChoice as JsonValue }),
      ...(typeof store === "boolean" && { store }),
      ...(objectOf(responseFormat) && { responseFormat: responseFormat as JsonObject }),
      ...(betas !== undefined && { betas }),
      ...(objectOf(contextManagement) && { contextManagement: contextManagement as JsonObject }),
    },
  };
}
