import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How a fake provider treats one call. */
export type ProviderMove =
  | { readonly type: "answer"; readonly text: string; readonly stop?: "stop" | "length" | "refusal" | "tool-call" }
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
    }
  /** Never answers. */
  | { readonly type: "hang" }
  /** Closes the connection before, or in the middle of, the answer. */
  | { readonly type: "reset" }
  | { readonly type: "cut" };

/** The wire shapes of a provider: a whole answer, and the events of a streamed one. */
export interface ProviderProtocol {
  whole(text: string, stop: "stop" | "length" | "refusal" | "tool-call"): unknown;
  events(text: string, stop: "stop" | "length" | "refusal" | "tool-call"): readonly string[];
}

/** A local server that speaks a provider's protocol and follows a script; the script's last move is repeated. */
export interface FakeProvider {
  readonly url: string;
  /** Request bodies of the calls so far. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

/** Starts a server on a free port. */
export async function startProvider(
  protocol: ProviderProtocol,
  script: readonly ProviderMove[] | ((body: Readonly<Record<string, unknown>>) => ProviderMove),
): Promise<FakeProvider> {
  const bodies: Readonly<Record<string, unknown>>[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
    bodies.push(body);
    const move =
      typeof script === "function"
        ? script(body)
        : (script[Math.min(bodies.length, script.length) - 1] as ProviderMove);
    play(move, protocol, body["stream"] === true, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function play(move: ProviderMove, protocol: ProviderProtocol, stream: boolean, response: ServerResponse): void {
  if (move.type === "hang") return;
  if (move.type === "reset") return void response.destroy();
  if (move.type === "status") {
    response.writeHead(move.status, { "content-type": "application/json", ...move.headers });
    const message = move.message ?? `status ${move.status}`;
    return void response.end(JSON.stringify({ type: "error", error: { type: "api_error", message } }));
  }
  const cut = move.type === "cut";
  const text = cut ? "half of an answer" : move.text;
  const stop = cut ? "stop" : (move.stop ?? "stop");
  if (!stream) {
    const whole = JSON.stringify(protocol.whole(text, stop));
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) });
    if (!cut) return void response.end(whole);
    return void response.write(whole.slice(0, whole.length / 2), () => response.destroy());
  }
  const events = protocol.events(text, stop);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (!cut) return void response.end(events.join(""));
  response.write(events.slice(0, 3).join(""), () => response.destroy());
}

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const ANTHROPIC_STOP = { stop: "end_turn", length: "max_tokens", refusal: "refusal", "tool-call": "tool_use" } as const;

/** Anthropic Messages. */
export const anthropicProtocol: ProviderProtocol = {
  whole: (text, stop) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...(stop === "tool-call" ? [{ type: "tool_use", id: "toolu_1", name: "bash", input: {} }] : []),
    ],
    stop_reason: ANTHROPIC_STOP[stop],
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 2 },
  }),
  events: (text, stop) => {
    const { content, stop_reason, usage, ...message } = anthropicProtocol.whole(text, stop) as {
      content: readonly Readonly<Record<string, unknown>>[];
      stop_reason: string;
      usage: object;
    };
    const start = { ...message, content: [], stop_reason: null, usage };
    return [
      event({ type: "message_start", message: start }, "message_start"),
      ...content.flatMap((block, index) => [
        event(
          {
            type: "content_block_start",
            index,
            content_block: block["type"] === "text" ? { type: "text", text: "" } : block,
          },
          "content_block_start",
        ),
        ...(block["type"] === "text"
          ? [event({ type: "content_block_delta", index, delta: { type: "text_delta", text } }, "content_block_delta")]
          : []),
        event({ type: "content_block_stop", index }, "content_block_stop"),
      ]),
      event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage }, "message_delta"),
      event({ type: "message_stop" }, "message_stop"),
    ];
  },
};

const OPENAI_STOP = { stop: "stop", length: "length", refusal: "content_filter", "tool-call": "tool_calls" } as const;
const openaiCall = { id: "call_1", type: "function", function: { name: "bash", arguments: "{}" } };
const openaiUsage = {
  prompt_tokens: 102,
  completion_tokens: 5,
  total_tokens: 107,
  prompt_tokens_details: { cached_tokens: 90 },
};

/** OpenAI Chat Completions. */
export const openaiProtocol: ProviderProtocol = {
  whole: (text, stop) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text,
          refusal: null,
          ...(stop === "tool-call" && { tool_calls: [openaiCall] }),
        },
        finish_reason: OPENAI_STOP[stop],
        logprobs: null,
      },
    ],
    usage: openaiUsage,
  }),
  events: (text, stop) => {
    const chunk = (delta: object, finish: string | null, usage: object | null = null) =>
      event({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
        usage,
      });
    return [
      chunk({ role: "assistant", content: "" }, null),
      chunk({ content: text }, null),
      ...(stop === "tool-call" ? [chunk({ tool_calls: [{ index: 0, ...openaiCall }] }, null)] : []),
      chunk({}, OPENAI_STOP[stop], openaiUsage),
      event("[DONE]"),
    ];
  },
};

const responsesUsage = {
  input_tokens: 102,
  input_tokens_details: { cached_tokens: 90 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 107,
};
const responsesCall = { id: "fc_1", type: "function_call", call_id: "call_1", name: "bash", arguments: "{}" };

/** OpenAI Responses. */
export const responsesProtocol: ProviderProtocol = {
  whole: (text, stop) => ({
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "m",
    status: stop === "length" ? "incomplete" : "completed",
    error: null,
    incomplete_details: stop === "length" ? { reason: "max_output_tokens" } : null,
    output: [
      { id: "rs_1", type: "reasoning", summary: [] },
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [
          stop === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] },
        ],
      },
      ...(stop === "tool-call" ? [responsesCall] : []),
    ],
    usage: responsesUsage,
  }),
  events: (text, stop) => {
    const response = responsesProtocol.whole(text, stop) as { readonly status: string };
    const start = { ...response, status: "in_progress", output: [], usage: null };
    const place = { item_id: "msg_1", output_index: 1, content_index: 0 };
    return [
      event({ type: "response.created", sequence_number: 0, response: start }, "response.created"),
      event({ type: "response.in_progress", sequence_number: 1, response: start }, "response.in_progress"),
      event(
        { type: "response.output_text.delta", sequence_number: 2, ...place, delta: text },
        "response.output_text.delta",
      ),
      event({ type: `response.${response.status}`, sequence_number: 3, response }, `response.${response.status}`),
    ];
  },
};

const GATEWAY_STOP = { stop: "stop", length: "length", refusal: "content-filter", "tool-call": "tool-calls" } as const;

/** The AI SDK's own gateway, the simplest of its providers; without streaming. */
export const gatewayProtocol: ProviderProtocol = {
  whole: (text, stop) => ({
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...(stop === "tool-call" ? [{ type: "tool-call", toolCallId: "call_1", toolName: "bash", input: "{}" }] : []),
    ],
    finishReason: { unified: GATEWAY_STOP[stop], raw: undefined },
    usage: { inputTokens: { total: 102, cacheRead: 90 }, outputTokens: { total: 5 } },
    warnings: [],
  }),
  events: () => [],
};
