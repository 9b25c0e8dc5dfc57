import type { SystemEntry } from "@threadfold/core";
import { listOf, nonEmptyText, objectOf } from "../reading/foreign-value.ts";
import { metadataOf } from "./ai-sdk-parts.ts";

/** The instructions of a call: a text, a system message or a list of them, each with options of providers. */
export const aiSdkSystem = (instructions: unknown): readonly SystemEntry[] =>
  (listOf(instructions) ?? [instructions]).flatMap((value): readonly SystemEntry[] => {
    const message = objectOf(value);
    const text = nonEmptyText(message === undefined ? value : message.content)?.toWellFormed();
    if (text === undefined) return [];
    const { providerMetadata } = message === undefined ? {} : metadataOf(message);
    return [providerMetadata === undefined ? text : { text, providerMetadata }];
  });
