import {
  type CliArgument,
  type CliOption,
  COMMON_OPTIONS,
  type CommandEntry,
  HELP_OPTION,
  VERSION_OPTION,
} from "../command/cli-command.ts";

/** What can be typed at a position: one of some words, a file, a thread of the store, or free text. */
export type Completed =
  | { readonly kind: "words"; readonly words: readonly CompletedWord[] }
  | { readonly kind: "files" | "threads" | "anything" };

interface CompletedWord {
  readonly word: string;
  readonly description: string;
}

/**
 * A position on a command line: `""` is the first word, `plans 0` an argument, `plans -` an option, `plans --store` its
 * value.
 */
export interface CompletedPlace {
  readonly place: string;
  /** True for an argument that may be repeated: the position is that of the first one. */
  readonly variadic: boolean;
  readonly completed: Completed;
}

/** Everything that a shell needs to complete a command line. */
export interface CompletionTable {
  readonly places: readonly CompletedPlace[];
  /** Options that take a value, each preceded by its command: `plans --store`. */
  readonly valued: readonly string[];
}

/** Builds the table from the commands, loading all of them. */
export async function completionTable(entries: readonly CommandEntry[]): Promise<CompletionTable> {
  const commands = await Promise.all(entries.map(async ({ name, load }) => ({ name, ...(await load()) })));
  const names = entries.map(({ name, summary }) => ({ word: name, description: summary }));
  const places = commands.flatMap(({ name, arguments: positional, options }) => [
    ...positional.map((argument, index) => ({
      place: `${name} ${index}`,
      variadic: argument.variadic === true,
      completed: completedArgument(argument, options),
    })),
    place(`${name} -`, optionWords([...options, ...COMMON_OPTIONS, HELP_OPTION])),
    ...options.filter(isValued).map((option) => place(`${name} ${longName(option)}`, completedValue(option))),
  ]);
  return {
    places: [
      place("", { kind: "words", words: names }),
      place(" -", optionWords([...COMMON_OPTIONS, HELP_OPTION, VERSION_OPTION])),
      ...places,
    ],
    valued: commands.flatMap(({ name, options }) =>
      options.filter(isValued).map((option) => `${name} ${longName(option)}`),
    ),
  };
}

const place = (name: string, completed: Completed): CompletedPlace => ({ place: name, variadic: false, completed });

const longName = ({ flags }: CliOption): string => /--[a-z-]+/.exec(flags)?.[0] ?? flags;

const isValued = ({ flags }: CliOption): boolean => flags.includes("<");

const optionWords = (options: readonly CliOption[]): Completed => ({
  kind: "words",
  words: options.map((option) => ({ word: longName(option), description: option.description })),
});

const choiceWords = (choices: readonly string[]): Completed => ({
  kind: "words",
  words: choices.map((word) => ({ word, description: "" })),
});

const FILE_ARGUMENTS: ReadonlySet<string> = new Set(["file", "source", "request", "target", "command", "folder"]);

function completedArgument({ name, choices }: CliArgument, options: readonly CliOption[]): Completed {
  if (choices !== undefined) return choiceWords(choices);
  if (FILE_ARGUMENTS.has(name)) return { kind: "files" };
  // Without --store, the argument does not name a stored thread.
  const isStored = options.some((option) => longName(option) === "--store");
  return { kind: isStored && (name === "threadId" || name === "thread") ? "threads" : "anything" };
}

function completedValue({ flags, choices }: CliOption): Completed {
  if (choices !== undefined) return choiceWords(choices);
  if (/<(file|folder)>/.test(flags)) return { kind: "files" };
  return { kind: flags === "--thread <id>" ? "threads" : "anything" };
}
