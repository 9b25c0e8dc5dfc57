import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { formatById } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { springSlidingPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { startProxy } from "./start-proxy.ts";
import { anthropicAnswers } from "./testing/scripted-model.ts";
import { type ReceivedRequest, scriptedUpstream, sendJson } from "./testing/scripted-upstream.ts";
import { type StartedProxy, startedProxy } from "./testing/started-proxy.ts";

const ASK = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello." }] };

/** A request without anything that a client library would add. */
async function send(url: string, body?: string | Buffer, headers: Record<string, string> = {}) {
  const request = httpRequest(url, { method: body === undefined ? "GET" : "POST", headers });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { response, bytes: await buffer(response) };
}

const messagesUrl = ({ proxy }: Pick<StartedProxy, "proxy">) => `${proxy.baseUrls.anthropic}/v1/messages`;

/** Waits until something holds that another part of the machine brings about. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

it.each([
  ["options", undefined],
  ["store", {}],
  ["store", { store: "threads.db" }],
  ["upstreem", { store: createMemoryStore(), upstreem: {} }],
])("a proxy is refused by the name %s", async (name, options) => {
  await expect(startProxy(options as never)).rejects.toMatchObject({ code: "INVALID_CONFIG", details: { name } });
});

describe("what passes the proxy", () => {
  it("is a request exactly as it came, while nothing is folded, with its query and its headers", async () => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, {}));
    await using started = await startedProxy(upstream);
    const odd = `{ "messages" : [ {"role":"user","content":"h\\u00e9\\/"} ],\n\t"temperature": 1.0, "x": 12345678901234567890 }`;
    const headers = { "X-Api-Key": "key", "anthropic-beta": "a,b", "X-Own": "1", "Content-Type": "application/json" };
    await send(`${messagesUrl(started)}?beta=true`, odd, headers);
    const [got] = upstream.requests;
    expect(got?.text).toBe(odd);
    expect(got?.path).toBe("/v1/messages?beta=true");
    expect(got?.headers).toMatchObject({ "x-api-key": "key", "anthropic-beta": "a,b", "x-own": "1" });
    expect(got?.headers.host).toBe(upstream.url.slice("http://".length));
    expect(started.turns).toMatchObject([{ type: "as-it-came" }]);
  });

  it.each([
    // As the Anthropic SDK, and as the AI SDK, which OpenCode is made with, write an address.
    ["anthropic", "/v1/messages", "", "/v1/messages"],
    ["anthropic", "/messages?beta=true", "", "/v1/messages?beta=true"],
    ["anthropic", "/v1/messages", "/gateway/v1/", "/gateway/v1/messages"],
    ["anthropic", "/messages/count_tokens", "/v1", "/v1/messages/count_tokens"],
    ["openai", "/chat/completions", "/v1", "/v1/chat/completions"],
    ["openai", "/v1/chat/completions", "/v1", "/v1/chat/completions"],
    ["openai", "/v1/chat/completions", "", "/v1/chat/completions"],
  ] as const)(
    "finds the provider whichever side writes the version: %s%s behind %s",
    async (provider, path, base, sent) => {
      await using upstream = await scriptedUpstream((response) => sendJson(response, {}));
      await using started = await startedProxy(upstream, { upstream: { [provider]: `${upstream.url}${base}` } });
      await send(`${started.proxy.baseUrls[provider]}${path}`, JSON.stringify(ASK));
      expect(upstream.requests.map((request) => request.path)).toEqual([sent]);
      expect(started.turns).toHaveLength(path.includes("count_tokens") ? 0 : 1);
    },
  );

  it.each(["identity", "gzip"])("is an answer byte for byte, with status and headers, in %s", async (coding) => {
    const events = `: hello\r\nevent: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"output_tokens":1}}}\n\nevent: ping\ndata: {"type": "ping"}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße"}}\n\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}\n\ndata: {"type":"message_stop"}\n\n`;
    const sent = coding === "gzip" ? gzipSync(events) : Buffer.from(events);
    await using upstream = await scriptedUpstream((response) => {
      response.writeHead(200, "Fine", {
        "Content-Type": "text/event-stream",
        "content-encoding": coding,
        "x-ratelimit": "9",
      });
      for (let place = 0; place < sent.length; place += 7) response.write(sent.subarray(place, place + 7));
      response.end();
    });
    const started = await startedProxy(upstream);
    const { response, bytes } = await send(messagesUrl(started), JSON.stringify(ASK));
    expect(bytes.equals(sent)).toBe(true);
    expect(response).toMatchObject({ statusCode: 200, statusMessage: "Fine", headers: { "x-ratelimit": "9" } });
    await started.proxy.close();
    expect(started.problems).toEqual([]);
    const thread = await started.store.threads.load(started.turns[0]?.threadId as never);
    expect([...(thread?.messagesBetween(0) ?? [])].at(-1)?.parts).toMatchObject([{ type: "text", text: "Grüße" }]);
  });

  it("comes piece by piece, before the answer is whole", async () => {
    const pieces = ["data: {}\n\n", "data: {}\n\n"];
    const next = Promise.withResolvers<void>();
    await using upstream = await scriptedUpstream(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(pieces[0]);
      await next.promise;
      response.end(pieces[1]);
    });
    await using started = await startedProxy(upstream);
    const response = await fetch(messagesUrl(started), { method: "POST", body: JSON.stringify(ASK) });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(pieces[0]);
    next.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(pieces[1]);
  });

  it.each([
    ["another method", "/v1/models", undefined],
    ["another endpoint", "/v1/messages/count_tokens", JSON.stringify(ASK)],
    ["no JSON", "/v1/messages", "hello"],
    ["no conversation", "/v1/messages", '{"messages": 7}'],
    ["a coding", "/v1/messages", gzipSync(JSON.stringify(ASK))],
  ])("is what has %s, unread", async (_, path, body) => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, { ok: true }, 201));
    await using started = await startedProxy(upstream);
    const headers = body instanceof Buffer ? { "content-encoding": "gzip" } : {};
    const { response, bytes } = await send(started.proxy.baseUrls.anthropic + path, body, headers as never);
    expect([response.statusCode, bytes.toString()]).toEqual([201, '{"ok":true}']);
    expect(upstream.requests[0]?.path).toBe(path);
    expect(started.turns).toEqual([]);
  });

  it("is a request of Responses that goes on from what the provider keeps, unread", async () => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, {}));
    await using started = await startedProxy(upstream);
    const body = JSON.stringify({ model: "m", previous_response_id: "resp_1", input: "And now?" });
    await send(`${started.proxy.baseUrls.openai}/responses`, body);
    expect(upstream.requests[0]).toMatchObject({ path: "/v1/responses", text: body });
    expect(started.turns).toEqual([]);
  });

  it("is a provider's error as it is, with the SDK's own class", async () => {
    const error = { type: "error", error: { type: "rate_limit_error", message: "Slower." } };
    await using upstream = await scriptedUpstream((response) =>
      sendJson(response, error, 429, { "retry-after": "17" }),
    );
    await using started = await startedProxy(upstream);
    const client = new Anthropic({ baseURL: started.proxy.baseUrls.anthropic, apiKey: "key", maxRetries: 0 });
    const asked = client.messages.create(ASK as never);
    await expect(asked).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    await expect(asked).rejects.toMatchObject({ error });
    await asked.catch(({ headers }: { headers: Headers }) => expect(headers.get("retry-after")).toBe("17"));
    expect(upstream.requests).toHaveLength(1);
  });
});

const long = (steps: number) => [
  { role: "user", content: "Do the work." },
  ...Array.from({ length: steps }, (_, step) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t_${step}`, name: "run", input: { step } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t_${step}`, content: "output ".repeat(400) }] },
  ]).flat(),
];

describe("a system message inside a conversation", () => {
  const said = (content: unknown) => ({ role: "system", content });

  it("is still one in what is sent folded, with its fields, whatever the model is called", async () => {
    await using upstream = await scriptedUpstream((response, request, index) =>
      anthropicAnswers(response, request, { say: "Done." }, index),
    );
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 } });
    const [ask, ...work] = long(30);
    const inside = { ...said([{ type: "text", text: "Never touch main." }]), clear_at: "never" };
    const effort = { role: "system", output_config: { effort: "low" } };
    const messages = [effort, ask, ...work.slice(0, 20), inside, ...work.slice(20), said("Be brief.")];
    await send(messagesUrl(started), JSON.stringify({ ...ASK, messages, tools: [{ name: "run" }] }));
    expect(started.turns).toMatchObject([{ type: "folded" }]);
    const sent = upstream.requests[0]?.body["messages"] as { role: string }[];
    expect(sent.filter(({ role }) => role === "system")).toMatchObject([
      { output_config: { effort: "low" } },
      { clear_at: "never", content: [{ type: "text", text: "Never touch main." }] },
      { content: [{ type: "text", text: "Be brief." }] },
    ]);
    expect(sent.at(-1)?.role).toBe("system");
    expect(formatById("anthropic-messages").check(upstream.requests[0]?.body)).toEqual([]);
    expect(started.problems).toEqual([]);
  });

  it("is one in a request in which nothing is folded, as it came", async () => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, {}));
    await using started = await startedProxy(upstream);
    const body = JSON.stringify({ ...ASK, messages: [...long(2), said("Be brief.")] });
    await send(messagesUrl(started), body);
    expect(upstream.requests[0]?.text).toBe(body);
    expect(started.problems).toEqual([]);
  });
});

describe("a request that is too long", () => {
  const refusal = {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 9000 tokens > 8000 maximum" },
  };
  const body = (steps: number) => JSON.stringify({ ...ASK, messages: long(steps), tools: [{ name: "run" }] });

  it("for the provider is folded and sent once more, and the client hears of the second answer alone", async () => {
    await using upstream = await scriptedUpstream((response, request, index) =>
      index === 0 ? sendJson(response, refusal, 400) : anthropicAnswers(response, request, { say: "Done." }, index),
    );
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 40_000 } });
    const { response } = await send(messagesUrl(started), body(20));
    expect(response.statusCode).toBe(200);
    expect(upstream.requests[1]?.text.length).toBeLessThan((upstream.requests[0]?.text.length ?? 0) / 2);
    expect(started.turns.map(({ type }) => type)).toEqual(["as-it-came", "folded"]);
  });

  it("for the provider both times is refused in its words", async () => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, refusal, 400));
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 40_000 } });
    const { response, bytes } = await send(messagesUrl(started), body(20));
    expect([response.statusCode, JSON.parse(bytes.toString())]).toEqual([400, refusal]);
    expect(upstream.requests).toHaveLength(2);
  });

  it.each([
    ["anthropic", "/v1/messages", /^prompt is too long: \d+ tokens > 4000 maximum/],
    ["openai", "/chat/completions", /maximum context length is 4000 tokens/],
  ] as const)(
    "for its budget however it is folded is refused as %s does, and not sent",
    async (provider, path, words) => {
      await using upstream = await scriptedUpstream((response) => sendJson(response, {}));
      await using started = await startedProxy(upstream, {
        config: { maxInputTokens: 5_000, outputReserveTokens: 1_000, safetyBufferTokens: 0 },
      });
      const messages = [{ role: "user", content: "word ".repeat(6_000) }];
      const { response, bytes } = await send(
        started.proxy.baseUrls[provider] + path,
        JSON.stringify({ ...ASK, messages }),
      );
      expect(response.statusCode).toBe(400);
      expect((JSON.parse(bytes.toString()) as { error: { message: string } }).error.message).toMatch(words);
      expect(upstream.requests).toHaveLength(0);
      expect(started.turns).toMatchObject([{ type: "refused" }]);
    },
  );

  it.each([
    ["/v1/messages", "messages", (text: string) => text],
    ["/v1/messages", "messages", (text: string) => [{ type: "text", text }]],
    ["/chat/completions", "messages", (text: string) => [{ type: "text", text }]],
    ["/responses", "input", (text: string) => [{ type: "input_text", text }]],
  ] as const)(
    "by its newest words alone is refused at once and kept in no thread: %s",
    async (path, field, content) => {
      await using upstream = await scriptedUpstream((response) => sendJson(response, {}));
      const config = { maxInputTokens: 5_000, outputReserveTokens: 1_000, safetyBufferTokens: 0 };
      await using started = await startedProxy(upstream, { config });
      const asked = (text: string) => JSON.stringify({ ...ASK, [field]: [{ role: "user", content: content(text) }] });
      const url = started.proxy.baseUrls[path === "/v1/messages" ? "anthropic" : "openai"] + path;
      const { response, bytes } = await send(url, asked("word ".repeat(20_000)));
      expect([response.statusCode, bytes.toString()]).toEqual([400, expect.stringContaining("4000")]);
      expect(bytes.toString()).toContain("The newest message alone takes about 25000 tokens, and it is never folded.");
      expect(started.turns).toMatchObject([{ type: "refused", tokens: 25_000 }]);
      const { threadId } = started.turns[0] as (typeof started.turns)[number];
      expect(await started.store.threads.load(threadId)).toBeNull();
      expect((await send(url, asked("Hello."))).response.statusCode).toBe(200);
      expect(started.problems).toEqual([]);
    },
  );
});

describe("a proxy", () => {
  const answering = () => scriptedUpstream((response) => sendJson(response, {}));

  it.each([
    ["without the token", (url: string) => url.replace(/\/[\w-]+\/anthropic/, "/anthropic"), {}, 401],
    ["with another token", (url: string) => url.replace(/\/[\w-]+\/anthropic/, "/guess/anthropic"), {}, 401],
    ["under the name of a page", (url: string) => url, { host: "evil.example" }, 403],
    ["for no provider", (url: string) => url.replace("/anthropic", "/nobody"), {}, 404],
  ])("lets nothing in %s", async (_, edited, headers, status) => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream);
    const { response } = await send(edited(messagesUrl(started)), JSON.stringify(ASK), headers as never);
    expect(response.statusCode).toBe(status);
    expect(upstream.requests).toHaveLength(0);
  });

  it("takes no client's socket for a protocol of its own", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream);
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const { response } = await send(`${started.proxy.baseUrls.openai}/responses`, undefined, headers);
    expect(response.statusCode).toBe(426);
    expect(upstream.requests).toHaveLength(0);
  });

  it("needs no token when it is started with none", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream, { token: null });
    expect(new URL(started.proxy.baseUrls.anthropic).pathname).toBe("/anthropic");
    expect((await send(messagesUrl(started), JSON.stringify(ASK))).response.statusCode).toBe(200);
  });

  it("ends the provider's call when the client goes away", async () => {
    let ended = false;
    await using upstream = await scriptedUpstream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n");
      response.once("close", () => {
        ended = true;
      });
    });
    await using started = await startedProxy(upstream);
    const leave = new AbortController();
    const response = await fetch(messagesUrl(started), {
      ...{ method: "POST", body: JSON.stringify(ASK), signal: leave.signal },
    });
    await response.body?.getReader().read();
    leave.abort();
    await until(() => ended);
    expect(started.problems).toEqual([]);
  });

  it("answers 504 when the provider is silent, and 502 when it is not there", async () => {
    await using silent = await scriptedUpstream(() => undefined);
    await using waiting = await startedProxy(silent, { silenceLimitMs: 30 });
    const late = await send(messagesUrl(waiting), JSON.stringify(ASK));
    expect([late.response.statusCode, late.bytes.toString()]).toEqual([504, expect.stringContaining("sent nothing")]);
    await using lost = await startedProxy({ url: "http://127.0.0.1:9" });
    expect((await send(messagesUrl(lost), JSON.stringify(ASK))).response.statusCode).toBe(502);
  });

  it("answers 413 to a body that is longer than it looks into", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream, { maxBodyBytes: 1_000 });
    const { response } = await send(messagesUrl(started), JSON.stringify({ ...ASK, more: "x".repeat(1_000) }));
    expect(response.statusCode).toBe(413);
    expect(upstream.requests).toHaveLength(0);
  });

  it("lets a request go out as it came when its store fails, and says so", async () => {
    await using upstream = await answering();
    const memory = createMemoryStore();
    const threads = { ...memory.threads, append: () => Promise.reject(new Error("The disk is full.")) };
    const store = { ...memory, threads: Object.setPrototypeOf(threads, memory.threads) };
    await using started = await startedProxy(upstream, { store });
    expect((await send(messagesUrl(started), JSON.stringify(ASK))).response.statusCode).toBe(200);
    expect(upstream.requests[0]?.text).toBe(JSON.stringify(ASK));
    expect(started.problems).toMatchObject([{ message: "The disk is full." }]);
  });

  it("keeps conversations apart that are held at once and begin alike", async () => {
    await using upstream = await scriptedUpstream((response, request, index) =>
      anthropicAnswers(response, request, { say: `Answer ${index}.` }, index),
    );
    await using started = await startedProxy(upstream);
    const talk = async (name: string) => {
      const messages: object[] = [{ role: "user", content: "Hello." }];
      for (const round of [1, 2, 3]) {
        const { bytes } = await send(messagesUrl(started), JSON.stringify({ ...ASK, messages }));
        messages.push({ role: "assistant", content: (JSON.parse(bytes.toString()) as { content: unknown }).content });
        messages.push({ role: "user", content: `${name} ${round}` });
      }
      return messages.slice(0, -1);
    };
    const talks = await Promise.all(["Ada", "Bob", "Eve"].map(talk));
    const sent = upstream.requests.map(({ body }: ReceivedRequest) => JSON.stringify(body["messages"]));
    for (const messages of talks) expect(sent).toContain(JSON.stringify(messages.slice(0, -1)));
    expect(started.problems).toEqual([]);
  });

  it("leaves the tools that Codex puts among its messages where they are, and counts them", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 } });
    const tool = { type: "custom", name: "exec", description: "Runs code. ".repeat(400) };
    const tools = {
      type: "additional_tools",
      role: "developer",
      tools: [{ type: "namespace", name: "f", tools: [tool] }],
    };
    const item = (step: number) => [
      { type: "custom_tool_call", call_id: `c_${step}`, name: "exec", input: "run()" },
      { type: "custom_tool_call_output", call_id: `c_${step}`, output: "output ".repeat(300) },
    ];
    const said = { type: "message", role: "user", content: [{ type: "input_text", text: "Do the work." }] };
    const ask = (steps: number) => {
      const input = [tools, said, ...Array.from({ length: steps }, (_, step) => item(step)).flat()];
      return send(`${started.proxy.baseUrls.openai}/responses`, JSON.stringify({ model: "m", input }));
    };
    await ask(1);
    await ask(40);
    expect(started.turns).toMatchObject([{ type: "as-it-came" }, { type: "folded" }]);
    expect(started.turns[0]?.tokens).toBeGreaterThan(1_300);
    expect(upstream.requests[1]?.body["input"]).toMatchObject({ 0: tools });
    const thread = await started.store.threads.load(started.turns[0]?.threadId as never);
    expect(JSON.stringify(thread?.messagesBetween(0, 1))).toContain("Do the work.");
  });

  it("declares outright what a search of a namespace found, once the search is folded", async () => {
    await using upstream = await answering();
    // A provider's item is never rewritten: it is folded by a window that moves on.
    const preset = springSlidingPreset;
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 }, preset });
    const tool = (name: string, deferred = true) => ({
      type: "function",
      name,
      parameters: { type: "object", properties: {} },
      output_schema: { type: "string" },
      ...(deferred && { defer_loading: true }),
    });
    const crm = (...tools: object[]) => ({ type: "namespace", name: "crm", description: "Customers.", tools });
    const hosted = [{ type: "tool_search" }, { type: "web_search" }];
    const tools = [...hosted, crm(tool("orders"), tool("refund")), tool("notify")];
    const search = [
      { type: "tool_search_call", execution: "server", call_id: null, status: "completed", arguments: {} },
      { type: "tool_search_output", execution: "server", call_id: null, tools: [crm(tool("orders"))] },
      { type: "tool_search_call", execution: "client", call_id: "s_1", arguments: {} },
      { type: "tool_search_output", execution: "client", call_id: "s_1", tools: [crm(tool("audit")), tool("page")] },
    ];
    const item = (step: number) => [
      { type: "function_call", call_id: `c_${step}`, name: "orders", namespace: "crm", arguments: "{}" },
      { type: "function_call_output", call_id: `c_${step}`, output: "output ".repeat(300) },
    ];
    const said = { type: "message", role: "user", content: [{ type: "input_text", text: "Do the work." }] };
    const work = Array.from({ length: 40 }, (_, step) => item(step)).flat();
    const input = [said, ...work.slice(0, 8), ...search, ...work.slice(8)];
    const body = JSON.stringify({ model: "m", input, tools });
    await send(`${started.proxy.baseUrls.openai}/responses`, body);
    expect(started.turns).toMatchObject([{ type: "folded" }]);
    const [sent] = upstream.requests;
    expect(sent?.text).not.toContain("tool_search_output");
    expect(sent?.text).toContain('"namespace":"crm"');
    expect(sent?.body["tools"]).toEqual([
      ...hosted,
      crm(tool("orders", false), tool("refund"), { ...tool("audit", false), strict: false }),
      tool("notify"),
      { ...tool("page", false), strict: false },
    ]);
  });

  it("names a thread as the client asks for it", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream);
    await send(messagesUrl(started), JSON.stringify(ASK), { "x-threadfold-thread": "review" });
    expect(started.turns).toMatchObject([{ threadId: "review" }]);
    expect(upstream.requests[0]?.headers).not.toHaveProperty("x-threadfold-thread");
  });

  it("marks cached prefixes of what it folds where the client marks any, and never too many", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 } });
    const mark = { cache_control: { type: "ephemeral" } };
    const body = {
      ...ASK,
      system: [{ type: "text", text: "You are an engineer.", ...mark }],
      tools: [{ name: "run", input_schema: { type: "object" }, ...mark }],
      messages: long(30).map((message, index) =>
        index < 58
          ? message
          : { ...message, content: (message.content as object[]).map((block) => ({ ...block, ...mark })) },
      ),
    };
    await send(messagesUrl(started), JSON.stringify(body));
    expect(started.turns).toMatchObject([{ type: "folded" }]);
    const marks = upstream.requests[0]?.text.match(/cache_control/g) ?? [];
    expect(marks.length).toBeGreaterThan(1);
    expect(marks.length).toBeLessThan(5);
  });

  it.each([
    ["beside marks of its own", { system: true, messages: true }, false],
    ["beside a mark on its system text", { system: true, messages: false }, false],
    ["alone", { system: false, messages: false }, true],
  ])("keeps to four cached prefixes when the client has caching done for it %s", async (_, marked, isKept) => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 } });
    const cache_control = { type: "ephemeral" };
    const mark = (isMarked: boolean) => (isMarked ? { cache_control } : {});
    const ask = (messages: readonly object[]) => {
      const system = [{ type: "text", text: "You are an engineer.", ...mark(marked.system) }];
      const tools = [{ name: "run", input_schema: { type: "object" } }];
      return send(messagesUrl(started), JSON.stringify({ ...ASK, cache_control, system, tools, messages }));
    };
    const history = long(40).map((message, index) =>
      typeof message.content === "string"
        ? message
        : {
            ...message,
            content: message.content.map((block) => ({ ...block, ...mark(marked.messages && index > 50) })),
          },
    );
    await ask(history.slice(0, 61));
    await ask(history.slice(0, 63));
    await ask(history);
    expect(started.turns.map(({ type }) => type)).toEqual(["folded", "folded", "folded"]);
    for (const { text, body } of upstream.requests) {
      const marks = text.match(/"cache_control"/g) ?? [];
      expect(marks.length).toBeGreaterThan(0);
      expect(marks.length).toBeLessThan(5);
      expect("cache_control" in body).toBe(isKept);
    }
  });

  it("keeps to four cached prefixes when the client marks none at first", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 } });
    const cache_control = { type: "ephemeral" };
    const history = long(40).map((message, index) =>
      typeof message.content === "string" || index < 10
        ? message
        : { ...message, content: message.content.map((block) => ({ ...block, cache_control })) },
    );
    for (const length of [1, 63, 65]) {
      const messages = history.slice(0, length);
      await send(messagesUrl(started), JSON.stringify({ ...ASK, cache_control, tools: [{ name: "run" }], messages }));
    }
    expect(started.turns.map(({ type }) => type)).toEqual(["as-it-came", "folded", "folded"]);
    for (const { text } of upstream.requests) {
      const marks = text.match(/"cache_control"/g) ?? [];
      expect(marks.length).toBeLessThan(5);
    }
  });

  it.each(["/chat/completions", "/responses"])(
    "keeps to one thread when the client changes its system messages with every request: %s",
    async (path) => {
      await using upstream = await answering();
      await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 } });
      const isChat = path === "/chat/completions";
      const output = "output ".repeat(400);
      const chatStep = (id: string) => [
        { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "run", arguments: "{}" } }] },
        { role: "tool", tool_call_id: id, content: output },
      ];
      const itemStep = (id: string) => [
        { type: "function_call", call_id: id, name: "run", arguments: "{}" },
        { type: "function_call_output", call_id: id, output },
      ];
      const rules = { role: "developer", content: [{ type: isChat ? "text" : "input_text", text: "Be brief." }] };
      for (let hour = 1; hour <= 30; hour++) {
        const opening = [{ role: "system", content: `It is ${hour} o'clock.`, name: "clock" }, rules];
        const work = Array.from({ length: hour }, (_, step) => (isChat ? chatStep : itemStep)(`c_${step}`)).flat();
        const list = [...opening, { role: "user", content: "Do the work." }, ...work];
        const body = { model: "m", ...(isChat ? { messages: list } : { instructions: "Work.", input: list }) };
        await send(started.proxy.baseUrls.openai + path, JSON.stringify(body));
        const { body: sent } = upstream.requests.at(-1) as ReceivedRequest;
        expect((sent[isChat ? "messages" : "input"] as unknown[]).slice(0, 2)).toEqual(opening);
        expect(sent["instructions"]).toBe(isChat ? undefined : "Work.");
        expect(JSON.stringify(sent).match(/o'clock|Be brief/g)).toHaveLength(2);
      }
      expect(new Set(started.turns.map(({ threadId }) => threadId)).size).toBe(1);
      expect(started.turns.filter(({ outcome }) => outcome?.type === "committed").length).toBeLessThan(4);
      expect(started.problems).toEqual([]);
    },
  );

  it.each([
    [
      "in its first message",
      (added: object[]) => [{ role: "user", content: [...added, { type: "text", text: "Go." }] }],
    ],
    [
      "in a message of their own",
      (added: object[]) => [
        { role: "user", content: added },
        { role: "user", content: "Go." },
      ],
    ],
  ])("keeps to one thread when the client changes its reminders %s", async (_, opening) => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 } });
    const reminder = (text: string) => ({ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>\n` });
    const [, ...work] = long(30);
    for (let hour = 1; hour <= 30; hour++) {
      const added = [reminder(`It is ${hour} o'clock.`), reminder("Be brief.")];
      const messages = [...opening(added), ...work.slice(0, 2 * hour)];
      const body = { ...ASK, system: "You are an engineer.", tools: [{ name: "run" }], messages };
      await send(messagesUrl(started), JSON.stringify(body));
      const { body: sent } = upstream.requests.at(-1) as ReceivedRequest;
      const [first] = sent["messages"] as { content: object[] }[];
      expect(first?.content.slice(0, 2)).toMatchObject(added);
      expect(JSON.stringify(sent).match(/o'clock|Be brief/g)).toHaveLength(2);
      expect(JSON.stringify(sent["system"])).toMatch(/^[^<]*You are an engineer[^<]*$/);
    }
    expect(new Set(started.turns.map(({ threadId }) => threadId)).size).toBe(1);
    expect(started.turns.filter(({ outcome }) => outcome?.type === "committed").length).toBeLessThan(4);
    expect(started.problems).toEqual([]);
  });

  it("takes reminders with words of the user's between them, or with none behind them, as what was said", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream);
    const told = "<system-reminder>Be brief.</system-reminder>";
    const openings = [told, `${told} Go. ${told}`, `${told} Stop. ${told}`, "<system-reminder>", `${told}${told}`];
    for (const text of openings)
      await send(
        messagesUrl(started),
        JSON.stringify({ ...ASK, messages: [{ role: "user", content: [{ type: "text", text }] }] }),
      );
    expect(new Set(started.turns.map(({ threadId }) => threadId)).size).toBe(openings.length);
    expect(started.problems).toEqual([]);
  });

  it("keeps to the window of each request's model when the budget is larger", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 900_000 } });
    const content = "word ".repeat(900_000);
    const url = `${started.proxy.baseUrls.openai}/chat/completions`;
    const limits: number[] = [];
    for (const model of ["gpt-4o", "gpt-4.1", "gpt-4o"]) {
      const { bytes } = await send(url, JSON.stringify({ model, messages: [{ role: "user", content }] }));
      limits.push(Number(/length is (\d+) tokens/.exec(bytes.toString())?.[1]));
    }
    expect(limits[0]).toBeLessThan(128_000);
    expect(limits[1]).toBeGreaterThan(128_000);
    expect(limits[2]).toBe(limits[0]);
  });

  it("takes a conversation of nothing but system messages as one", async () => {
    await using upstream = await answering();
    await using started = await startedProxy(upstream);
    const body = JSON.stringify({ model: "m", messages: [{ role: "system", content: "Say hello." }] });
    await send(`${started.proxy.baseUrls.openai}/chat/completions`, body);
    expect([upstream.requests[0]?.text, started.turns.length, started.problems]).toEqual([body, 1, []]);
  });
});
