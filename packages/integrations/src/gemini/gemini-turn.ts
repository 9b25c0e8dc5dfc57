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
import type { JsonObject } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import {
  type ContextSession,
  type FrameFields,
  type ModelResponse,
  type PreparedRequest,
  stopReasonOf,
} from "@threadfold/session";
import { payloadOf } from "../mirror/ask-model.ts";
import { currentSession } from "../mirror/divergence.ts";
import { recallTools } from "../mirror/recall-tools.ts";
import { type RequestNotes, readOnce, reportOf, SessionTurn, type SessionTurnOptions } from "../mirror/session-turn.ts";

/** What a loop over Google's SDK is made with: everything of a request but its contents stays the host's. */
export interface GeminiTurnOptions extends SessionTurnOptions {
  /** The host's own client. */
  readonly client: Pick<GoogleGenAI, "models">;
  /** Name of the model, such as `gemini-2.5-pro`. */
  readonly model: string;
  /** What else a request has: temperature, thinking, safety settings, tools, system text. */
  readonly config?: Omit<GenerateContentConfig, "abortSignal">;
  /** Called with each chunk of a stream as it comes. Without it answers are waited for at once. */
  readonly onChunk?: (chunk: GenerateContentResponse) => void;
}

/** An answer of the API, as far as it is read here: the SDK's response, or the chunks of one put together. */
export type GeminiResponse = Pick<
  GenerateContentResponse,
  "candidates" | "usageMetadata" | "modelVersion" | "responseId"
>;

/** The model's answer: the SDK's response and what the host has to do with it. */
export interface GeminiAnswer extends RequestNotes {
  /** The response, in which every call has an id; the newest one, when the model was asked again after it read what is folded. */
  readonly response: GeminiResponse;
  /** Its text, without thoughts. */
  readonly text: string;
  /** The calls to run: those that the output limit cut off and those of `threadfoldFunctions` are not among them. */
  readonly calls: readonly FunctionCall[];
  /** True when the answer was cut off and the next request will be shorter, or the model still reads: call `step` again. */
  readonly retry: boolean;
}

/** A loop over Google's SDK in which a session makes the requests. */
export interface GeminiTurn {
  /** Says something, or hands back results of functions (as `functionResponse` parts), and asks the model. */
  send(message: string | readonly Part[], options?: { readonly signal?: AbortSignal }): Promise<GeminiAnswer>;
  /** Asks the model without saying anything new. */
  step(options?: { readonly signal?: AbortSignal }): Promise<GeminiAnswer>;
}

/**
 * A loop over Google's SDK: what is said goes into the session's thread, the session makes the request and folds when that
 * is due, the answer goes into the thread. A request that is refused as too long is folded and sent once more.
 * `systemInstruction` and function declarations in `config` take precedence over `system` and `tools` of the session's own
 * frame, field by field; tools that run at Google are sent as they are. Calls of `threadfoldFunctions` are answered here;
 * when the model called nothing else, it is asked again at once.
 */
export function geminiTurn({ session, clock, client, model, config = {}, onChunk }: GeminiTurnOptions): GeminiTurn {
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
    const done: ReadonlySet<string> = settled;
    const parts = partsOf(answer);
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []).filter(({ id = "" }) => !done.has(id));
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

/** Tools that run at Google, which no session makes. */
const googleTools = (tools: GenerateContentConfig["tools"] = []) =>
  tools.filter((tool) => !("functionDeclarations" in tool));

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

