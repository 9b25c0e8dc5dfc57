/** How texts begin that Claude Code puts into a user turn and that nobody typed. */
const HARNESS_PREFIXES = [
  "[Request interrupted by user",
  "<local-command-stdout>",
  "<local-command-stderr>",
  "<local-command-caveat>",
  "<bash-stdout>",
  "<bash-stderr>",
  "<system-reminder>",
  "<task-notification>",
] as const;

/** Says whether a text of a user turn comes from the harness and not from a person. */
export function isHarnessText(text: string): boolean {
  return HARNESS_PREFIXES.some((prefix) => text.startsWith(prefix));
}
