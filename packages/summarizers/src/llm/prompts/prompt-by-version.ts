import { ThreadfoldError } from "@threadfold/core";
import type { PromptVariant } from "./prompt-variant.ts";
import { PROMPTS } from "./prompts.ts";

/** The name under which presets ask for a prompt: `codex-v1` is the first version of the variant `codex`. */
export const promptNameOf = ({ id, version }: Pick<PromptVariant, "id" | "version">): string => `${id}-v${version}`;

/**
 * The prompt variant that a preset names as its `promptVersion`.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that lists the known names.
 */
export function promptByVersion(promptVersion: string): PromptVariant {
  const prompt = PROMPTS.find((variant) => promptNameOf(variant) === promptVersion);
  if (prompt !== undefined) return prompt;
  throw new ThreadfoldError("INVALID_CONFIG", `promptVersion: there is no prompt ${JSON.stringify(promptVersion)}.`, {
    details: { name: "promptVersion" },
    hint: `Known prompts: ${PROMPTS.map(promptNameOf).join(", ")}.`,
  });
}
