import {
  canonicalJson,
  EventLoopTurns,
  finishSteps,
  type Message,
  type Steps,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  type SummaryChange,
  ThreadfoldError,
  typedText,
  visibleText,
} from "@threadfold/core";
import { oneLine } from "../text/excerpt.ts";
import { harvestSpan } from "./collectors/harvest-span.ts";
import { readSpokenAnswer, type SpokenForm, spokenForm } from "./reading/spoken-calls.ts";
import { selectChanges } from "./selection/select-changes.ts";

/**
 * Id and version of the summarizer. Bump it when the same span leads to different changes: it is part of cache keys.
 */
export const EXTRACTIVE_SUMMARIZER_ID = "extractive-v20";

/**
 * Summarizes without a model, for a person or model who takes over the work. The summary contains the task, the rules,
 * the requests and their outcomes, the agent's own words on what it found and did, the changes to each file, the
 * outcome of each command, and lines with names that later calls are likely to need, each with its source messages.
 * Deterministic, linear in the text, and within `maxTokens` by the request's own counter; yields to the event loop
 * while reading a long span. Instructions are used as search words: matching content takes precedence, and if they
 * change nothing, the result says so (`instructionsUnused`).
 */
export class ExtractiveSummarizer implements Summarizer {
  readonly id = EXTRACTIVE_SUMMARIZER_ID;

  /** @throws ThreadfoldError `ABORTED` when the request's signal is aborted before or during reading. */
  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    refuseAborted(request);
    try {
      return await new EventLoopTurns().finish(summarizeInSteps(request), request.signal);
    } catch (error) {
      refuseAborted(request);
      throw error;
    }
  }

  /** Like {@link summarize}, but synchronous, for callers that must not yield. */
  summarizeNow(request: SummarizeRequest): SummarizeResult {
    refuseAborted(request);
    return finishSteps(summarizeInSteps(request));
  }
}

function* summarizeInSteps(given: SummarizeRequest): Steps<SummarizeResult> {
  const request = yield* inTurnsOfPeople(given);
  const changes = yield* changesInSteps(request);
  const said = changes.length === 0 ? { changes, nothingToSay: true as const } : { changes };
  if (request.instructions === undefined) return said;
  const { instructions: _instructions, ...asIs } = request;
  const without = yield* changesInSteps(asIs);
  const isAlike = canonicalJson(changes as never) === canonicalJson(without as never);
  return isAlike ? { ...said, instructionsUnused: true } : said;
}

function* changesInSteps(request: SummarizeRequest): Steps<readonly SummaryChange[]> {
  const harvests = yield* harvestSpan(request);
  yield;
  return yield* selectChanges(harvests, request);
}

/**
 * Returns a request in which only what people typed begins a turn. Where results come in user messages, each of them
 * began one, so that every request was over after one call. Turns are counted on from the previous summary. An answer
 * that the harness hands on to a second model is the harness's message.
 */
function* inTurnsOfPeople(request: SummarizeRequest): Steps<SummarizeRequest> {
  const { messages, previous, lastTurn } = request;
  const form = spokenForm(messages);
  if (form === null || (form.endsWith("block") && !messages.some(isAnswerOfProgram))) return request;
  const first = messages[0] as Message;
  const known = (previous?.openItems ?? []).flatMap((item) => item.turn ?? []);
  let turn = known.length > 0 ? Math.max(...known) : first.turn - (isTyped(first) ? 1 : 0);
  let answer = "";
  const counted: Message[] = [];
  for (const message of messages) {
    yield;
    const isHandedOn = beginsTurn(message) && answer.length >= SHORTEST_HANDED_ON && spokenLine(message) === answer;
    if (message.role === "assistant") answer = spokenLine(message);
    if (isTyped(message) && !isHandedOn) turn++;
    counted.push({ ...message, turn, ...(isHandedOn && { origin: "harness" as const }) });
  }
  const goesOn = lastTurn === "ended" && isAtWork(messages.at(-1) as Message, form);
  return { ...request, messages: counted, ...(goesOn && { lastTurn: "running" as const }) };
}

/** A shorter text, in UTF-16 code units, may be the same by chance. */
const SHORTEST_HANDED_ON = 40;
const spokenLine = (message: Message): string => oneLine(visibleText(message));

const beginsTurn = ({ role, origin, branch }: Message): boolean =>
  role === "user" && origin === undefined && branch === undefined;

const isTyped = (message: Message): boolean => beginsTurn(message) && typedText(message).trim() !== "";
const isAnswerOfProgram = (message: Message): boolean => beginsTurn(message) && !isTyped(message);

/** True when the agent's turn goes on after a message: it called something, or a program answered it. */
function isAtWork(last: Message, form: SpokenForm): boolean {
  if (last.role !== "assistant") return isAnswerOfProgram(last);
  const place = { messageId: last.id, position: 0, turn: last.turn };
  return last.parts.some((part) => part.type === "text" && !readSpokenAnswer(part.text, form, place).isClosing);
}

function refuseAborted({ signal }: SummarizeRequest): void {
  if (signal?.aborted) throw new ThreadfoldError("ABORTED", "Summarizing was aborted.", { cause: signal.reason });
}
