import { z } from "zod";
import { AUDIT_FORMAT_VERSION, type AuditLine } from "./audit-line.ts";

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();
const proof = z.array(digest).max(64);
const body = z.string().nullable();

const schema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("header"),
    format: z.literal("threadfold-audit"),
    formatVersion: z.literal(AUDIT_FORMAT_VERSION),
    algorithms: z.strictObject({
      digest: z.literal("SHA-256"),
      text: z.literal("RFC 8785"),
      tree: z.literal("RFC 6962"),
      signature: z.literal("Ed25519"),
    }),
    threadId: z.string(),
    at: z.string(),
  }),
  z.strictObject({ type: z.literal("entry"), version: count, digest, link: digest, body }),
  z.strictObject({
    type: z.literal("plan"),
    version: count,
    planId: digest,
    createdAt: z.string(),
    text: body,
    diff: body,
  }),
  z.strictObject({
    type: z.literal("artifact"),
    artifactId: z.string().regex(/^artifact_[0-9a-f]{24}$/),
    prefix: z.string(),
    content: body,
  }),
  z.strictObject({ type: z.literal("journal"), hash: digest, text: z.string() }),
  z.strictObject({ type: z.literal("inclusion"), sequence: count, proof }),
  z.strictObject({ type: z.literal("consistency"), sequence: count, proof }),
  z.strictObject({
    type: z.literal("end"),
    threadVersion: count,
    threadDigest: digest,
    planVersion: count,
    size: count,
    rootHash: digest,
  }),
]);

/** A line that was unsealed, as what it is; null when it is none that this version knows. */
export function parseAuditLine(line: unknown): AuditLine | null {
  const parsed = schema.safeParse(line);
  return parsed.success ? (parsed.data as AuditLine) : null;
}
