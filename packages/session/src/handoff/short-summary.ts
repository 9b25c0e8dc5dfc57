import { type AgentThread, type CompletionModel, type Message, visibleText } from "@threadfold/core";
import { redactJson } from "@threadfold/summarizers";
import { SUMMARY_TIME_LIMIT_MS } from "@threadfold/turn";
import type { SessionOptions } from "../host/session-options.ts";

/** Options of a short summary. */
export interface ShortSummaryOptions {
  /** Model that writes it; the session's by default. Without one, the first and newest request are quoted instead. */
  readonly summaryModel?: CompletionModel;
  /** Aborts the model call. */
  readonly signal?: AbortSignal;
}

/** The same, with the session's own settings. */
export interface ShortSummaryParts extends ShortSummaryOptions, Pick<SessionOptions, "redactSecrets"> {}

const SYSTEM =
  "You tell people in a list of conversations what one of them is about. You say what was asked for and what was done, in two sentences at the most, and nothing else.";
const MAX_OUTPUT_TOKENS = 200;
/** Limits of what the model is shown, in UTF-16 code units: per message, and for the newest messages together. */
const SHOWN_OF_MESSAGE = 600;
const SHOWN = 12_000;
const MAX_SENTENCE = 240;

/**
 * Returns what a thread is about, for people, in at most two sentences (like OpenCode's summary for its user
 * interface). It is not part of any prompt, and folds do not use it. If the model fails, is too slow or says nothing,
 * the first and the newest request are quoted instead.
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

/** Returns the first request and the newest messages, shortened. */
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

/** Returns the sentences at the beginning of a text, each on one line and cut to the length that suits a list. */
function sentences(text: string): readonly string[] {
  const line = text.replace(/\s+/gu, " ").trim();
  const segments = new Intl.Segmenter("en", { granularity: "sentence" }).segment(line.slice(0, 4 * MAX_SENTENCE));
  return [...segments]
    .map(({ segment }) => segment.trim().slice(0, MAX_SENTENCE).toWellFormed())
    .filter((said) => said !== "");
}
