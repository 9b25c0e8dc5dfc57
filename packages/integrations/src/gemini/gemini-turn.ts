import type {
  Candidate,
  Content,
  FunctionCall,
  FunctionDeclaration,
  GenerateContentConfig,
  GenerateContentParameters,
  GenerateContentResponse,
  GoogleGenAI,
  Part,
} from "@google/genai";
import { type JsonObject, modelCallError, ThreadfoldError } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import {
  type ContextSession,
  type FrameFields,
  type ModelResponse,
  type PreparedRequest,
  stopReasonOf,
} from "@threadfold/session";
import { checkLoop, noAnswer, payloadOf } from "../mirror/ask-model.ts";
import { currentSession } from "../mirror/divergence.ts";
import { recallTools } from "../mirror/recall-tools.ts";
import {
  idOfAnswer,
  isSettled,
  type RequestNotes,
  readOnce,
  reportOf,
  SessionTurn,
  type SessionTurnOptions,
} from "../mirror/session-turn.ts";

/** Options of {@link geminiTurn}. Every request field but the contents is the host's to set. */
export interface GeminiTurnOptions extends SessionTurnOptions {
  /** The host's own client. */
  readonly client: Pick<GoogleGenAI, "models">;
  /** Name of the model, such as `gemini-2.5-pro`. */
  readonly model: string;
  /** The other settings of a request: temperature, thinking, safety settings, tools, system text. */
  readonly config?: Omit<GenerateContentConfig, "abortSignal">;
  /** Called with each chunk of a stream as it arrives. Without it answers are not streamed. */
  readonly onChunk?: (chunk: GenerateContentResponse) => void;
}

/** The fields of an API response that are used here: the SDK's response, or the chunks of a stream joined into one. */
export type GeminiResponse = Pick<
  GenerateContentResponse,
  "candidates" | "usageMetadata" | "modelVersion" | "responseId" | "promptFeedback"
>;

/** The model's answer: the SDK's response and what the host must do with it. */
export interface GeminiAnswer extends RequestNotes {
  /**
   * The response, in which every call has an id; the newest one when the model was asked again after using a recall
   * tool.
   */
  readonly response: GeminiResponse;
  /** Its text, without thoughts. */
  readonly text: string;
  /** The calls to run, without those that the output limit cut off and those of `threadfoldFunctions`. */
  readonly calls: readonly FunctionCall[];
  /**
   * True when `step` must be called again: the answer was cut off and the next request will be shorter, or the model is
   * not done reading.
   */
  readonly retry: boolean;
}

/** A loop over Google's SDK in which a session makes the requests. */
export interface GeminiTurn {
  /** Appends a user message, or function results (as `functionResponse` parts), and asks the model. */
  send(message: string | readonly Part[], options?: { readonly signal?: AbortSignal }): Promise<GeminiAnswer>;
  /** Asks the model without adding a message. */
  step(options?: { readonly signal?: AbortSignal }): Promise<GeminiAnswer>;
}

/**
 * Creates a loop over Google's SDK: messages go into the session's thread, the session makes the request and folds when
 * that is due, and the answer is appended to the thread. A request that is refused as too long is folded and sent once
 * more. `systemInstruction` and function declarations in `config` take precedence over `system` and `tools` of the
 * session's own frame, field by field; tools that run at Google are sent unchanged. Calls of `threadfoldFunctions` are
 * answered here; when the model called nothing else, it is asked again at once.
 */
