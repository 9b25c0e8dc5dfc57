import type { PreparedRequest } from "@threadfold/session";
import type OpenAI from "openai";
import { payloadOf } from "../mirror/payload-of.ts";

/** The part of a Chat Completions request that the session makes: the host adds model and settings. */
export type OpenaiChatConversation = Pick<OpenAI.Chat.ChatCompletionCreateParams, "messages" | "tools">;

/** The part of a Responses request that the session makes: the host adds model and settings. */
export type OpenaiResponsesConversation = Pick<OpenAI.Responses.ResponseCreateParams, "instructions" | "tools"> & {
  input: OpenAI.Responses.ResponseInput;
};

/** A prepared request for Chat Completions. @throws ThreadfoldError `INVALID_CONFIG` for a session of another format. */
export const toOpenaiChatRequest = (prepared: Pick<PreparedRequest, "format" | "payload">): OpenaiChatConversation =>
  payloadOf(prepared, "openai-chat") as unknown as OpenaiChatConversation;

/** A prepared request for Responses. @throws ThreadfoldError `INVALID_CONFIG` for a session of another format. */
export const toOpenaiResponsesRequest = (
  prepared: Pick<PreparedRequest, "format" | "payload">,
): OpenaiResponsesConversation => payloadOf(prepared, "openai-responses") as unknown as OpenaiResponsesConversation;
