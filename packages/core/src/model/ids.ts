import { canonicalJson } from "../json/canonical-json.ts";
import { textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { sha256 } from "../json/sha256.ts";

const id = () => textSchema.min(1).max(512);

/** Identifies a thread. */
export const threadIdSchema = id().brand<"ThreadId">();
export type ThreadId = z.infer<typeof threadIdSchema>;

/** Identifies a message within its thread. */
export const messageIdSchema = id().brand<"MessageId">();
export type MessageId = z.infer<typeof messageIdSchema>;

/** Identifies a tool call by the provider's own id. Providers reuse these ids, so pair by group and not by id alone. */
export const toolCallIdSchema = id().brand<"ToolCallId">();
export type ToolCallId = z.infer<typeof toolCallIdSchema>;

/** Identifies a pin within its thread. */
export const pinIdSchema = id().brand<"PinId">();
export type PinId = z.infer<typeof pinIdSchema>;

/** Identifies a plan: the SHA-256 of its canonical form. */
export const planIdSchema = id().brand<"PlanId">();
export type PlanId = z.infer<typeof planIdSchema>;

/** Identifies externalized content by its digest: equal content in one thread has one id. Letters, digits, `_` only. */
export const artifactIdSchema = z
  .string()
  .regex(/^artifact_[0-9a-f]{16,64}$/)
  .brand<"ArtifactId">();
export type ArtifactId = z.infer<typeof artifactIdSchema>;

/** Brands a string as a thread id without a check; use the schema for input from outside. */
export const asThreadId = (value: string): ThreadId => value as ThreadId;
/** Brands a string as a message id without a check; use the schema for input from outside. */
export const asMessageId = (value: string): MessageId => value as MessageId;
/** Brands a string as a tool call id without a check; use the schema for input from outside. */
export const asToolCallId = (value: string): ToolCallId => value as ToolCallId;
/** Brands a string as a pin id without a check; use the schema for input from outside. */
export const asPinId = (value: string): PinId => value as PinId;
/** Brands a string as a plan id without a check; use the schema for input from outside. */
export const asPlanId = (value: string): PlanId => value as PlanId;
/** Brands a string as an artifact id without a check; use the schema for input from outside. */
export const asArtifactId = (value: string): ArtifactId => value as ArtifactId;

/**
 * Returns the id of content in a thread: equal content has one id there, and an id reveals nothing about another
 * tenant's content.
 */
export function artifactIdOf(threadId: ThreadId, tenantId: string | null, content: string): ArtifactId {
  return asArtifactId(`artifact_${sha256(artifactIdPrefix(threadId, tenantId) + content).slice(0, 24)}`);
}

/** Returns the text that is hashed in front of the content. */
export function artifactIdPrefix(threadId: ThreadId, tenantId: string | null): string {
  return `${canonicalJson([tenantId, threadId])}\n`;
}
