import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a server received: path, key and body. */
interface AskedCall {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A local server that implements the protocols of OpenAI (Chat, Responses), Anthropic and the AI SDK's gateway. */
export interface ModelServer {
  readonly url: string;
  readonly asked: readonly AskedCall[];
  close(): Promise<void>;
}

/**
 * Starts a server on a free port.
 *
 * @param answer returns what the model says to a call, or an HTTP status to refuse it.
 * @param delayMs delay of each answer, in milliseconds.
 */
export async function startModelServer(
  answer: (body: AskedCall["body"]) => string | number,
  delayMs = 0,
): Promise<ModelServer> {
  const asked: AskedCall[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as AskedCall["body"];
    const { authorization, "x-api-key": key } = request.headers;
    asked.push({ path: request.url ?? "", key: authorization ?? String(key), body });
    const said = answer(body);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    response.writeHead(typeof said === "number" ? said : 200, { "content-type": typeOf(request.url ?? "") });
    response.end(typeof said === "number" ? '{"error":{"message":"no"}}' : streamed(request.url ?? "", said));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const typeOf = (path: string): string => (path.endsWith("/language-model") ? "application/json" : "text/event-stream");

/** Returns an answer in the protocol that belongs to a path. */
function streamed(path: string, text: string): string {
  if (path.endsWith("/messages")) return anthropicEvents(text);
  if (path.endsWith("/language-model")) return gatewayAnswer(text);
  return path.endsWith("/responses") ? responseEvents(text) : chatEvents(text);
}

const gatewayAnswer = (text: string): string =>
  JSON.stringify({
    content: [{ type: "text", text }],
    finishReason: { unified: "stop" },
    usage: { inputTokens: { total: 100 }, outputTokens: { total: 7 } },
    warnings: [],
  });

const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

function chatEvents(text: string): string {
  const chunk = (delta: object, finish_reason: string | null, usage: object | null) =>
    event({
      ...{ id: "c", object: "chat.completion.chunk", created: 1, model: "m", usage },
      choices: [{ index: 0, delta, finish_reason, logprobs: null }],
    });
  const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 };
  return `${chunk({ role: "assistant", content: text }, null, null)}${chunk({}, "stop", usage)}data: [DONE]\n\n`;
}

function responseEvents(text: string): string {
  const content = [{ type: "output_text", text, annotations: [] }];
  const response = {
    ...{ id: "r", object: "response", created_at: 1, model: "m", status: "completed", error: null },
    incomplete_details: null,
    output: [{ id: "o", type: "message", role: "assistant", status: "completed", content }],
    usage: {
      ...{ input_tokens: 100, output_tokens: 7, total_tokens: 107 },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    },
  };
  return event({ type: "response.completed", sequence_number: 0, response }, "response.completed");
}

function anthropicEvents(text: string): string {
  const usage = { input_tokens: 100, output_tokens: 7 };
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  return [
    event({ type: "message_start", message }, "message_start"),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }, "content_block_start"),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }, "content_block_delta"),
    event({ type: "content_block_stop", index: 0 }, "content_block_stop"),
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }, "message_delta"),
    event({ type: "message_stop" }, "message_stop"),
  ].join("");
}
