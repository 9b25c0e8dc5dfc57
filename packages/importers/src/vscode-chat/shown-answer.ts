import type { JsonValue, MediaPart, Part, ToolCallPart, ToolResultPart } from "@threadfold/core";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
} from "../reading/foreign-value.ts";
import type { DraftMessage, SessionDraft } from "../session/session-draft.ts";
import { shortId } from "../session/session-ids.ts";
import { toolResultContent } from "../session/shared-readers.ts";

/** What all messages of an answer have in common. */
type Common = Omit<DraftMessage, "id" | "role" | "parts">;

/** The pieces of an answer up to where the model spoke again after a call, or up to where another agent worked. */
interface Step {
  readonly branch: string | undefined;
  readonly pieces: ForeignObject[];
}

/**
 * Adds an answer as VS Code showed it, for want of what the model said: its text and thoughts, and its calls with what
 * is known of their input and result. What the editor shows between them is left out.
 *
 * @param id of the first message.
 */
export function addShownAnswer(response: unknown, id: string, common: Common, draft: SessionDraft): void {
  for (const [index, { branch, pieces }] of stepsOf(response).entries()) {
    const own = branch === undefined ? common : { branch, ...common };
    const answers: ToolResultPart[] = [];
    const readCall = (piece: ForeignObject, place: number): Part => {
      const call = shownCall(piece, `${id}-${index}-${place}`, draft);
      answers.push(...shownResult(piece, call));
      return call;
    };
    const parts = joined(pieces.flatMap((piece, place) => (isCall(piece) ? readCall(piece, place) : readSaid(piece))));
    draft.add({ ...own, id: index === 0 ? id : `${id}-${index}`, role: "assistant", parts });
    const { model: _, ...returned } = own;
    for (const answer of answers)
      draft.add({ ...returned, id: `${id}-${answer.result.callId}`, role: "tool", parts: [answer] });
  }
}

function stepsOf(response: unknown): readonly Step[] {
  const steps: Step[] = [];
  for (const piece of objectsOf(response)) {
    if (!isCall(piece) && readSaid(piece).length === 0) continue;
    const agent = isCall(piece) ? nonEmptyText(piece.subAgentInvocationId) : undefined;
    const branch = agent === undefined ? undefined : `sidechain/${shortId(agent)}`;
    const step = steps.at(-1);
    const before = step?.pieces.at(-1);
    const isSame = step?.branch === branch && before !== undefined && (!isCall(before) || isCall(piece));
    if (step !== undefined && isSame) step.pieces.push(piece);
    else steps.push({ branch, pieces: [piece] });
  }
  return steps;
}

const isCall = ({ kind, toolId }: ForeignObject): boolean =>
  kind === "toolInvocationSerialized" && nonEmptyText(toolId) !== undefined;

/** Reads text, thoughts, and references to files and symbols in the words that VS Code copies them in. */
function readSaid({ kind, value, content, inlineReference }: ForeignObject): readonly Part[] {
  if (kind === "inlineReference") return textParts(referenceText(objectOf(inlineReference) ?? {}));
  const said = textOf(value) ?? textOf(objectOf(content)?.value);
  if (kind !== "thinking") return kind === undefined || kind === "markdownContent" ? textParts(said) : [];
  const thought = said ?? (listOf(value) ?? []).flatMap((piece) => textOf(piece) ?? []).join("");
  return thought === "" ? [] : [{ type: "reasoning", text: thought, provider: "copilot" }];
}

const textParts = (text: string | undefined): readonly Part[] =>
  text === undefined || text === "" ? [] : [{ type: "text", text }];

function referenceText(reference: ForeignObject): string {
  const name = textOf(reference.name);
  if (name !== undefined && reference.uri === undefined) return `\`${name}\``;
  const { scheme, authority, path } = objectOf(reference.uri) ?? reference;
  const place = textOf(path) ?? "";
  if (scheme === "http" || scheme === "https") return `${scheme}://${textOf(authority) ?? ""}${place}`;
  return place.slice(place.lastIndexOf("/") + 1);
}

