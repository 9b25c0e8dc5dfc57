import { ThreadfoldError } from "@threadfold/core";
import type { CliCommand, CommandEntry } from "../command/cli-command.ts";
import { completionTable } from "../completion/completion-table.ts";
import { COMPLETED_SHELLS, completionScript } from "../completion/shell-scripts.ts";

/** `completion`: prints the script with which a shell completes these commands. */
export const completionCommand = (commands: readonly CommandEntry[]): CliCommand => ({
  arguments: [{ name: "shell", description: "shell that reads the script", choices: COMPLETED_SHELLS }],
  options: [],
  examples: [
    'completion bash   # in ~/.bashrc: eval "$(threadfold completion bash)"',
    'completion zsh    # in ~/.zshrc, after compinit: eval "$(threadfold completion zsh)"',
    "completion fish   # > ~/.config/fish/completions/threadfold.fish",
  ],
  async run({ arguments: [given] }) {
    const shell = COMPLETED_SHELLS.find((name) => name === given);
    if (shell === undefined) throw new ThreadfoldError("USAGE", `There is no completion for ${given}.`);
    const script = completionScript(shell, await completionTable(commands));
    return { data: { shell, script }, text: () => script };
  },
});
