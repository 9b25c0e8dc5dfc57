import type { PromptVariant } from "./prompt-variant.ts";

/** Handoff to a goal (seed 001, Amp): only what the next task needs, into a fresh thread. The instructions are the goal. */
export const handoffPrompt: PromptVariant = Object.freeze({
  id: "handoff",
  version: 1,
  system:
    "A new conversation is about to start for a goal that follows from this one. You pick out of this conversation what is needed to reach that goal, and leave out the rest, however much work went into it.",
  task: [
    "With the goal before you, note:",
    "- rules that will hold there, too (constraints, word for word);",
    "- what was found out or decided that the goal builds on (facts, decisions);",
    "- files to read or change for it (files), and names, numbers and addresses it needs (identifiers);",
    "- work that belongs to the goal and is not finished (open openItems), and dead ends not to walk into again (errors);",
    "- the first steps towards the goal (currentPlan).",
    "What has nothing to do with the goal is not noted.",
  ].join("\n"),
  instructionsTitle: "The goal",
});
