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

/** What a host sends in addition to the conversation: its system text and its tools. */
export interface RequestFrame {
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
  /**
   * Other fields that the host puts into the body and that affect which requests are legal; they are not sent from
   * here.
   */
  readonly host?: HostFields;
}

/** Some fields of a frame, which override another frame's. */
export type FrameFields = Partial<RequestFrame>;

/** A frame without system text and tools. */
export const EMPTY_FRAME: RequestFrame = Object.freeze({ system: [], tools: [] });

const frameSchema: z.ZodType<RequestFrame> = z.lazy(() =>
  z.object({
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
        systemInside: z.literal(true).exactOptional(),
      })
      .exactOptional(),
  }),
);

/** Returns a frame as canonical JSON, the form in which it is stored as an artifact. */
export function serializeFrame(frame: RequestFrame): string {
  const { system, tools, host } = frame;
  return canonicalJson({ system, tools, ...(host !== undefined && { host }) });
}

/** Checks whether two frames result in the same request. */
export const isSameFrame = (a: RequestFrame, b: RequestFrame): boolean =>
  a === b ||
  (a.system === b.system && a.tools === b.tools && a.host === b.host) ||
  serializeFrame(a) === serializeFrame(b);

/** Parses a stored frame. @throws ThreadfoldError `STORE_CORRUPT` when it is not a frame. */
export function parseFrame(text: string): RequestFrame {
  try {
    return frameSchema.parse(parseJson(text));
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", "A stored request frame does not match its schema.", { cause });
  }
}
