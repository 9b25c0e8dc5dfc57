import type { JsonObject, TextPart } from "@threadfold/core";

export const lowerText = ({ text }: TextPart): JsonObject => ({ type: "text", text });
