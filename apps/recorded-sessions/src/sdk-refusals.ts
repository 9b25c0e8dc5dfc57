import { modelMessageSchema } from "ai";
import type { WireFormat } from "./wire-cell.ts";

/**
 * What a provider's official SDK refuses about a payload before it is sent. Only the AI SDK has a validator; the others
 * check types alone, and their shapes are checked against the wire schemas of the formats.
 */
export function sdkRefusals(format: WireFormat, payload: Readonly<Record<string, unknown>>): readonly string[] {
  if (format !== "ai-sdk") return [];
  return (payload["messages"] as readonly unknown[]).flatMap((message, index) => {
    const parsed = modelMessageSchema.safeParse(message);
    return parsed.success ? [] : [`the AI SDK refuses message ${index}: ${parsed.error.message}`];
  });
}
