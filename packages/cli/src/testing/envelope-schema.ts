import { ERROR_CODES, type ErrorCode } from "@threadfold/core";
import { z } from "zod";

const codes = [...(Object.keys(ERROR_CODES) as ErrorCode[]), "INTERNAL"] as const;
const size = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The envelope, validated strictly: no extra or missing fields. */
export const envelopeSchema = z
  .strictObject({
    ok: z.boolean(),
    schemaVersion: z.literal(1),
    data: z.unknown(),
    warnings: z.array(z.strictObject({ code: z.string().min(1), message: z.string().min(1) })),
    error: z.strictObject({ code: z.enum(codes), message: z.string().min(1), hint: z.string().min(1) }).optional(),
  })
  .refine((envelope) => envelope.ok === (envelope.error === undefined), {
    error: "error is there exactly when ok is false",
  });

/** The `data` of `compact`, validated strictly. */
export const compactDataSchema = z.strictObject({
  threadId: z.string().min(1),
  source: z.strictObject({
    format: z.enum(["pi", "claude-code", "openai-chat", "anthropic-messages"]),
    messages: size,
    turns: size,
    steps: size,
    malformed: size,
  }),
  outcome: z.enum([
    "committed",
    "summarizer-failed-floor-used",
    "no-op",
    "postponed",
    "ineffective",
    "inflated",
    "refused",
    "conflict",
    "aborted",
    "infeasible",
  ]),
  tokens: z.strictObject({ before: size, after: size, budget: size, counter: z.string().min(1) }),
  actions: z.strictObject({
    include: size,
    clear: size,
    summarize: size,
    externalize: size,
    drop: size,
    hidden: size.optional(),
  }),
  plan: z.strictObject({ planId: sha256, version: size }),
  request: z.strictObject({ format: z.string(), digest: sha256, bytes: size, path: z.string().optional() }).nullable(),
  violations: z.array(z.unknown()),
  pins: z.strictObject({ live: size, present: size.nullable() }),
  artifacts: z.array(z.string().regex(/^artifact_/)),
  breakdown: z
    .strictObject({
      system: size,
      tools: size,
      pins: size,
      summaries: size,
      pointers: size,
      kept: size,
      rehydrated: size,
      overhead: size,
    })
    .nullable(),
  model: z.strictObject({ id: z.string().min(1), calls: size, inputTokens: size, outputTokens: size }).nullable(),
});
