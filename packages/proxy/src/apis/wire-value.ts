import type { JsonObject, JsonValue, SystemEntry } from "@threadfold/core";
import type { FrameFields } from "@threadfold/session";
import type { WireObject } from "./provider-api.ts";

export const objectOf = (value: unknown): WireObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WireObject) : undefined;

export const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns the marks with which blocks, messages or tools say that a cached prefix ends with them. */
export const cacheMarksIn = (value: unknown): readonly WireObject[] => {
  const own = objectOf(objectOf(value)?.["cache_control"]);
  const inside = (listOf(value) ?? listOf(objectOf(value)?.["content"]) ?? []).flatMap(cacheMarksIn);
  return own === undefined ? inside : [own, ...inside];
};

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
  readonly systemInside?: boolean;
}): Pick<FrameFields, "host"> {
  const { thinking, toolChoice, store, responseFormat, betas, contextManagement, systemInside } = fields;
  return {
    host: {
      ...(objectOf(thinking) && { thinking: thinking as JsonObject }),
      ...(toolChoice !== undefined && { toolChoice: toolChoice as JsonValue }),
      ...(typeof store === "boolean" && { store }),
      ...(objectOf(responseFormat) && { responseFormat: responseFormat as JsonObject }),
      ...(betas !== undefined && { betas }),
      ...(objectOf(contextManagement) && { contextManagement: contextManagement as JsonObject }),
      ...(systemInside === true && { systemInside }),
    },
  };
}

/** The system messages that a client's list begins with, and the conversation after them. */
export interface OpenedList {
  readonly system: readonly unknown[];
  readonly conversation: readonly unknown[];
}

/**
 * Splits off the system messages that a list begins with. They are not part of the conversation, because many clients
 * change them with every request, such as the time in them. In a list that has nothing else, they are.
 */
export function openedList(list: readonly unknown[]): OpenedList {
  const end = list.findIndex((value) => systemText(value) === undefined);
  return end <= 0 ? { system: [], conversation: list } : { system: list.slice(0, end), conversation: list.slice(end) };
}

/** Returns system messages as entries of a frame, each of which is lowered to one message. */
export const systemEntries = (messages: readonly unknown[]): readonly SystemEntry[] =>
  messages.flatMap((message) => {
    const text = systemText(message)?.toWellFormed() ?? "";
    const role = objectOf(message)?.["role"] === "system" ? ("system" as const) : ("developer" as const);
    return text.trim() === "" ? [] : [{ text, role }];
  });

/** Returns the text of a system message; undefined for any other message, and for one that has more than text. */
function systemText(value: unknown): string | undefined {
  const { role, type = "message", content } = objectOf(value) ?? {};
  if ((role !== "system" && role !== "developer") || type !== "message") return undefined;
  if (typeof content === "string") return content;
  const texts = listOf(content)?.map((part) => objectOf(part)?.["text"]);
  return texts?.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}
