import type { LegalityViolation } from "@threadfold/core";
import type { z } from "zod";
import type { LegalityRuleInfo } from "./legality-rule.ts";

/** The rule that a foreign payload has the provider's shape at all. */
export const SHAPE_RULE: LegalityRuleInfo = Object.freeze({
  id: "shape",
  description: "The payload has the shape of the provider's request.",
  reference: "Roles",
});

/** Where a payload does not match a wire schema. */
export function checkShape(schema: z.ZodType, payload: unknown): readonly LegalityViolation[] {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return [];
  return parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    rule: SHAPE_RULE.id,
    problem: message,
    at: path.reduce<string>((text, key) => text + (typeof key === "number" ? `[${key}]` : `.${String(key)}`), "$"),
  }));
}
