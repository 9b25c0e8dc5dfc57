import {
  type CliArgument,
  type CliOption,
  COMMON_OPTIONS,
  type CommandEntry,
  HELP_OPTION,
  VERSION_OPTION,
} from "../command/cli-command.ts";

/** What may be typed at a place: one of some words, a file, a thread of the store, or whatever the caller has in mind. */
export type Completed =
  | { readonly kind: "words"; readonly words: readonly CompletedWord[] }
  | { readonly kind: "files" | "threads" | "anything" };

interface CompletedWord {
  readonly word: string;
  readonly description: string;
}

/** A place of a command line: `""` is the first word, `plans 0` an argument, `plans -` an option, `plans --store` its value. */
export interface CompletedPlace {
  readonly place: string;
  /** True for an argument that may be given any number of times: the place is the first one of them. */
  readonly variadic: boolean;
  readonly completed: Completed;
}

/** Everything that a shell needs to know to complete a command line. */
export interface CompletionTable {
  readonly places: readonly CompletedPlace[];
  /** Options, each behind its command, that take a value: `plans --store`. */
  readonly valued: readonly string[];
}

/** Reads the table off the commands. All of them are loaded. */
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
  // Without --store it is not the store's thread that is named.
  const isStored = options.some((option) => longName(option) === "--store");
  return { kind: isStored && (name === "threadId" || name === "thread") ? "threads" : "anything" };
}

function completedValue({ flags, choices }: CliOption): Completed {
  if (choices !== undefined) return choiceWords(choices);
  if (/<(file|folder)>/.test(flags)) return { kind: "files" };
  return { kind: flags === "--thread <id>" ? "threads" : "anything" };
}
