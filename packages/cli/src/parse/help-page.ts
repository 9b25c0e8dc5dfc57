import { type Command, Help, type HelpConfiguration } from "commander";
import { EXIT_CODES, EXIT_MEANINGS, type ExitName } from "../exit-codes.ts";

/** Help that shows what to type before it explains: examples, and then what commander prints. */
export function examplesFirst(examples: readonly string[]): HelpConfiguration {
  return {
    subcommandTerm: (command) => command.name(),
    formatHelp(command: Command, helper: Help) {
      const shown = examples.map((example) => `  $ threadfold ${example}`).join("\n");
      return `Examples:\n${shown}\n\n${Help.prototype.formatHelp.call(helper, command, helper)}`;
    },
  };
}

/** The table of exit codes, as every help page ends with it. */
export function exitCodeTable(): string {
  const rows = (Object.keys(EXIT_CODES) as ExitName[]).map(
    (name) => `  ${String(EXIT_CODES[name]).padEnd(4)} ${EXIT_MEANINGS[name]}`,
  );
  return `\nExit codes:\n${rows.join("\n")}`;
}
