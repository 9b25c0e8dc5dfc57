import type { ThreadfoldError } from "@threadfold/core";
import manifest from "../../package.json" with { type: "json" };
import type { CliIo } from "../output/cli-io.ts";
import type { Page } from "../output/page.ts";
import type { Progress } from "../progress/progress.ts";

/** A positional argument. */
export interface CliArgument {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** True when the argument may be given any number of times, at least once. Only for the last argument. */
  readonly variadic?: boolean;
  /** The only values that it accepts. */
  readonly choices?: readonly string[];
}

/** An option of one command, in addition to those that every command has. */
export interface CliOption {
  /** Flags in commander's syntax: `--budget <tokens>`. */
  readonly flags: string;
  readonly description: string;
  /** Default value. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
  /** True when it takes values separated by commas and may be repeated for more of them. */
  readonly list?: boolean;
}

/** The parsed arguments and options of a call. Values are as typed; the command interprets them. */
export interface CliCall {
  readonly arguments: readonly (string | undefined)[];
  /** Text for an option with a value, true for one without, and all texts in order for list options. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** What every command can use: streams, environment, clock and progress. */
export interface CliContext {
  readonly io: CliIo;
  readonly progress: Progress;
}

/** Something that a person or a script should know but that is not a failure. */
export interface CliWarning {
  /** Stable name of the warning. */
  readonly code: string;
  readonly message: string;
}

/** The result of a command. */
export interface CliReport {
  /** The `data` field of `--json`. */
  readonly data: unknown;
  /** What is printed on stdout for a person. */
  readonly text: (page: Page) => string;
  /** What is printed on stdout with `--quiet`; `text` when absent. */
  readonly brief?: string;
  /** The items of a list, which `--ndjson` prints one per line. Only commands with {@link NDJSON_OPTION} set it. */
  readonly items?: readonly unknown[];
  readonly warnings?: readonly CliWarning[];
  /** Messages for a person, printed on stderr. */
  readonly notes?: readonly string[];
  /** Set when the command did its work but the result is a failure. */
  readonly failure?: ThreadfoldError;
  /** The exit code of a command that ran another program: that program's exit code. */
  readonly exitCode?: number;
}

/** A command of `threadfold`: its arguments, its options and its implementation. */
export interface CliCommand {
  readonly arguments: readonly CliArgument[];
  readonly options: readonly CliOption[];
  /** At least two, the most common one first, without the leading `threadfold`. */
  readonly examples: readonly string[];
  /** Help text below the options, for an option that needs more than one line. It may depend on the options given. */
  readonly details?: (options: CliCall["options"]) => string;
  run(call: CliCall, context: CliContext): Promise<CliReport>;
}

/** A command's entry in the list of commands. Its module is loaded only when it is called. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CliCommand>;
}

/** The options that every command has in addition to {@link HELP_OPTION}. */
export const COMMON_OPTIONS: readonly CliOption[] = [
  { flags: "--json", description: "print one JSON document { ok, schemaVersion, data, warnings, error? } on stdout" },
  { flags: "--quiet", description: "print only the shortest result, without messages or progress" },
  { flags: "--no-color", description: "print without colours" },
];

/** An additional option of commands that list something. */
export const NDJSON_OPTION: CliOption = {
  flags: "--ndjson",
  description: "print each item as a JSON document on its own line, and errors on stderr",
};

/** Requests the help of a command, or of all. */
export const HELP_OPTION: CliOption = { flags: "-h, --help", description: "print this help" };

/** Given instead of a command, requests the version. */
export const VERSION_OPTION: CliOption = { flags: "-V, --version", description: "print the version" };

/** The version of the command. */
export const THREADFOLD_VERSION: string = manifest.version;
