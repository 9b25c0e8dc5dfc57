import type { JsonObject, TextPart } from "@threadfold/core";
import { withBlockFields } from "./block-fields.ts";

/** A text of a message, or of the system. */
export const lowerText = ({ text, providerMetadata }: Pick<TextPart, "text" | "providerMetadata">): JsonObject =>
  withBlockFields({ type: "text", text }, "text", providerMetadata);
