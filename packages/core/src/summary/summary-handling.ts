import { z } from "zod";
import type { Message } from "../model/message.ts";
import { type Sensitivity, sensitivitySchema } from "../model/sensitivity.ts";

/**
 * Whose words stand behind a text, most trusted first: the operator's, the user's, the agent's own, or those of tools and
 * files, which anybody may have written.
 */
export const sourceTrustSchema = z.enum(["operator", "user", "agent", "external"]);
export type SourceTrust = z.infer<typeof sourceTrustSchema>;

/** How a summary is to be handled: as its least trusted and its most sensitive source. */
export interface SummaryHandling {
  readonly trust: SourceTrust;
  readonly sensitivity: Sensitivity;
}

export const summaryHandlingSchema: z.ZodType<SummaryHandling> = z.object({
  trust: sourceTrustSchema,
  sensitivity: sensitivitySchema,
});

/** What is assumed of content that says nothing about itself. */
const UNKNOWN: SummaryHandling = Object.freeze({ trust: "external", sensitivity: "internal" });

/** The handling of both together: the lower trust and the higher sensitivity. A part that says nothing counts as external. */
export function combineHandling(
  first: SummaryHandling | undefined,
  second: SummaryHandling | undefined,
): SummaryHandling | undefined {
  if (first === undefined && second === undefined) return undefined;
  const { trust, sensitivity } = first ?? UNKNOWN;
  const other = second ?? UNKNOWN;
  return {
    trust: later(sourceTrustSchema.options, trust, other.trust),
    sensitivity: later(sensitivitySchema.options, sensitivity, other.sensitivity),
  };
}

/**
 * The handling of messages, which must be at least one. Trust follows from who speaks; a message names its sensitivity in
 * `metadata.sensitivity` and is `internal` when it does not.
 */
export function handlingOf(
  messages: readonly Pick<Message, "role" | "origin" | "parts" | "metadata">[],
): SummaryHandling {
  const all = messages.map(
    (message): SummaryHandling => ({
      trust: trustOf(message),
      sensitivity: sensitivitySchema.safeParse(message.metadata?.["sensitivity"]).data ?? UNKNOWN.sensitivity,
    }),
  );
  return (
    all.reduce<SummaryHandling | undefined>(
      (sum, next, index) => (index === 0 ? next : combineHandling(sum, next)),
      undefined,
    ) ?? UNKNOWN
  );
}

function trustOf({ role, origin, parts }: Pick<Message, "role" | "origin" | "parts">): SourceTrust {
  if (role === "tool" || parts.some(({ type }) => type === "image" || type === "file" || type === "opaque"))
    return "external";
  if (role === "assistant" || origin !== undefined) return "agent";
  return role === "system" ? "operator" : "user";
}

const later = <Name>(order: readonly Name[], first: Name, second: Name): Name =>
  order.indexOf(first) >= order.indexOf(second) ? first : second;