export function geminiTurn({ session, clock, client, model, config = {}, onChunk }: GeminiTurnOptions): GeminiTurn {
  const call = onChunk === undefined ? "models.generateContent" : "models.generateContentStream";
  checkLoop({ session, client }, "gemini", call);
  const door = {
    format: "gemini" as const,
    model,
    frame: frameOf(config),
    read: fromGemini,
    async ask(payload: JsonObject, abortSignal: AbortSignal | undefined): Promise<GeminiResponse> {
      const made = toGeminiRequest({ format: session.format.id, payload });
      const request: GenerateContentParameters = {
        model,
        contents: made.contents,
        config: {
          ...config,
          ...made.config,
          tools: [...(made.config.tools ?? []), ...googleTools(config.tools)],
          ...(abortSignal !== undefined && { abortSignal }),
        },
      };
      if (onChunk === undefined) return withCallIds(await client.models.generateContent(request));
      return withCallIds(joined(await collected(await client.models.generateContentStream(request), onChunk)));
    },
  };
  const turn = new SessionTurn(door, { session, ...(clock !== undefined && { clock }) });
  const step: GeminiTurn["step"] = async ({ signal } = {}) => {
    const { answer, settled, ...notes } = await turn.step(signal);
    const parts = partsOf(answer);
    const calls = parts
      .flatMap(({ functionCall }) => functionCall ?? [])
      .filter(({ id = "" }) => !isSettled(id, settled));
    const text = parts.flatMap((part) => (part.thought === true ? [] : (part.text ?? []))).join("");
    return { response: answer, text, calls, ...notes };
  };
  return {
    step,
    async send(message, options) {
      await turn.tell([{ role: "user", parts: typeof message === "string" ? [{ text: message }] : message }]);
      return step(options);
    },
  };
}

function frameOf({ systemInstruction, tools }: GenerateContentConfig): FrameFields {
  const frame = liveFrame("gemini", { systemInstruction, tools });
  return {
    ...(systemInstruction !== undefined && { system: frame.system }),
    ...(tools !== undefined && { tools: frame.tools }),
  };
}

/** Tools that run at Google, which sessions do not handle. They may stand beside functions in one object. */
const googleTools = (tools: NonNullable<GenerateContentConfig["tools"]> = []): typeof tools =>
  tools.flatMap((tool): typeof tools => {
    if (!("functionDeclarations" in tool)) return [tool];
    const { functionDeclarations: _functions, ...others } = tool;
    return Object.values(others).some((other) => other !== undefined) ? [others] : [];
  });

async function collected(
  stream: AsyncIterable<GenerateContentResponse>,
  onChunk: (chunk: GenerateContentResponse) => void,
): Promise<readonly GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    onChunk(chunk);
  }
  return chunks;
}

/**
 * The chunks of a stream as one response: their parts in order, and the newest value of each field that describes the
 * whole.
 *
 * @throws ThreadfoldError `MODEL_CALL_FAILED` when the stream broke off: the last chunk of an answer says why it ended.
 */
function joined(chunks: readonly GeminiResponse[]): GeminiResponse {
  const parts = chunks.flatMap(partsOf).reduce<readonly Part[]>(withPart, []);
  const last = <Field extends keyof GeminiResponse>(field: Field) => chunks.findLast((chunk) => chunk[field])?.[field];
  const finishReason = chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason)?.candidates?.[0]
    ?.finishReason;
  const [usageMetadata, modelVersion, responseId] = [last("usageMetadata"), last("modelVersion"), last("responseId")];
  const promptFeedback = last("promptFeedback");
  if (finishReason === undefined && promptFeedback?.blockReason === undefined)
    throw modelCallError("The stream ended before the answer did.", { kind: "unavailable" });
  return {
    candidates: finishReason === undefined ? [] : [{ content: { role: "model", parts: [...parts] }, finishReason }],
    ...(promptFeedback && { promptFeedback }),
    ...(usageMetadata && { usageMetadata }),
    ...(modelVersion && { modelVersion }),
    ...(responseId && { responseId }),
  };
}

/** Joins a text to the previous part unless something other than text, or a signature, comes between them. */
function withPart(parts: readonly Part[], part: Part): readonly Part[] {
  const last = parts.at(-1);
  if (last === undefined || !isPlainText(last) || !isPlainText(part) || last.thought !== part.thought)
    return [...parts, part];
  return [...parts.slice(0, -1), { ...last, text: `${last.text ?? ""}${part.text ?? ""}` }];
}

const isPlainText = ({ text, thoughtSignature }: Part): boolean => text !== undefined && thoughtSignature === undefined;

