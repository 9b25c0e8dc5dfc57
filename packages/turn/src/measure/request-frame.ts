import {
  canonicalJson,
  jsonObjectSchema,
  jsonValueSchema,
  parseJson,
  type SystemEntry,
  systemEntrySchema,
  ThreadfoldError,
  type ToolDefinition,
  toolDefinitionSchema,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import type { HostFields } from "@threadfold/renderer";

/** What a host sends besides the conversation: its system text and its tools. */
export interface RequestFrame {
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
  /** What else the host puts into the body that decides which requests are legal; none of it is sent from here. */
  readonly host?: HostFields;
}

/** Fields of a frame: what is left out holds from where the frame stands otherwise. */
export type FrameFields = Partial<RequestFrame>;

export const EMPTY_FRAME: RequestFrame = Object.freeze({ system: [], tools: [] });

const frameSchema: z.ZodType<RequestFrame> = z.object({
  system: z.array(systemEntrySchema),
  tools: z.array(toolDefinitionSchema),
  host: z
    .object({
      thinking: jsonObjectSchema.exactOptional(),
      toolChoice: jsonValueSchema.exactOptional(),
      store: z.boolean().exactOptional(),
      responseFormat: jsonObjectSchema.exactOptional(),
      betas: z.array(z.string()).exactOptional(),
      contextManagement: jsonObjectSchema.exactOptional(),
    })
    .exactOptional(),
});

/** A frame as canonical JSON, the form in which it is kept as an artifact. */
export function serializeFrame(frame: RequestFrame): string {
  const { system, tools, host } = frame;
  return canonicalJson({ system, tools, ...(host !== undefined && { host }) });
}

/** True when two frames make the same request. */
export const isSameFrame = (a: RequestFrame, b: RequestFrame): boolean =>
  a === b ||
  (a.system === b.system && a.tools === b.tools && a.host === b.host) ||
  serializeFrame(a) === serializeFrame(b);

/** Reads a kept frame. @throws ThreadfoldError `STORE_CORRUPT` when it is not a frame. */
export function parseFrame(text: string): RequestFrame {
  const parsed = frameSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new ThreadfoldError("STORE_CORRUPT", "A kept request frame does not match its schema.");
  return parsed.data;
}
