import { type ChatRequest, systemText } from "@threadfold/core";
import type { GeminiRequest } from "../wire-types.ts";
import { lowerContents } from "./contents.ts";
import { lowerTool } from "./tool.ts";

/** Each system text is a part of the instruction; all functions are one tool. */
export function lowerRequest({ system, tools, messages }: ChatRequest): GeminiRequest {
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system.map((entry) => ({ text: systemText(entry) })) } }),
    contents: lowerContents(messages),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(lowerTool) }] }),
  };
}
