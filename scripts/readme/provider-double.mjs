// A local server that speaks the providers' protocols, for the README's programs: it refuses what the provider would
// refuse, calls the first tool it is offered once for each user message, and then answers. When asked for notes on what
// is folded, it returns some.
import { createServer } from "node:http";
import { formatById } from "@threadfold/renderer";
import { anthropicMessagesProtocol } from "../../apps/scripted-agents/src/provider/anthropic-protocol.ts";
import {
  openaiChatProtocol,
  openaiResponsesProtocol,
} from "../../apps/scripted-agents/src/provider/openai-protocols.ts";

const PROTOCOLS = [anthropicMessagesProtocol, openaiChatProtocol, openaiResponsesProtocol];
const CONVERSATION = ["system", "messages", "tools", "instructions", "input"];

/**
 * Starts a double. `environment` points the providers' SDKs to it; `requests` are the bodies it was sent, `refused` are
 * the reasons why it refused any of them.
 */
export async function startProviderDouble() {
  const requests = [];
  const refused = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request, response) {
    const body = JSON.parse((await request.toArray()).join(""));
    const { pathname } = new URL(request.url, "http://double");
    // A request that only compacts has its own form, and is answered with the compaction item.
    const compacted = compactionOf(pathname, body, requests.length + 1);
    if (compacted !== undefined) {
      requests.push(body);
      return send(response, 200, compacted);
    }
    if (pathname.endsWith(":generateContent")) return send(response, 200, geminiAnswer(body, requests.push(body)));
    // SDKs differ in whether the version is part of the base address.
    const protocol = PROTOCOLS.find(({ path }) => path === pathname || path === `/v1${pathname}`);
    if (protocol === undefined) return send(response, 404, { error: { message: `There is no ${pathname} here.` } });
    requests.push(body);
    const message = problemOf(protocol, body, request.headers);
    if (message !== undefined) {
      refused.push(message);
      const { status, body: refusal } = protocol.refuse({ kind: "illegal", message });
      return send(response, status, refusal);
    }
    const reply = protocol.answer(moveFor(protocol, body, requests.length), {
      id: `${requests.length}`,
      inputTokens: Math.ceil(JSON.stringify(body).length / 4),
      cachedTokens: 0,
      outputTokens: 20,
      cutOff: false,
    });
    if (body.stream !== true) return send(response, 200, reply);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const { name, data } of protocol.stream(reply)) {
      if (name !== undefined) response.write(`event: ${name}\n`);
      response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
    }
    response.end();
  }

  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    requests,
    refused,
    environment: {
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "a key that only the double takes" },
      ...{ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "a key that only the double takes" },
      ...{ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "a key that only the double takes" },
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Returns the reason for which the provider would refuse a request, or undefined. */
function problemOf({ format }, body, headers) {
  if (typeof body.model !== "string") return "model: Field required";
  if (format === "anthropic-messages" && !Number.isInteger(body.max_tokens)) return "max_tokens: Field required";
  if (!(headers["x-api-key"] ?? headers.authorization)) return "authentication required";
  const payload = Object.fromEntries(Object.entries(body).filter(([key]) => CONVERSATION.includes(key)));
  const [violation] = formatById(format).check(payload);
  return violation && `${violation.rule}: ${violation.problem}`;
}

/**
 * Returns a compaction on demand in the form of Anthropic or OpenAI, with its usage; undefined for any other request.
 */
function compactionOf(pathname, { compaction, input }, number) {
  const tokens = { input_tokens: 900, output_tokens: 40 };
  if (pathname.endsWith("/responses/compact")) {
    const item = { type: "compaction", id: `cmp_${number}`, encrypted_content: "ZW5jcnlwdGVk" };
    const said = input.filter(({ role }) => role === "user");
    const usage = { ...tokens, input_tokens_details: { cached_tokens: 600 }, total_tokens: 940 };
    return { id: `resp_${number}`, object: "response.compaction", created_at: 0, output: [...said, item], usage };
  }
  if (compaction === undefined) return undefined;
  return {
    ...{ id: `msg_${number}`, type: "message", role: "assistant", model: "claude-opus-5-5" },
    content: [{ type: "compaction", content: "They asked whether all is in order.", signature: "c2lnbmF0dXJl" }],
    ...{ stop_reason: "compaction", stop_sequence: null },
    usage: { input_tokens: 0, output_tokens: 0, iterations: [{ type: "compaction", ...tokens }] },
  };
}

const NOTES = JSON.stringify({ add: {}, currentTask: "Seeing whether all is in order." });

/** Calls the first tool for the latest user message, and answers once its result is there. */
function moveFor({ pieces }, body, number) {
  // A tool that waits for a search is not offered before one, and the search tool is the provider's own.
  const isOffered = ({ type, defer_loading: waits }) => !["tool_search", "namespace"].includes(type) && waits !== true;
  const [tool] = (body.tools ?? []).filter(isOffered);
  const last = pieces(body).at(-1);
  if (tool === undefined || /"type":"(?:tool_result|function_call_output)"|"role":"tool"/.test(last))
    return { thinking: "", text: last.includes("exactly one JSON object") ? NOTES : "It is in order.", calls: [] };
  const { name, parameters = tool.input_schema } = tool.function ?? tool;
  const input = Object.fromEntries((parameters.required ?? []).map((field) => [field, "package.json"]));
  return { thinking: "", text: "", calls: [{ id: `call_${number}`, name, input }] };
}

/** Returns Gemini's answer: the same move in Gemini's format. */
function geminiAnswer({ contents, tools = [] }, number) {
  const [declared] = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const wasAnswered = contents.at(-1).parts.some(({ functionResponse }) => functionResponse !== undefined);
  const args = Object.fromEntries((declared?.parametersJsonSchema?.required ?? []).map((field) => [field, "x"]));
  const call = { functionCall: { name: declared?.name, args }, thoughtSignature: "c2lnbmF0dXJl" };
  const parts = declared === undefined || wasAnswered ? [{ text: "It is in order." }] : [call];
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10 };
  const candidates = [{ content: { role: "model", parts }, finishReason: "STOP" }];
  return { candidates, usageMetadata, responseId: `r_${number}`, modelVersion: "gemini-2.5-pro" };
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
