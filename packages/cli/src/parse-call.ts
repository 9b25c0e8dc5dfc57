import { ThreadfoldError } from "@threadfold/core";
import { Argument, Command, CommanderError, Help, type HelpConfiguration, Option } from "commander";
import {
  type CliArgument,
  type CliCall,
  type CliCommand,
  type CliOption,
  COMMON_OPTIONS,
  type CommandEntry,
  HELP_OPTION,
  VERSION_OPTION,
} from "./command/cli-command.ts";
import { EXIT_CODES, EXIT_MEANINGS, type ExitName } from "./command/exit-codes.ts";
import { COMMANDS } from "./command-list.ts";

/** What a command line requests. */
export type ParsedCall =
  | { readonly type: "run"; readonly command: CliCommand; readonly call: CliCall; readonly wishes: CliWishes }
  | { readonly type: "help"; readonly text: string }
  | { readonly type: "version"; readonly text: string };

/** The values of the options that every command has. */
export interface CliWishes {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
}

/**
 * Parses a command line, without `node` and the script's name. Only the command that is called is loaded.
 *
 * @throws ThreadfoldError `USAGE` that says what was not understood and what may have been meant.
 */
export async function parseCall(argv: readonly string[], version: string): Promise<ParsedCall> {
  const parts = argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
  const wanted = parts.find((part) => !part.startsWith("-"));
  const entry = COMMANDS.find(({ name }) => name === wanted);
  const command = await entry?.load();
  const parser = new CallParser(version, entry, command);
  // Asked for the help of an unknown command, commander shows its general help.
  const isUnknown = wanted !== undefined && entry === undefined;
  return parser.parse(isUnknown ? parts.filter((part) => !HELP_OPTIONS.has(part)) : parts);
}

const HELP_OPTIONS: ReadonlySet<string> = new Set(["-h", "--help"]);

class CallParser {
  readonly #program: Command;
  readonly #entry: CommandEntry | undefined;
  readonly #command: CliCommand | undefined;
  #printed = "";
  #call: { readonly call: CliCall; readonly wishes: CliWishes } | undefined;

