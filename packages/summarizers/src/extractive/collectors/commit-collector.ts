import type { JsonValue } from "@threadfold/core";
import type { Place } from "../reading/place.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import { quoteSentences, sentencesOf } from "../text/sentence.ts";

/** What was written down for people tells more than what was said on the way. */
const WORTH = 3.5;
const DETAIL_WORTH = 1.5;
const MAX_SUBJECT = 200;
const MAX_BODY = 320;

/** Keeps what the agent wrote down of its work: the messages of commits and pull requests that went through. */
export class CommitCollector implements SpanCollector {
  readonly #messages: { readonly lines: readonly string[]; readonly place: Place }[] = [];

  result({ call, failed }: ResultReading): void {
    if (call?.kind !== "shell" || failed) return;
    const lines = commitMessage(commandIn(call.input));
    if (lines.length > 0) this.#messages.push({ lines, place: call.place });
  }

  harvest({ messages }: HarvestContext): Harvest {
    return {
      candidates: this.#messages.flatMap(({ lines, place }): readonly Candidate[] => {
        const recent = (place.position + 1) / messages.length;
        const [subject = "", ...body] = lines;
        const told = quoteSentences(sentencesOf(body.join("\n"), MAX_BODY * 4, 0), MAX_BODY);
        const sources = [place.messageId];
        const said = { text: `Committed: ${subject.slice(0, MAX_SUBJECT).toWellFormed()}`, sources };
        return [
          { section: "facts", item: said, worth: WORTH + recent },
          ...(told === ""
            ? []
            : [{ section: "facts" as const, item: { text: told, sources }, worth: DETAIL_WORTH + recent }]),
        ];
      }),
    };
  }
}

function commandIn(input: JsonValue): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "";
  const fields = input as Readonly<Record<string, JsonValue | undefined>>;
  const value = ["command", "cmd", "script", "code"].map((name) => fields[name]).find((one) => one !== undefined);
  const last = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === "string" ? last : "";
}

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
