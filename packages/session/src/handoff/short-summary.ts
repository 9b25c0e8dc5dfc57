import { type AgentThread, type CompletionModel, type Message, visibleText } from "@threadfold/core";
import { redactJson } from "@threadfold/summarizers";
import { SUMMARY_TIME_LIMIT_MS } from "@threadfold/turn";
import type { SessionOptions } from "../host/session-options.ts";

/** What a short summary is made with. */
export interface ShortSummaryOptions {
  /** Writes it; the session's `summaryModel` by default. Without one the first and the newest request stand in for it. */
  readonly summaryModel?: CompletionModel;
  /** Ends the call of the model. */
  readonly signal?: AbortSignal;
}

/** The same, with what a session has for it. */
export interface ShortSummaryParts extends ShortSummaryOptions, Pick<SessionOptions, "redactSecrets"> {}

const SYSTEM =
  "You tell people in a list of conversations what one of them is about. You say what was asked for and what was done, in two sentences at the most, and nothing else.";
const MAX_OUTPUT_TOKENS = 200;
/** What is shown to the model, in UTF-16 code units: of a message, and of the newest messages together. */
const SHOWN_OF_MESSAGE = 600;
const SHOWN = 12_000;
const MAX_SENTENCE = 240;

/**
 * What a thread is about, in two sentences at the most, for people (OpenCode's summary for its user interface). It is no part
 * of any prompt, and folds do not use it. A model that fails, is too slow or says nothing is replaced by the words of the first
 * and the newest request.
 */
export async function shortSummary(
  thread: AgentThread,
  { summaryModel: model, signal, redactSecrets = true }: ShortSummaryParts,
): Promise<string> {
  const asked = [...thread.messages].filter(isRequest);
  const told = model === undefined ? "" : await tell(model, await transcript(thread, redactSecrets), signal);
  const own = [asked[0], asked.length > 1 ? asked.at(-1) : undefined].flatMap((message) =>
    message === undefined ? [] : sentences(visibleText(message)).slice(0, 1),
  );
  return told === "" ? (redactSecrets ? await redactJson(own) : own).join(" ") : told;
}

async function tell(model: CompletionModel, text: string, signal: AbortSignal | undefined): Promise<string> {
  if (text === "") return "";
  const limit = AbortSignal.timeout(SUMMARY_TIME_LIMIT_MS);
  try {
    const answer = await model.complete({
      system: SYSTEM,
      messages: [{ role: "user", text: `${text}\n\nWhat is this conversation about? Two sentences at the most.` }],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    return answer.finish === "refusal" ? "" : sentences(answer.text).slice(0, 2).join(" ");
  } catch {
    signal?.throwIfAborted();
    return "";
  }
}

const isRequest = ({ role, origin, branch }: Message): boolean =>
  role === "user" && origin === undefined && branch === undefined;

/** The first request and the newest messages, shortened. */
async function transcript(thread: AgentThread, redactSecrets: boolean): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  const shown = [...thread.messages].filter(({ branch, role }) => branch === undefined && role !== "system");
  for (const message of shown.toReversed()) {
    const text = visibleText(message).slice(0, SHOWN_OF_MESSAGE).toWellFormed();
    if (text === "") continue;
    length += text.length;
    if (length > SHOWN) break;
    lines.unshift(`${message.role}: ${text}`);
  }
  const first = shown.find(isRequest);
  const opening = first === undefined ? [] : [`user: ${visibleText(first).slice(0, SHOWN_OF_MESSAGE).toWellFormed()}`];
  const all = lines[0] === opening[0] ? lines : [...opening, ...lines];
  return (redactSecrets ? await redactJson(all) : all).join("\n");
}

/** The sentences of a text on one line each, without what is too long for a list. */
function sentences(text: string): readonly string[] {
  const line = text.replace(/\s+/gu, " ").trim();
  const segments = new Intl.Segmenter("en", { granularity: "sentence" }).segment(line.slice(0, 4 * MAX_SENTENCE));
  return [...segments]
    .map(({ segment }) => segment.trim().slice(0, MAX_SENTENCE).toWellFormed())
    .filter((said) => said !== "");
}