/** The chunks of a stream as one response: its parts in their order, and what the last chunks say of the whole. */
function joined(chunks: readonly GeminiResponse[]): GeminiResponse {
  const parts = chunks.flatMap(partsOf).reduce<readonly Part[]>(withPart, []);
  const last = <Field extends keyof GeminiResponse>(field: Field) => chunks.findLast((chunk) => chunk[field])?.[field];
  const finishReason = chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason)?.candidates?.[0]
    ?.finishReason;
  const [usageMetadata, modelVersion, responseId] = [last("usageMetadata"), last("modelVersion"), last("responseId")];
  return {
    candidates: [{ content: { role: "model", parts: [...parts] }, ...(finishReason && { finishReason }) }],
    ...(usageMetadata && { usageMetadata }),
    ...(modelVersion && { modelVersion }),
    ...(responseId && { responseId }),
  };
}

/** A text goes on in the next chunk as long as nothing but text, and no signature, comes between. */
function withPart(parts: readonly Part[], part: Part): readonly Part[] {
  const last = parts.at(-1);
  if (last === undefined || !isPlainText(last) || !isPlainText(part) || last.thought !== part.thought)
    return [...parts, part];
  return [...parts.slice(0, -1), { ...last, text: `${last.text ?? ""}${part.text ?? ""}` }];
}

const isPlainText = ({ text, thoughtSignature }: Part): boolean => text !== undefined && thoughtSignature === undefined;

const partsOf = ({ candidates }: GeminiResponse): readonly Part[] => candidates?.[0]?.content?.parts ?? [];

/** A response in which every call has an id: the API may leave them out, and results need one to answer. */
function withCallIds(response: GeminiResponse): GeminiResponse {
  const [first] = response.candidates ?? [];
  if (first?.content === undefined) return response;
  const parts = partsOf(response).map((part, index): Part => {
    const { functionCall } = part;
    if (functionCall === undefined || functionCall.id !== undefined) return part;
    return { ...part, functionCall: { ...functionCall, id: `${response.responseId ?? "call"}-${index}` } };
  });
  const candidate: Candidate = { ...first, content: { ...first.content, parts } };
  return { ...response, candidates: [candidate] };
}

/** The part of a `generateContent` request that the session makes: the host adds model and settings. */
export interface GeminiConversation {
  readonly contents: Content[];
  readonly config: Pick<GenerateContentConfig, "systemInstruction" | "tools">;
}

/** A prepared request for Google's SDK. @throws ThreadfoldError `INVALID_CONFIG` for a session of another format. */
export function toGeminiRequest(prepared: Pick<PreparedRequest, "format" | "payload">): GeminiConversation {
  const { contents, ...config } = payloadOf(prepared, "gemini") as unknown as Pick<GeminiConversation, "contents"> &
    GeminiConversation["config"];
  return { contents, config };
}

/**
 * A response of the SDK as `ContextSession.complete` takes it: its first candidate, thoughts and their signatures among the
 * parts, its usage, and why it ended. The response's id becomes the id in the thread.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for a response without a candidate.
 */
export function fromGemini(response: GeminiResponse): ModelResponse {
  const { candidates, usageMetadata, modelVersion, responseId } = response;
  const [candidate] = candidates ?? [];
  const value = candidate && {
    ...{ role: "model", parts: partsOf(response), usageMetadata, modelVersion },
    ...(responseId !== undefined && { id: responseId }),
  };
  const messages = readOnce("gemini", "answer", [value]);
  return { messages, ...reportOf(messages[0]?.usage), stopReason: stopReasonOf(candidate?.finishReason) };
}

/** A function of Gemini with what runs when the model calls it, which the SDK leaves out of what it sends. */
export interface ThreadfoldFunction extends FunctionDeclaration {
  readonly run: (input: unknown) => Promise<string>;
}

/**
 * `read_artifact` and `search_thread` as function declarations: the model's own ways to what is folded. Spread them into
 * `functionDeclarations`. `geminiTurn` answers their calls; a loop of your own runs them by `run`, with the call's `args`.
 * What cannot be found is said to the model in words; only a failing store fails a call.
 */
export const threadfoldFunctions = (session: ContextSession): ThreadfoldFunction[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    name,
    description,
    parametersJsonSchema: { ...inputSchema },
    run,
  }));
