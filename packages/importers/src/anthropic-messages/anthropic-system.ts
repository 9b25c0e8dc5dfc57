import type { SystemEntry } from "@threadfold/core";
import { providerExtras } from "../draft/provider-extras.ts";
import { objectOf, textOf } from "../reading/foreign-value.ts";
import { blocksOf } from "./anthropic-parts.ts";

const TEXT_FIELDS = new Set(["type", "text"]);

/** The system text of an Anthropic request: a string or a list of text blocks, with their cache marks. */
export function anthropicSystem(system: unknown): readonly SystemEntry[] {
  return blocksOf(system).flatMap((block): readonly SystemEntry[] => {
    const fields = objectOf(block);
    const text = textOf(fields?.text)?.toWellFormed();
    if (fields === undefined || text === undefined || text === "") return [];
    const { providerMetadata } = providerExtras("anthropic", fields, TEXT_FIELDS);
    return [providerMetadata === undefined ? text : { text, providerMetadata }];
  });
}
