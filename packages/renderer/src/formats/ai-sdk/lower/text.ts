import type { JsonObject, TextPart } from "@threadfold/core";
import { withOptions } from "./provider-options.ts";

export const lowerText = ({ text, providerMetadata }: TextPart): JsonObject =>
  withOptions({ type: "text", text }, providerMetadata);
