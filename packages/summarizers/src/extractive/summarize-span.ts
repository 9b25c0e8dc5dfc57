import {
  canonicalJson,
  type Message,
  type Steps,
  type SummarizeRequest,
  type SummarizeResult,
  type SummaryChange,
  typedText,
  visibleText,
} from "@threadfold/core";
import { oneLine } from "../text/excerpt.ts";
import { harvestSpan } from "./collectors/harvest-span.ts";
import { readSpokenAnswer, type SpokenForm, spokenForm } from "./reading/spoken-calls.ts";
import { selectChanges } from "./selection/select-changes.ts";

/** Returns the changes that a span makes to a summary, and whether the request's instructions changed any of them. */
export function* summarizeSpan(given: SummarizeRequest): Steps<SummarizeResult> {
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
  const goesOn = lastTurn !== undefined && isAtWork(messages.at(-1) as Message, form);
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
