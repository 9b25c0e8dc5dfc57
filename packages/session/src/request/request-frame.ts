import {
  canonicalJson,
  parseJson,
  type SystemEntry,
  systemEntrySchema,
  ThreadfoldError,
  type ToolDefinition,
  toolDefinitionSchema,
} from "@threadfold/core";
import { z } from "zod";

/** What a host sends beside the conversation: its system text and its tools. */
export interface RequestFrame {
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
}

export const EMPTY_FRAME: RequestFrame = Object.freeze({ system: [], tools: [] });

const frameSchema: z.ZodType<RequestFrame> = z.object({
  system: z.array(systemEntrySchema),
  tools: z.array(toolDefinitionSchema),
});

/** A frame as canonical JSON, the form in which it is kept as an artifact. */
export function serializeFrame(frame: RequestFrame): string {
  return canonicalJson({ system: frame.system, tools: frame.tools });
}

/** True when two frames make the same request. */
export const isSameFrame = (a: RequestFrame, b: RequestFrame): boolean =>
  a === b || (a.system === b.system && a.tools === b.tools) || serializeFrame(a) === serializeFrame(b);

/** Reads a kept frame. @throws ThreadfoldError `STORE_CORRUPT` when it is none. */
export function parseFrame(text: string): RequestFrame {
  const parsed = frameSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new ThreadfoldError("STORE_CORRUPT", "A kept request frame does not match its schema.");
  return parsed.data;
}
