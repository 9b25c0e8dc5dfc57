import { type ForeignObject, textOf } from "../reading/foreign-value.ts";

/** A command that the user ran beside the conversation, as the text that the model reads: command, output and how it ended. */
export function bashExecutionText(execution: ForeignObject): string {
  const output = textOf(execution.output) ?? "";
  const lines = [
    `Ran \`${textOf(execution.command) ?? ""}\``,
    output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``,
  ];
  if (execution.cancelled === true) lines.push("(cancelled)");
  else if (typeof execution.exitCode === "number") lines.push(`Exit code ${execution.exitCode}`);
  const fullOutput = textOf(execution.fullOutputPath);
  if (execution.truncated === true && fullOutput !== undefined)
    lines.push(`[Output truncated. Full output: ${fullOutput}]`);
  return lines.join("\n");
}
