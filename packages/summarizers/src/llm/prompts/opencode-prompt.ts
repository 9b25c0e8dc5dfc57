import type { PromptVariant } from "./prompt-variant.ts";

/** OpenCode's compaction (seed 001): what was done, what is being done, which files, what next, wishes, decisions and why. */
export const opencodePrompt: PromptVariant = Object.freeze({
  id: "opencode",
  version: 1,
  system:
    "You summarize conversations between a user and a coding assistant. The conversation will continue with your summary as its only context for what came before: rich enough to go on from, short enough to be taken in at once.",
  task: [
    "Note in particular:",
    "- what has been done (done openItems, toolOutcomes, errors);",
    "- what is being worked on right now (currentTask);",
    "- which files are being changed (files);",
    "- what has to happen next (open openItems, currentPlan);",
    "- requests, constraints and preferences of the user that go on holding (constraints, word for word; facts);",
    "- important technical decisions and their reasons (decisions).",
  ].join("\n"),
  instructionsTitle: "The user's own instructions for this summary",
});
