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
  /** True for the last one when it may be given any number of times, at least once. */
  readonly variadic?: boolean;
  /** The only values that it may have. */
  readonly choices?: readonly string[];
}

/** An option on top of those that every command has. */
export interface CliOption {
  /** As commander reads it: `--budget <tokens>`. */
  readonly flags: string;
  readonly description: string;
  /** Value when it is not given. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
  /** True for one that takes values separated by commas, and that may be given again for more of them. */
  readonly list?: boolean;
}

/** What a command was called with. Values are as typed; the command reads them. */
export interface CliCall {
  readonly arguments: readonly (string | undefined)[];
  /** Texts of options, true for those without a value, and every text in its order for those that are lists. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** What a command works with. */
export interface CliContext {
  readonly io: CliIo;
  readonly progress: Progress;
}

/** Something that a person or a script should know about and that is not a failure. */
export interface CliWarning {
  /** Stable name of the kind of warning. */
  readonly code: string;
  readonly message: string;
}

/** The result of a command. */
export interface CliReport {
  /** What `--json` prints as `data`. */
  readonly data: unknown;
  /** What a person gets on stdout. */
  readonly text: (page: Page) => string;
  /** What a person gets on stdout with `--quiet`; `text` when it is absent. */
  readonly brief?: string;
  /** The items of a list, which `--ndjson` prints a line each. Only commands that have {@link NDJSON_OPTION} hand them in. */
  readonly items?: readonly unknown[];
  readonly warnings?: readonly CliWarning[];
  /** Messages for a person, on stderr. */
  readonly notes?: readonly string[];
  /** Set when the command did its work and the result is a failure. */
  readonly failure?: ThreadfoldError;
  /** The exit code of a command that ran another one: that of the other one. */
  readonly exitCode?: number;
}

/** A command of `threadfold`: its name, its options and what it runs. */
export interface CliCommand {
  readonly arguments: readonly CliArgument[];
  readonly options: readonly CliOption[];
  /** Two or more, the most common one first, without the leading `threadfold`. */
  readonly examples: readonly string[];
  /** What its help says below the options, for an option that takes more than a line tells. */
  readonly details?: () => string;
  run(call: CliCall, context: CliContext): Promise<CliReport>;
}

/** A command as the list of commands shows it. Its module is loaded when it is called. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CliCommand>;
}

/** The options that every command has besides {@link HELP_OPTION}. */
export const COMMON_OPTIONS: readonly CliOption[] = [
  { flags: "--json", description: "print one JSON document { ok, schemaVersion, data, warnings, error? } on stdout" },
  { flags: "--quiet", description: "print no messages and no progress, and the shortest result" },
  { flags: "--no-color", description: "print without colours" },
];

/** What commands that list something have besides. */
export const NDJSON_OPTION: CliOption = {
  flags: "--ndjson",
  description: "print each item as a JSON document on a line of its own, and errors on stderr",
};

/** Asks for the help of a command, or of all. */
export const HELP_OPTION: CliOption = { flags: "-h, --help", description: "print this help" };

/** What stands in the place of a command to ask for the version. */
export const VERSION_OPTION: CliOption = { flags: "-V, --version", description: "print the version" };

/** The version of the command. */
export const THREADFOLD_VERSION: string = manifest.version;