const partsOf = ({ candidates }: GeminiResponse): readonly Part[] => candidates?.[0]?.content?.parts ?? [];

/** Gives every call in a response an id: the API may leave ids out, and results need them to refer to their calls. */
function withCallIds(response: GeminiResponse): GeminiResponse {
  const [first] = response.candidates ?? [];
  if (first?.content === undefined) return response;
  const answerId = idOfAnswer(response.responseId);
  const parts = partsOf(response).map((part, index): Part => {
    const { functionCall } = part;
    if (functionCall === undefined || functionCall.id !== undefined) return part;
    return { ...part, functionCall: { ...functionCall, id: `${answerId}-${index}` } };
  });
  const candidate: Candidate = { ...first, content: { ...first.content, parts } };
  return { ...response, candidates: [candidate] };
}

/** The part of a `generateContent` request that the session makes; the host adds the model and its settings. */
export interface GeminiConversation {
  readonly contents: Content[];
  readonly config: Pick<GenerateContentConfig, "systemInstruction" | "tools">;
}

/**
 * Returns a prepared request for Google's SDK. @throws ThreadfoldError `INVALID_CONFIG` for a session of another
 * format.
 */
export function toGeminiRequest(prepared: Pick<PreparedRequest, "format" | "payload">): GeminiConversation {
  const { contents, ...config } = payloadOf(prepared, "gemini") as unknown as Pick<GeminiConversation, "contents"> &
    GeminiConversation["config"];
  return { contents, config };
}

/**
 * Converts a response of the SDK to one for `ContextSession.complete`: its first candidate, with thoughts and their
 * signatures among the parts, its usage, and its stop reason. The response's id becomes the id in the thread. What the
 * API left out of the ids is made up: for a response without an id anew with each conversion, so convert it once.
 *
 * @throws ThreadfoldError `MODEL_CALL_FAILED` for a prompt that Google blocked; `INVALID_MESSAGE` for any other response
 *   without a candidate.
 */
export function fromGemini(response: GeminiResponse): ModelResponse {
  if (!isAnswered(response)) {
    const blockReason = response?.promptFeedback?.blockReason;
    if (blockReason === undefined) throw noAnswer(response, "a response of Gemini", "candidate");
    throw blockedPrompt(blockReason, response);
  }
  const { candidates, usageMetadata, modelVersion, responseId } = withCallIds(response);
  const value = {
    ...{ role: "model", parts: partsOf({ candidates }), usageMetadata, modelVersion },
    ...(responseId !== undefined && { id: responseId }),
  };
  const messages = readOnce("gemini", [value]);
  return { messages, ...reportOf(messages[0]?.usage), stopReason: stopReasonOf(candidates?.[0]?.finishReason) };
}

const isAnswered = (response: GeminiResponse): boolean => {
  const { candidates } = Object(response) as Partial<GeminiResponse>;
  return Array.isArray(candidates) && candidates.length > 0;
};

const blockedPrompt = (reason: string, cause: GeminiResponse): ThreadfoldError =>
  new ThreadfoldError("MODEL_CALL_FAILED", `Google blocked the prompt (${reason}) and gave no answer.`, {
    hint: "The same prompt will be blocked again: change what it says, or the safety settings.",
    details: { kind: "rejected" },
    retryable: false,
    cause,
  });

/** A Gemini function with the code that runs when the model calls it, which the SDK does not send. */
export interface ThreadfoldFunction extends FunctionDeclaration {
  readonly run: (input: unknown) => Promise<string>;
}

/**
 * Returns `read_artifact` and `search_thread` as function declarations, with which the model can read what is folded.
 * Spread them into `functionDeclarations`. `geminiTurn` answers their calls; a loop of your own runs them with `run`,
 * passing the call's `args`. When nothing is found, the model is told so in text; a call fails only when the store
 * does.
 */
export const threadfoldFunctions = (session: ContextSession): ThreadfoldFunction[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    name,
    description,
    parametersJsonSchema: { ...inputSchema },
    run,
  }));
