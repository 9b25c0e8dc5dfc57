import { type Message, type MessageId, type Part, resultLabel, textIn, typedRanges } from "@threadfold/core";
import { excerpt, sentenceExcerpt } from "../../text/excerpt.ts";
import { COMPLETION, isAcknowledgement, reportsTrouble, SETBACK } from "../text/phrases.ts";
import { isQuestion, isRemark, offersMore, quoteSentences, type Sentence, sentencesOf } from "../text/sentence.ts";

/** The position of a piece of a span. */
export interface Place {
  readonly messageId: MessageId;
  /** Index of the message in the span, from 0. */
  readonly position: number;
  readonly turn: number;
}

/** How much of an agent's message is read, in UTF-16 code units: what matters is at its beginning and end. */
const AGENT_HEAD = 1_600;
const AGENT_TAIL = 900;
/** The label that some harnesses have their agent write before its thoughts. */
const LABEL = /^\s*(?:THOUGHTS?|Thoughts?|DISCUSSION|REASONING)\s*:\s+/;

/** What somebody said in one message. Its sentences are read once, on demand. */
export class Speech {
  readonly text: string;
  readonly place: Place;
  readonly speaker: "user" | "system" | "agent";
  /** True when the agent's message has no call, so that its turn may end there. */
  readonly closing: boolean;
  /** True when the agent's message does what it announces, as edits in blocks do. */
  readonly carriesOut: boolean;
  #sentences: readonly Sentence[] | undefined;

  constructor(text: string, place: Place, speaker: Speech["speaker"], closing = false, carriesOut = false) {
    this.text = text;
    this.place = place;
    this.speaker = speaker;
    this.closing = closing;
    this.carriesOut = carriesOut;
  }

  get sentences(): readonly Sentence[] {
    this.#sentences ??=
      this.speaker === "agent"
        ? sentencesOf(this.text.replace(LABEL, ""), AGENT_HEAD, AGENT_TAIL)
        : sentencesOf(this.text);
    return this.#sentences;
  }
}

/** Tags of blocks that harnesses insert into what a user typed. */
const HARNESS_BLOCKS = [
  "system-reminder",
  "local-command-stdout",
  "command-message",
  "command-args",
  "environment_context",
  "user_instructions",
];
const HARNESS_TEXT =
  /^\s*(?:<(?:command-name|local-command-|bash-|task-notification|environment_context|user_instructions)|Caveat: The messages below|\[Request interrupted|# AGENTS\.md instructions)/;

/** Returns what a person typed in a user message; empty when a program wrote all of it. */
export function typedText(text: string): string {
  const typed = text.includes("<") ? HARNESS_BLOCKS.reduce(withoutBlocks, text) : text;
  return HARNESS_TEXT.test(typed) ? "" : typed.trim();
}

/** Returns what the user replied to a call that speaks to the user; empty if the result only gives its words back. */
export function repliedWords(toolName: string, text: string): string {
  const labelled = `[${toolName}] Result:\n${text}`;
  const [ranges = []] = typedRanges({ role: "user", parts: [{ type: "text", text: labelled }] });
  return resultLabel(labelled) === null ? "" : textIn(labelled, ranges).trim();
}

/** A file that a harness put beside what a user typed. */
export interface AttachedFile {
  readonly path: string;
  readonly text: string;
}

/** How harnesses name such a file where there is more in the message, where there is not, and what ends the file. */
const NAMES_FILE = /<file_content path="([^"\n]{1,400})">\n|^Content from @([^\n]{1,400}):\n/gm;
const ONLY_FILE = /^(\S{1,300}\.\w{1,8})\n\n/;
const END_OF_FILE = /<\/file_content>|^--- End of content ---/m;

/** The line above the files that Gemini CLI adds. Their headings and their texts may be parts of their own. */
const ADDED_FILES = /^\s*--- Content from referenced files ---/;

/** Returns the parts of a harness's message, with files that it adds as one part. */
export function wholeParts(parts: readonly Part[]): readonly Part[] {
  const [first] = parts;
  if (first?.type !== "text" || !ADDED_FILES.test(first.text)) return parts;
  const [texts, others] = [parts.filter(({ type }) => type === "text"), parts.filter(({ type }) => type !== "text")];
  return [{ type: "text", text: texts.map((part) => ("text" in part ? part.text : "")).join("") }, ...others];
}

