import type { PromptVariant } from "./prompt-variant.ts";

/**
 * Handoff to a goal (seed 001, Amp, whose words the seed does not have): only what the next task needs, into a fresh
 * thread. The instructions are the goal.
 */
export const handoffPrompt: PromptVariant = Object.freeze({
  id: "handoff",
  version: 2,
  form: "prose",
  system:
    "A new conversation is about to start for a goal that follows from this one. You pick out of this conversation what is needed to reach that goal, and leave out the rest, however much work went into it.",
  task: [
    "With the goal before you, write a briefing for whoever takes it on. Include:",
    "- what was found out or decided that the goal builds on, with the reasons;",
    "- files to read or change for it, by their exact paths, and names, numbers and addresses that it needs;",
    "- work that belongs to the goal and is not finished, and dead ends not to walk into again;",
    "- the first steps towards the goal.",
    "What has nothing to do with the goal is left out.",
  ].join("\n"),
  instructionsTitle: "The goal",
} satisfies PromptVariant);
