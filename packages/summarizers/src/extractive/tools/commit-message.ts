/** So much of a command is read, in UTF-16 code units. */
const MOST_READ = 8_000;
const WRITES_DOWN = /\bgit\s+(?:-[\w-]+(?:[= ]\S+)?\s+)*(?:commit|tag\s+-a)\b|\bgh\s+pr\s+(?:create|edit)\b/;
const HEREDOC = /<<-?\s*(['"]?)(\w+)\1\r?\n([\s\S]*?)\r?\n\s*\2\b/;
const ARGUMENT = /(?:^|\s)(?:-a?m|--message|--title|--body|-t|-b)(?:=|\s+)(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g;
/** Lines that tools add for other tools. */
const TRAILER = /^(?:[\w-]+-by:|🤖|(?:Fixes|Closes|Refs):? #\d+$|https?:\/\/\S+$)/i;

/** What an agent wrote down of its work for people: the message of a commit, or title and text of a pull request, line by line. */
export function commitMessage(command: string): readonly string[] {
  const text = command.slice(0, MOST_READ);
  if (!WRITES_DOWN.test(text)) return [];
  const lines = [...argumentsOf(text), HEREDOC.exec(text)?.[3] ?? ""].join("\n").split("\n");
  return lines
    .map((line) => line.replace(/^\s*[-*]\s+/, "").trim())
    .filter((line) => line !== "" && !TRAILER.test(line));
}

/** What is handed over in quotes; a substitution is the here-document that was read already. */
const argumentsOf = (text: string): readonly string[] =>
  [...text.matchAll(ARGUMENT)]
    .map(([, double, single]) => double?.replace(/\\(["$`\\])/g, "$1").replaceAll("\\n", "\n") ?? single ?? "")
    .filter((argument) => !argument.startsWith("$("));