/** Returns the files in a message; whoever types may begin with a path. */
export function attachedFiles(text: string, isTyped: boolean): readonly AttachedFile[] {
  const only = isTyped ? null : ONLY_FILE.exec(text);
  const named = only === null ? [...text.matchAll(NAMES_FILE)] : [only];
  return named.map(({ index, 0: { length }, 1: tagged, 2: listed = "" }, at) => {
    const [body = ""] = text.slice(index + length, named[at + 1]?.index).split(END_OF_FILE, 1);
    return { path: tagged ?? listed, text: body };
  });
}

function withoutBlocks(text: string, tag: string): string {
  let rest = "";
  let from = 0;
  for (let open = text.indexOf(`<${tag}>`); open >= 0; open = text.indexOf(`<${tag}>`, from)) {
    const close = text.indexOf(`</${tag}>`, open);
    if (close < 0) break;
    rest += text.slice(from, open);
    from = close + tag.length + 3;
  }
  return from === 0 ? text : rest + text.slice(from);
}

/** Text that a harness puts into an assistant message when nothing was asked, or the model gave no answer. */
const SAYS_NOTHING =
  /^(?:No response requested\.?|\(no content\)|API Error: \d{3}\b.*|Claude (?:AI )?usage limit reached.*|Prompt is too long|Request timed out\.?|Your context was compacted(?: at the user's request)?\.\s[\s\S]*|Ok, (?:any changes I propose will be to those files|I will use these files as references|I won't try and edit those files without asking first|I'll (?:remember that|reply with the)[^.\n]{0,60})\.)$/i;
/** Work on something else, which a harness shows as an example. */
const DEMONSTRATION = /^--- DEMONSTRATION ---$/m;

export const saysNothing = (text: string): boolean => SAYS_NOTHING.test(text.trim());
export const isDemonstration = (text: string): boolean => DEMONSTRATION.test(text);

/** What a harness says that it did with the edits of an answer. */
export interface WorkReport {
  readonly edited: readonly string[];
  readonly created: ReadonlySet<string>;
  /** The subjects of its commits. */
  readonly commits: readonly string[];
}

/** A line of such a report. */
const REPORTS_WORK =
  /^(?:(?:Applied|Did not apply) edit to |(?:Commit|Removed:) [0-9a-f]{7,40} |Running |Added \d+ lines? of output|[/!]|.{1,300}\nCreate new file\? )/;
const EDITED = /^Applied edit to (\S.{0,300})$/gm;
const UNDONE = /^Undone edit to (\S.{0,300})$/gm;
const CREATED_FILE = /^(\S.{0,300})\nCreate new file\? /gm;
const COMMITTED = /^Commit [0-9a-f]{7,40} (\S.{0,2000})$/gm;

/** Reads what a harness says that it did; null for a message that says nothing about it. */
export function workReport({ role, origin, parts }: Message): WorkReport | null {
  if (role !== "user" || origin !== "harness") return null;
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  if (!REPORTS_WORK.test(text)) return null;
  const found = (mark: RegExp): readonly string[] => [...text.matchAll(mark)].map(([, name = ""]) => name);
  const undone = new Set(found(UNDONE));
  const report = {
    edited: [...new Set(found(EDITED))].filter((path) => !undone.has(path)),
    created: new Set(found(CREATED_FILE)),
    commits: found(COMMITTED),
  };
  return report.edited.length + report.commits.length === 0 ? null : report;
}

/** Returns what the harness says that it did, by the position of its message. */
export function reportsIn(messages: readonly Message[]): ReadonlyMap<number, WorkReport> {
  const found = messages.map((message, position) => [position, workReport(message)] as const);
  return new Map(found.filter((entry): entry is [number, WorkReport] => entry[1] !== null));
}

/** How far into an answer its thoughts may begin, in UTF-16 code units. */
const LONGEST_OPENING = 200;
/** Thoughts that a model writes into its answer, with the tags or headings that open and close them. */
const THOUGHTS = /<(think|thinking-content-[\w-]{1,64})>|^-*\s*► \*\*THINKING\*\*/m;
const THOUGHT_ENDS = "► **ANSWER**";

/** Takes the thoughts out of an answer. */
export function withoutThoughts(text: string): { readonly text: string; readonly thoughts: string } {
  const opened = THOUGHTS.exec(text.slice(0, LONGEST_OPENING));
  if (opened === null) return { text, thoughts: "" };
  const close = opened[1] === undefined ? THOUGHT_ENDS : `</${opened[1]}>`;
  const start = opened.index + opened[0].length;
  const end = text.indexOf(close, start);
  if (end < 0) return { text, thoughts: "" };
  const rest = `${text.slice(0, opened.index)}${text.slice(end + close.length)}`;
  return { text: rest.trim(), thoughts: text.slice(start, end).trim() };
}

/** How a line begins or ends that was pasted: quotes, tables, diffs, logs, traces, prompts, code, bare paths. */
const PASTED =
  /^\s*(?:[>|{}]|\+ |```|~~~|@@|diff --git|<[a-zA-Z/!?]|\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|\[(?:INFO|WARN|ERROR|DEBUG)|at \S|File "|\$ |➜|❯|[\w.-]+@[\w.-]+[:~#$]|node:|Node\.js v\d|Waiting for the debugger|Process exited|["']?[~/][^\s"']*["']?(?: \([^()]*\))?\s*$|(?:const|let|var|import|export|def|class|function|return)\b.*[={;(])|[;{}]\s*$/;
/** A heading may open somebody's own words as well as a pasted page. */
const HEADING = /^\s*#{1,6} /;
/** How much of a line shows what it is, in UTF-16 code units. */
const LOOKED_AT = 400;
/** How much of the beginning and the end of a message is searched for its writer's own words, in UTF-16 code units. */
const OPENING = 2_000;
const ENDING = 1_200;
/** The most that is quoted of what was pasted, of its page's beginning, and of a question at the end. */
const MAX_PASTED = 80;
const MAX_OPENING = 120;
const MAX_QUESTION = 110;
const MIN_OWN = 8;

const isPasted = (line: string): boolean => PASTED.test(line.slice(0, LOOKED_AT)) || reportsTrouble(line);

/** Checks whether a message begins with something pasted rather than with its writer's own words. */
export const opensPasted = (text: string): boolean => {
  const first = text.trimStart();
  const line = first.slice(0, lineEnd(first));
  return isPasted(line) || HEADING.test(line);
};

const lineEnd = (text: string): number => (text.indexOf("\n") < 0 ? text.length : text.indexOf("\n"));

/** The last paragraph of a message, as far back as its lines are the writer's own words. */
function ownEnding(text: string): string {
  const lines = text.slice(-ENDING).trimEnd().split("\n");
  // The first line may have been cut.
  if (text.length > ENDING) lines.shift();
  const from = lines.findLastIndex((line) => line.trim() === "" || isPasted(line)) + 1;
  const own = lines.slice(from).join("\n").trim();
  return own.length < MIN_OWN || isAcknowledgement(own) ? "" : own;
}

/**
 * Returns what a message asks for on one line, like {@link sentenceExcerpt}. Of a long message that opens with something
 * pasted it quotes little, and what its writer says below; of any other, the question at its end as well.
 */
export function askedExcerpt(text: string, maxLength: number): string {
  // An ellipsis inside a message is no end of a sentence.
  const beginning = sentenceExcerpt(text.replace(/(?<!\.)\.{3,}(?=\s)/g, "…"), maxLength);
  if (!beginning.endsWith("…")) return beginning;
  const own = ownEnding(text);
  if (own === "") return beginning;
  if (opensPasted(text)) return `${pastedExcerpt(text)} … ${sentenceExcerpt(own, maxLength - MAX_PASTED)}`;
  const question = sentencesOf(own).at(-1)?.text ?? "";
  const isQuoted = isQuestion(question) && question.length <= MAX_QUESTION && own.endsWith(question);
  if (!isQuoted) return beginning;
  return `${withoutMark(sentenceExcerpt(text, maxLength - question.length))} … ${question}`;
}

/** The share of words that make two requests the same one. */
const SAME_AGAIN = 0.5;

/** Checks whether a request asks for the same as one before it, both given by their words. */
export function asksAgain(before: string, again: string): boolean {
  const [words, others] = [new Set(before.split(" ")), again.split(" ")];
  const shared = new Set(others.filter((word) => words.has(word))).size;
  return shared >= SAME_AGAIN * Math.min(words.size, others.length);
}

/** The line of a pasted text that names its error, or its beginning. */
function pastedExcerpt(text: string): string {
  const lines = text.slice(0, OPENING).split("\n");
  const first = lines.findIndex((line) => line.trim() !== "" && !/^\s*(?:```|~~~)/.test(line));
  if (HEADING.test(lines[first] ?? "")) return withoutMark(sentenceExcerpt(text, MAX_OPENING));
  return withoutMark(excerpt(lines.find(reportsTrouble) ?? lines[first] ?? "", MAX_PASTED));
}

