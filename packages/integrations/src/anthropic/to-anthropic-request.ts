import type Anthropic from "@anthropic-ai/sdk";
import type { PreparedRequest } from "@threadfold/session";
import { payloadOf } from "../mirror/payload-of.ts";

/** The part of a Messages request that the session makes: the host adds model, `max_tokens` and its settings. */
export type AnthropicConversation = Pick<Anthropic.MessageCreateParams, "messages" | "system" | "tools">;

/**
 * A prepared request as the SDK's own parameters.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the session makes requests in another format.
 */
export const toAnthropicRequest = (prepared: Pick<PreparedRequest, "format" | "payload">): AnthropicConversation =>
  payloadOf(prepared, "anthropic-messages") as unknown as AnthropicConversation;
