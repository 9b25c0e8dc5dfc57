import type { Body, Refusal } from "../provider-protocol.ts";

/** Errors as OpenAI's two APIs give them. */
export function refuseAsOpenai(refusal: Refusal): { readonly status: number; readonly body: Body } {
  switch (refusal.kind) {
    case "illegal":
      return error(400, refusal.message, "invalid_request_error", null);
    case "overflow":
      return error(
        400,
        `This model's maximum context length is ${refusal.limit} tokens. However, your messages resulted in ` +
          `${refusal.tokens} tokens. Please reduce the length of the messages.`,
        "invalid_request_error",
        "context_length_exceeded",
      );
    case "rate-limit":
      return error(429, "Rate limit reached for requests.", "requests", "rate_limit_exceeded");
    case "server-error":
      return error(500, "The server had an error while processing your request.", "server_error", null);
  }
}

const error = (status: number, message: string, type: string, code: string | null) => ({
  status,
  body: { error: { message, type, param: null, code } },
});
