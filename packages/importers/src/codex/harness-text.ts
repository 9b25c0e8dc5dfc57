/** How texts begin that Codex puts into user messages and that nobody typed. */
const HARNESS_PREFIXES = [
  "<environment_context>",
  "<user_instructions>",
  "<INSTRUCTIONS>",
  "# AGENTS.md instructions for ",
  "<permissions instructions>",
  "<turn_aborted>",
  "<user_shell_command>",
  "<subagent_notification>",
  "<skill>",
  "<goal_context>",
] as const;

/** Says whether a text of a user message comes from Codex and not from a person. */
export function isHarnessText(text: string): boolean {
  return HARNESS_PREFIXES.some((prefix) => text.startsWith(prefix));
}
