import { type SystemEntry, type SystemText, systemText, type TextPart, toSystemText } from "@threadfold/core";
import { systemMessages } from "../../../neutral/system-messages.ts";
import type { ResponsesItem } from "../wire-types.ts";
import { lowerContents } from "./content.ts";

/** System texts before the conversation: as one text beside the input, and as its first items. */
export interface LoweredSystem {
  readonly instructions: string | undefined;
  readonly items: readonly ResponsesItem[];
}

export function lowerSystem(system: readonly SystemEntry[]): LoweredSystem {
  const own = system.findIndex((entry) => toSystemText(entry).role !== undefined);
  const instructed = own < 0 ? system : system.slice(0, own);
  return {
    instructions: instructed.length === 0 ? undefined : instructed.map(systemText).join("\n\n"),
    items: own < 0 ? [] : systemMessages(system.slice(own)).map(systemItem),
  };
}

function systemItem(texts: readonly SystemText[]): ResponsesItem {
  const [first] = texts;
  const parts = texts.map(({ text, providerMetadata }): TextPart => {
    return { type: "text", text, ...(providerMetadata !== undefined && { providerMetadata }) };
  });
  return { type: "message", role: first?.role ?? "developer", content: lowerContents(parts) };
}
