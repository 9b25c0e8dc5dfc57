import { checkFrame } from "./checked-arguments.ts";
import { has, refuseArgument } from "./refuse-argument.ts";
import type { SessionOptions } from "./session-options.ts";

/** A member that the value of an option has, and where such a value comes from. */
interface Duty {
  readonly option: keyof SessionOptions;
  readonly member: string;
  readonly hint: string;
}

/** What sessions call first of what they are given. Names in place of the things themselves are the usual mistake. */
const DUTIES: readonly Duty[] = [
  { option: "store", member: "threads", hint: 'Hand in a store, such as await openStore("threads.db").' },
  { option: "preset", member: "trigger", hint: 'Hand in a preset, such as presetByName("codex").' },
  { option: "format", member: "lower", hint: 'Hand in a format, such as formatById("openai-chat").' },
  { option: "tokenizer", member: "countTokens", hint: "Hand in a counter, such as heuristicTokenizer()." },
  { option: "summaryModel", member: "complete", hint: "Hand in an object with an id and complete(request)." },
  { option: "summarizer", member: "summarize", hint: "Hand in an object with an id and summarize(request)." },
];

/**
 * Gives the options back when they are what their type says, as far as the types of a caller in JavaScript are unknown.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the option.
 */
export function checkedOptions(options: SessionOptions): SessionOptions {
  if (typeof options !== "object" || options === null)
    refuseArgument("options", "a session is opened with an object of them.");
  const { threadId, frame } = options;
  if (typeof threadId !== "string" || threadId === "")
    refuseArgument("threadId", "it has to be a text.", "Name the conversation; the same name opens it again.");
  for (const { option, member, hint } of DUTIES) {
    const given = options[option];
    if (given !== undefined && !has(given, member)) refuseArgument(option, `it has no ${member}.`, hint);
  }
  checkFrame(frame);
  return options;
}
