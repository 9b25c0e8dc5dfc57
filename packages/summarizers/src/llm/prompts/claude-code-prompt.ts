import type { PromptVariant } from "./prompt-variant.ts";

/** Claude Code's /compact (seed 001): a detailed account with an eye on explicit requests and earlier actions. */
export const claudeCodePrompt: PromptVariant = Object.freeze({
  id: "claude-code",
  version: 1,
  system:
    "You write a detailed account of a coding conversation so that it can be continued from the account alone. Keep closely to what the user explicitly asked for and to what the assistant actually did.",
  task: [
    "Cover, in the order in which it happened:",
    "- what was accomplished (done openItems, toolOutcomes, errors with their resolutions);",
    "- the work in progress (currentTask);",
    "- every file involved and its part in the work (files);",
    "- the next steps (open openItems, currentPlan);",
    "- key requests and constraints of the user (constraints, word for word) and the decisions that followed from them (decisions).",
  ].join("\n"),
  instructionsTitle: "Compact with these instructions of the user in mind",
});
