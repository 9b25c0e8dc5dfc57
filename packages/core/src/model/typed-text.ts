import { type Message, visibleText } from "./message.ts";

/** A range of a text, in UTF-16 code units. */
export type TextRange = readonly [start: number, end: number];

/** The label that agents which write calls as text get above each result: `[read_file for 'src/a.ts'] Result:`. */
const RESULT_LABEL =
  /^\s*(?:Tool #\d{1,3}: )?\[(subagents|[a-z][a-z]*(?:_[a-z]+)+)\b([^\]\n]{0,300}|[\s\S]{0,8000}?)\] (?:Error )?Result:(?=\s|$)/;
/** The most of a text that is searched for such a label, in UTF-16 code units. */
const LONGEST_LABEL = 8_400;
/** The calls whose result is what the user answers. */
const ASKS_USER = /^(?:ask_followup_question|attempt_completion|plan_mode_respon(?:d|se))$/;
/** What precedes the user's words in such a result, or where the user added them to a message of the harness. */
const WORDS_OPEN =
  /^\s*(?:(?:The user (?:has )?provided (?:the following )?(?:feedback|context)|New (?:instructions for task continuation|message to respond to with plan_mode_respond tool)\b)[^\n]{0,200}\n\s*)?<(task|user_message|feedback|answer|user_query|user_input|user_command)(?: [^>\n]{0,100})?>[^\S\n]*\n?/;
/** How texts begin that a program wrote as a whole: outputs, errors and advice for agents, and files handed over. */
const PROGRAM = new RegExp(
  `^\\s*(?:${[
    // SWE-agent, mini-swe-agent, OpenHands.
    /EXECUTION RESULT of \[|OBSERVATION:\s|<returncode>|<observation>/,
    // Cline and its kin.
    /\[ERROR\] You did not use a tool\b/,
    /\(The user did not provide a new message\. Consider asking\b/,
    /# (?:task_progress (?:List \(|RECOMMENDED)|TODO LIST (?:CREATION|UPDATE) REQUIRED)/,
    // Aider.
    /I ran this command:\n\n/,
    /I have \*added these files to the chat\*/,
    /Here are (?:summaries of some files present in my git repository|some READ ONLY files, provided)/,
    /I (?:am not sharing any files that you can edit yet|switched to a new code base\. Please don't consider)/,
    /I (?:committed the changes with git hash|updated the files\.$|edited the files myself\.$)/,
    /I didn't see any properly formatted edits in your reply/,
    /# \d+ SEARCH\/REPLACE blocks? failed to match!/,
    /The LLM did not conform to the edit format\./,
    /# Fix any errors below, if possible\./,
    /[^\n?]{1,120}\? \(Y\)es\/\(N\)o[^\n[]{0,60}\[(?:Yes|No)\]: ?\w{0,5}\s*$/,
  ]
    .map(({ source }) => source)
    .join("|")})`,
);
/** A task behind an example of how to work, or new words in a note that a task goes on. */
const WORDS_WITHIN = [
  {
    begins: /^\s*Here's a running example of how to perform a task with the provided tools\./,
    opens: /\n-{3,} ?NEW TASK DESCRIPTION ?-{3,}\n/,
    closes: /\n-{3,} ?END OF NEW TASK DESCRIPTION ?-{3,}/,
  },
  { begins: /^\s*\[TASK RESUMPTION\]/, opens: /<user_message>\n?/, closes: /<\/user_message>/ },
] as const;
/** What a harness says of its mode above a user's words. */
const NOTICES_ABOVE = /^(?:\s*<(mode_notice|environment_notice)>[\s\S]{0,8000}?<\/\1>)+/;
/** Blocks that a harness adds to what a user typed. */
const BLOCK =
  /(?:Files attached by the user:\s{1,4})?<(environment_details|file_content|folder_content|url_content|workspace_diagnostics|git_working_state|mode_notice|environment_notice)(?=[\s>])/g;

/**
 * Returns, for each part of a message, the ranges of its text that its author wrote. In a user message of an agent that
 * writes calls as text, that leaves out results and what the harness adds; everywhere else it is the whole text. Linear
 * in the length of the text.
 */
export function typedRanges({ role, parts }: Pick<Message, "role" | "parts">): readonly (readonly TextRange[])[] {
  /** The call whose label was a part of its own, so that the next part is its result. */
  let labelled: string | undefined;
  return parts.map((part) => {
    if (part.type !== "text") return [];
    const { text } = part;
    if (role !== "user") return [[0, text.length]];
    if (labelled !== undefined) {
      const ranges = answeredRanges(text, 0, labelled);
      labelled = undefined;
      return ranges;
    }
    const label = resultLabel(text);
    if (label === null) return ownRanges(text);
    if (text.slice(label.end).trim() === "") labelled = label.toolName;
    return answeredRanges(text, label.end, label.toolName);
  });
}

/** Returns what the author of a message wrote; see {@link typedRanges}. Other parts are shown as text. */
export function typedText(message: Pick<Message, "role" | "parts">): string {
  if (message.role !== "user") return visibleText(message);
  const ranges = typedRanges(message);
  return message.parts
    .map((part, index) =>
      part.type === "text" ? textIn(part.text, ranges[index] ?? []) : visibleText({ parts: [part] }),
    )
    .join("\n");
}

/** Returns the text of some ranges. */
export const textIn = (text: string, ranges: readonly TextRange[]): string =>
  ranges.map(([start, end]) => text.slice(start, end)).join("");

/** Returns the tool, the subject and the end of the label of a result at the beginning of a text; null without one. */
export function resultLabel(
  text: string,
): { readonly toolName: string; readonly subject: string; readonly end: number } | null {
  const [label, toolName, subject = ""] = RESULT_LABEL.exec(text.slice(0, LONGEST_LABEL)) ?? [];
  return label === undefined ? null : { toolName: toolName as string, subject: subject.trim(), end: label.length };
}

/** The user's words in a result: all of a result may be what a tool wrote, but for calls that ask the user. */
function answeredRanges(text: string, from: number, toolName: string): readonly TextRange[] {
  if (!ASKS_USER.test(toolName)) return [];
  const opened = WORDS_OPEN.exec(text.slice(from));
  if (opened === null) return [];
  const start = from + opened[0].length;
  const end = text.lastIndexOf(`</${opened[1]}>`);
  return end < start ? [] : withoutBlocks(text, [[start, end]]);
}

function ownRanges(text: string): readonly TextRange[] {
  if (PROGRAM.test(text)) return [];
  for (const { begins, opens, closes } of WORDS_WITHIN) {
    if (!begins.test(text)) continue;
    const opened = opens.exec(text);
    if (opened === null) return [];
    const start = opened.index + opened[0].length;
    const length = text.slice(start).search(closes);
    return [[start, length < 0 ? text.length : start + length]];
  }
  const words: TextRange[] = [];
  let at = NOTICES_ABOVE.exec(text)?.[0].length ?? 0;
  for (let opened = WORDS_OPEN.exec(text.slice(at)); opened !== null; opened = WORDS_OPEN.exec(text.slice(at))) {
    const start = at + opened[0].length;
    const tag = `</${opened[1]}>`;
    const close = text.indexOf(tag, start);
    if (close < 0) break;
    words.push([start, close]);
    at = close + tag.length;
  }
  return withoutBlocks(text, [...words, [at, text.length]]);
}

/** Takes the blocks of a harness out of ranges. The last one may be cut off. */
function withoutBlocks(text: string, ranges: readonly TextRange[]): readonly TextRange[] {
  const blocks: TextRange[] = [];
  const open = new Set<string>();
  let end = 0;
  for (const { index, 1: tag = "" } of text.matchAll(BLOCK)) {
    if (index < end || open.has(tag)) continue;
    const close = text.indexOf(`</${tag}>`, index);
    if (close < 0) open.add(tag);
    if (close < 0 && tag !== "environment_details") continue;
    end = close < 0 ? text.length : close + tag.length + 3;
    blocks.push([index, end]);
  }
  return ranges.flatMap((range) => between(blocks, range));
}

function between(blocks: readonly TextRange[], [start, end]: TextRange): readonly TextRange[] {
  const left: TextRange[] = [];
  let from = start;
  for (const [first, last] of blocks) {
    if (first > from) left.push([from, Math.min(first, end)]);
    from = Math.max(from, last);
    if (from >= end) return left;
  }
  return [...left, [from, end]];
}

/** Returns a text of the same length with blanks in the place of what stands outside the ranges. */
export function onlyTyped(text: string, ranges: readonly TextRange[]): string {
  if (ranges.length === 1 && ranges[0]?.[0] === 0 && ranges[0][1] === text.length) return text;
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of [...ranges, [text.length, text.length] as const]) {
    pieces.push(text.slice(at, start).replace(/[^\n]/g, " "), text.slice(start, end));
    at = end;
  }
  return pieces.join("");
}