  constructor(version: string, chosen: CommandEntry | undefined, command: CliCommand | undefined) {
    this.#entry = chosen;
    this.#command = command;
    this.#program = this.#prepare(new Command("threadfold"))
      .description("Folds an agent's thread to fit the model's window, without losing or rewriting the thread.")
      .version(version, VERSION_OPTION.flags, VERSION_OPTION.description)
      .addHelpText("after", exitCodeTable());
    this.#program.configureHelp(
      examplesFirst(["compact session.jsonl --budget 50000", "compact session.jsonl --out folded --json"]),
    );
    for (const entry of COMMANDS) {
      const sub = this.#prepare(
        this.#program.command(entry.name).summary(entry.summary).description(capitalized(entry.summary)),
      );
      if (entry === chosen && command !== undefined) this.#define(sub, command);
    }
  }

  parse(argv: readonly string[]): ParsedCall {
    try {
      this.#program.parse([...argv], { from: "user" });
    } catch (error) {
      return this.#ended(error);
    }
    if (this.#call === undefined || this.#command === undefined)
      throw new ThreadfoldError("USAGE", "No command was given.");
    return { type: "run", command: this.#command, ...this.#call };
  }

  #ended(error: unknown): ParsedCall {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.version") return { type: "version", text: this.#printed };
    if (error.code === "commander.helpDisplayed") return { type: "help", text: this.#printed };
    if (error.code !== "commander.help") throw usageError(error, this.#entry);
    // No command was given: a user who types the bare name wants to know what commands exist.
    this.#program.outputHelp();
    return { type: "help", text: this.#printed };
  }

  #prepare(command: Command): Command {
    command
      .exitOverride()
      .configureOutput({
        writeOut: (text) => (this.#printed += text),
        writeErr: () => undefined,
        getOutHelpWidth: () => 100,
      })
      .helpCommand(false)
      .helpOption(HELP_OPTION.flags, HELP_OPTION.description);
    for (const option of COMMON_OPTIONS) command.addOption(commanderOption(option));
    return command;
  }

  #define(sub: Command, { arguments: positional, options, examples, details }: CliCommand): void {
    for (const argument of positional) sub.addArgument(commanderArgument(argument));
    for (const option of options) sub.addOption(commanderOption(option));
    sub.configureHelp(examplesFirst(examples));
    if (details !== undefined) sub.addHelpText("after", () => `\n${details(sub.opts())}`);
    sub.addHelpText("after", exitCodeTable());
    sub.action(() => {
      const { json, quiet, color, ...own } = sub.opts();
      const above = this.#program.opts();
      this.#call = {
        call: { arguments: argumentsOf(positional, sub.args), options: own },
        wishes: {
          json: Boolean(json) || Boolean(above["json"]),
          quiet: Boolean(quiet) || Boolean(above["quiet"]),
          color: color !== false && above["color"] !== false,
        },
      };
    });
  }
}

function argumentForm({ name, optional, variadic }: CliArgument): string {
  if (variadic === true) return `<${name}...>`;
  return optional === true ? `[${name}]` : `<${name}>`;
}

function commanderArgument(argument: CliArgument): Argument {
  const made = new Argument(argumentForm(argument), argument.description);
  return argument.choices === undefined ? made : made.choices(argument.choices);
}

/** Arguments by position; all of them when the last one is variadic. */
const argumentsOf = (positional: readonly CliArgument[], given: readonly string[]): CliCall["arguments"] =>
  positional.at(-1)?.variadic === true ? given : positional.map((_, index) => given[index]);

const knownCommands = (): string => `The commands are ${COMMANDS.map(({ name }) => name).join(", ")}.`;

const helpOf = (entry: CommandEntry | undefined): string =>
  entry === undefined ? "Run threadfold --help." : `Run threadfold ${entry.name} --help.`;

function commanderOption({ flags, description, fallback, choices, list }: CliOption): Option {
  const option = new Option(flags, description);
  if (list === true) return listOption(option, fallback);
  if (fallback !== undefined) option.default(fallback);
  if (choices !== undefined) option.choices(choices);
  return option;
}

/** Collects repeated values; the default does not count as one of them. */
function listOption(option: Option, fallback: string | undefined): Option {
  const unset: readonly string[] | undefined = fallback === undefined ? undefined : [fallback];
  return option
    .default(unset, fallback)
    .argParser((text, given: readonly string[] | undefined) => (given === unset ? [text] : [...(given ?? []), text]));
}

function usageError(error: CommanderError, entry: CommandEntry | undefined): ThreadfoldError {
  const [first = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
  const message = `${capitalized(first).replace(/\.$/, "")}.`;
  const meant = rest.join(" ").replace(/^\(|\)$/g, "");
  const known = meant === "" && entry === undefined ? knownCommands() : meant;
  return new ThreadfoldError("USAGE", message, { hint: `${known} ${helpOf(entry)}`.trim(), cause: error });
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Help that starts with examples, before commander's own text. */
function examplesFirst(examples: readonly string[]): HelpConfiguration {
  return {
    subcommandTerm: (command) => command.name(),
    formatHelp(command: Command, helper: Help) {
      const shown = examples.map((example) => `  $ threadfold ${example}`).join("\n");
      return `Examples:\n${shown}\n\n${Help.prototype.formatHelp.call(helper, command, helper)}`;
    },
  };
}

/** The table of exit codes at the end of every help page. */
function exitCodeTable(): string {
  const rows = (Object.keys(EXIT_CODES) as ExitName[]).map(
    (name) => `  ${String(EXIT_CODES[name]).padEnd(4)} ${EXIT_MEANINGS[name]}`,
  );
  return `\nExit codes:\n${rows.join("\n")}`;
}
