import { type JsonObject, type SystemEntry, toSystemText } from "@threadfold/core";
import { messageOptions } from "./message-options.ts";
import { withOptions } from "./provider-options.ts";

/** A system text as an instruction, with the options of providers that it came with. */
export function lowerSystem(entry: SystemEntry): JsonObject {
  const { text, providerMetadata } = toSystemText(entry);
  return withOptions({ role: "system", content: text }, messageOptions(providerMetadata));
}
