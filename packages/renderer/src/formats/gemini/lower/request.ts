import type { ChatRequest } from "@threadfold/core";
import type { GeminiRequest } from "../wire-types.ts";
import { lowerContents } from "./contents.ts";
import { lowerTool } from "./tool.ts";

/** Each system text is a part of the instruction; all functions are one tool. */
export function lowerRequest({ system, tools, messages }: ChatRequest): GeminiRequest {
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system.map((text) => ({ text })) } }),
    contents: lowerContents(messages),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(lowerTool) }] }),
  };
}
