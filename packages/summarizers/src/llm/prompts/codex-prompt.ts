import type { PromptVariant } from "./prompt-variant.ts";

/** The Codex CLI's checkpoint (seed 001): progress, context, what remains, data to continue with. */
export const codexPrompt: PromptVariant = Object.freeze({
  id: "codex",
  version: 1,
  system:
    "This is a checkpoint: the context of a coding agent is being compacted, and another model will take the task over from what you hand to it. Be brief and structured, and write only what helps it go on without a break.",
  task: [
    "Hand over:",
    "- how far the work has come and the key decisions on the way (decisions, done openItems);",
    "- context that matters, constraints, and what the user prefers (constraints, word for word; facts);",
    "- what is left to do, as clear next steps (open openItems, currentPlan);",
    "- data, examples and references that are needed to continue (files, toolOutcomes, errors, identifiers).",
  ].join("\n"),
  instructionsTitle: "Additional instructions of the user for this checkpoint",
});
