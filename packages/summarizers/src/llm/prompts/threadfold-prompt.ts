import type { PromptVariant } from "./prompt-variant.ts";

/** The default: the sections of seed 003, each as its own kind of item. */
export const threadfoldPrompt: PromptVariant = Object.freeze({
  id: "threadfold",
  version: 1,
  form: "json",
  system:
    "You keep the notes of an agent that works on a task. Older messages are about to be folded away, and your notes stand in their place. Whoever reads them has nothing else from that part of the conversation, so note what the work ahead depends on, and nothing that can be done without.",
  task: [
    "Go through the messages and note, under the section it belongs to:",
    "- constraints: every standing rule that the user or operator set, copied word for word.",
    "- files: each file that was read, created, modified or deleted, its exact path, and in a few words what it holds or what was done to it.",
    "- decisions: technical choices that bind later work (libraries, patterns, formats, names), with the reason.",
    "- openItems: what was asked for or planned, with its status. What was finished is `done`, what was called off is `cancelled`, the rest is `open`.",
    "- errors: what went wrong and what resolved it; no resolution means that it is still unresolved.",
    "- toolOutcomes: results that later steps build on (test runs, builds, created records), with their key values.",
    "- facts: what was found out about the code, the data or the user's wishes and fits nowhere else.",
    "- identifiers: exact names, numbers, hashes, versions and addresses that will be needed again.",
    "Say in currentTask what was being worked on at the end of these messages, and in currentPlan the steps that were still ahead.",
  ].join("\n"),
  instructionsTitle: "The user asks you to pay attention to this",
});
