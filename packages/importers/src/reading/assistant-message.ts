import { objectOf } from "./foreign-value.ts";

/** Says whether a value is a message that a model wrote. */
export const isAssistantMessage = (value: unknown): boolean => objectOf(value)?.role === "assistant";