const withoutMark = (cut: string): string => cut.replace(/ ?…$/, "");

/** What is to be done or is done as a rule, in words that otherwise say that it was done. */
const DONE =
  "(?:created|updated|added|removed|deleted|fixed|merged|published|resolved|committed|completed|implemented|renamed|refactored|released|pushed|finished|done)";
const TO_BE_DONE = new RegExp(
  `\\b(?:to|should|must|needs?|can|could|will|would|may|might|not|never|no longer) (?:be |been |being |get )?(?:\\w+ly )?${DONE}\\b|` +
    `\\bno (?:\\w+ ){1,4}(?:is|was|are|were) ${DONE}\\b|\\b(?:is|are|gets?) (?:created|added|updated|removed|deleted)\\b`,
  "gi",
);
/** Words after which a sentence says what may happen. Short ones count only where a clause begins. */
const CONDITION =
  /(?<!\p{L})(?:if|in case|unless|falls|sollte|wenn|en cas|если)(?!\p{L})|(?:^|[,;:(] ?)(?:si|se|caso)(?!\p{L})|如果|要是|もし|場合/iu;
/** Words of a sentence on why something happened before the work. */
const EXPLAINS =
  /\b(?:because|since|which is why)\b|\bso \S+ (?:couldn['’]t|could not|failed to|was unable)|^(?:why|the (?:user|old|previous|cause|reason)|root cause|problem|before)\b/i;

/** Checks whether a sentence says that something was done. */
export function saysDone({ text, marks }: Sentence): boolean {
  if (!(marks & COMPLETION) || marks & SETBACK || text.startsWith("|")) return false;
  const rest = text.replace(TO_BE_DONE, " ");
  return rest.length === text.length || expresses(rest, COMPLETION);
}

/** Words that hand something over or say that it can begin, in place of saying that the work was done. */
const HANDS_OVER =
  /\b(?:here(?:['’]s| is| are)|ready|complete)\b|(?<!\p{L})(?:fertig|prête?s?|list[oa]s?|pront[oa]s?|готов[аоы]?)(?!\p{L})/giu;

/** Checks whether a sentence says that the work itself was done, and does not only hand something over. */
export const saysWorkDone = (sentence: Sentence): boolean =>
  saysDone(sentence) && expresses(sentence.text.replace(TO_BE_DONE, " ").replace(HANDS_OVER, " "), COMPLETION);

/** The first sentence that says that something was not done. If the work was done, what explains it is none. */
export const setbackIn = (sentences: readonly Sentence[], isDone: boolean): Sentence | undefined =>
  sentences.find((sentence) => isSetback(sentence) && !(isDone && EXPLAINS.test(sentence.text)));

function isSetback({ text, marks }: Sentence): boolean {
  if (!(marks & SETBACK) || marks & COMPLETION || isQuestion(text) || /[?？]\)/.test(text)) return false;
  const condition = CONDITION.exec(text);
  return condition === null || expresses(text.slice(0, condition.index), SETBACK);
}

const expresses = (text: string, mark: number): boolean => sentencesOf(text).some(({ marks }) => (marks & mark) !== 0);

/** A shorter sentence, in UTF-16 code units, is no statement on its own. */
const MIN_STATEMENT = 25;

/**
 * The sentences on how a request ended, quoted whole: the one that says so, and those after it. Of work that was done but
 * for a part, the first one that says so and the one about the part.
 */
export function closingWords(
  sentences: readonly Sentence[],
  completion: Sentence | undefined,
  setback: Sentence | undefined,
  maxLength: number,
): string {
  const telling = setback ?? completion;
  if (setback !== undefined && completion !== undefined && sentences.indexOf(completion) < sentences.indexOf(setback)) {
    const both = quoteSentences([completion, setback], maxLength);
    if (both.endsWith(setback.text)) return both;
  }
  const told = sentences.filter(
    (sentence) => sentence === telling || !(isFrame(sentence) || isRemark(sentence) || offersMore(sentence.text)),
  );
  const said = told.length > 0 ? told : sentences;
  const first = telling ?? said.find(isStatement) ?? said.find(({ text }) => !isQuestion(text)) ?? said[0];
  return first === undefined ? "" : quoteSentences(said.slice(said.indexOf(first)), maxLength);
}

/** True for a heading, a table row, or a line that introduces something that is not quoted. */
const isFrame = ({ text }: Sentence): boolean =>
  text.startsWith("|") || /[:：]$/.test(text) || (text.length < MIN_STATEMENT && !/[.!?。！？`)]$/.test(text));

/** Checks whether a sentence is a statement on its own. */
export const isStatement = ({ text }: Sentence): boolean =>
  text.length >= MIN_STATEMENT && !isQuestion(text) && !/[:：]$/.test(text);
