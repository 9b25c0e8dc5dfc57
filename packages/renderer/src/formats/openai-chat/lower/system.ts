import type { JsonObject, SystemEntry } from "@threadfold/core";
import { systemMessages } from "../../../neutral/system-messages.ts";
import { partFields } from "./part-fields.ts";
import { lowerTexts } from "./texts.ts";

/** System texts as the first messages. */
export const lowerSystem = (system: readonly SystemEntry[]): readonly JsonObject[] =>
  systemMessages(system).map((texts) => {
    const [first] = texts;
    return {
      role: first?.role ?? "system",
      content: lowerTexts(texts.map((text) => ({ type: "text", ...text }))),
      ...partFields(first?.providerMetadata, "message"),
    };
  });
