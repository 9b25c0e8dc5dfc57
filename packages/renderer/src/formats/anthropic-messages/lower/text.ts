import type { JsonObject, TextPart } from "@threadfold/core";
import { withBlockFields } from "./block-fields.ts";

export const lowerText = ({ text, providerMetadata }: TextPart): JsonObject =>
  withBlockFields({ type: "text", text }, "text", providerMetadata);