/** Joins texts that follow one another: VS Code keeps a sentence with references in pieces. */
function joined(parts: readonly Part[]): readonly Part[] {
  const whole: Part[] = [];
  let texts: string[] = [];
  const close = () => {
    if (texts.length > 0) whole.push({ type: "text", text: texts.join("") });
    texts = [];
  };
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    else {
      close();
      whole.push(part);
    }
  }
  close();
  return whole;
}

/** Reads a call, with its input where that is shown. */
function shownCall(piece: ForeignObject, standIn: string, draft: SessionDraft): ToolCallPart {
  const toolName = textOf(piece.toolId) ?? "";
  const callId = draft.calls.open(piece.toolCallId, toolName, standIn);
  const shown = objectOf(piece.toolSpecificData) ?? {};
  const given = textOf(objectOf(piece.resultDetails)?.input) ?? textOf(shown.rawInput) ?? textOf(shown.input);
  const input = given === undefined ? (objectOf(shown.rawInput) ?? inputOf(shown)) : parsedInput(given);
  return { type: "tool-call", callId, toolName, input: input as JsonValue };
}

/** An input is shown as JSON, but not that of every tool. */
function parsedInput(text: string): unknown {
  const parsed = parseJson(text);
  return (parsed.ok ? objectOf(parsed.value) : undefined) ?? { input: text };
}

function inputOf(shown: ForeignObject): JsonValue {
  const command = textOf(objectOf(shown.commandLine)?.original) ?? textOf(shown.command);
  if (command !== undefined) return { command };
  const known = ["agentName", "description", "prompt", "todoList"].filter((name) => shown[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, shown[name] as JsonValue]));
}

/** What Copilot answers a call that the user refused. */
const REFUSED = "The user cancelled the tool call.";

function shownResult(piece: ForeignObject, { callId, toolName }: ToolCallPart): readonly ToolResultPart[] {
  const isRefused = isRefusal(piece.isConfirmed);
  const shown = objectOf(piece.toolSpecificData) ?? {};
  const returned = isRefused ? REFUSED : (returnedBy(piece, shown) ?? messageOf(piece));
  if (returned === undefined) return [];
  const exitCode = countOf(objectOf(shown.terminalCommandState)?.exitCode) ?? 0;
  const hasFailed = isRefused || objectOf(piece.resultDetails)?.isError === true || exitCode !== 0;
  const outcome = hasFailed ? "failure" : "success";
  return [
    { type: "tool-result", result: { callId, toolName, outcome, content: toolResultContent(returned, readEmbedded) } },
  ];
}

/** The user denied it (0) or skipped it (5); older versions only say whether it was confirmed. */
function isRefusal(confirmed: unknown): boolean {
  const { type } = objectOf(confirmed) ?? {};
  return confirmed === false || type === 0 || type === 5;
}

/** What a call returned: a text, or a list of texts and pictures. */
function returnedBy({ resultDetails }: ForeignObject, shown: ForeignObject): unknown {
  const output = objectOf(resultDetails)?.output;
  const embedded = objectOf(output) === undefined ? objectsOf(output) : [objectOf(output)];
  const texts = embedded.flatMap((piece) => (piece?.isText === false ? [] : (textOf(piece?.value) ?? [])));
  if (texts.length > 0 && texts.length === embedded.length) return texts.join("\n");
  if (embedded.length > 0) return embedded;
  return (
    textOf(output) ??
    textOf(shown.output) ??
    textOf(objectOf(shown.terminalCommandOutput)?.text) ??
    textOf(shown.result)
  );
}

function readEmbedded(block: unknown): Part {
  const { value, base64Data, mimeType, isText, uri } = objectOf(block) ?? {};
  const [data, mediaType] = [textOf(base64Data) ?? textOf(value), textOf(mimeType)];
  if (isText === true || data === undefined) return { type: "text", text: data ?? referenceText(objectOf(uri) ?? {}) };
  const type: MediaPart["type"] = mediaType?.startsWith("image/") === true ? "image" : "file";
  return { type, source: { kind: "base64", mediaType: mediaType ?? "application/octet-stream", data } };
}

/** What was shown once a call had ended. */
function messageOf({ pastTenseMessage, invocationMessage, isComplete }: ForeignObject): string | undefined {
  const message = pastTenseMessage ?? (isComplete === true ? invocationMessage : undefined);
  return nonEmptyText(message) ?? nonEmptyText(objectOf(message)?.value);
}
