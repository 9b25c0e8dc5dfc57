import { once } from "node:events";
import { Agent, createServer as createHttpServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { buffer, text as textOf } from "node:stream/consumers";
import zlib, { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { scriptedUpstream, sendJson } from "./testing/scripted-upstream.ts";
import { startedProxy } from "./testing/started-proxy.ts";

const ASK = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello." }] };

/** Sends a request over a connection of its own. */
async function send(url: string, body: string, headers: Record<string, string> = {}, method = "POST") {
  const request = httpRequest(url, { method, headers, agent: false });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { response, bytes: await buffer(response) };
}

const calls = (steps: number) =>
  Array.from({ length: steps }, (_, step) => [
    { type: "function_call", call_id: `c_${step}`, name: "run", arguments: "{}" },
    { type: "function_call_output", call_id: `c_${step}`, output: "output ".repeat(400) },
  ]).flat();

const ANSWER = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null },
  ...{ content: [{ type: "text", text: "All is in order." }], usage: { input_tokens: 9, output_tokens: 5 } },
};

describe("an answer", () => {
  it.each(["constructor", "__proto__", "toString"])(
    "in the unknown coding %s passes through, with one warning",
    async (coding) => {
      await using upstream = await scriptedUpstream((response, _, index) =>
        sendJson(response, { ok: true }, index === 0 ? 200 : 400, { "content-encoding": coding }),
      );
      await using started = await startedProxy(upstream);
      for (const status of [200, 400]) {
        const { response, bytes } = await send(`${started.proxy.baseUrls.anthropic}/v1/messages`, JSON.stringify(ASK));
        expect([response.statusCode, bytes.toString()]).toEqual([status, '{"ok":true}']);
      }
      expect(started.problems.map(String)).toEqual([
        `ThreadfoldError: Answers with the content encoding ${coding} cannot be read: they are passed on, but their usage is not recorded.`,
      ]);
    },
  );

  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    // The oldest supported Node has no zstd.
    ...("zstdCompressSync" in zlib ? [["zstd", zlib.zstdCompressSync] as const] : []),
  ] as const)("in %s is read while it passes through byte for byte", async (coding, encode) => {
    const sent = encode(JSON.stringify(ANSWER));
    await using upstream = await scriptedUpstream((response) =>
      response.writeHead(200, { "content-type": "application/json", "content-encoding": coding }).end(sent),
    );
    const started = await startedProxy(upstream);
    const { bytes } = await send(`${started.proxy.baseUrls.anthropic}/v1/messages`, JSON.stringify(ASK));
    await started.proxy.close();
    expect(bytes.equals(sent)).toBe(true);
    expect(started.problems).toEqual([]);
    const thread = await started.store.threads.load(started.turns[0]?.threadId as never);
    expect([...(thread?.messagesBetween(0) ?? [])].at(-1)?.parts).toMatchObject(ANSWER.content);
  });

  it.each([
    ["gzip, deflate, br", "gzip, deflate, br"],
    ["gzip, dcz;q=0.9, *;q=0.1", "gzip"],
    ["compress, zstd;q=0", "identity"],
  ])("is asked for in codings that can be read: of %s, %s", async (accepted, asked) => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, ANSWER));
    await using started = await startedProxy(upstream);
    const headers = { "Accept-Encoding": accepted };
    await send(`${started.proxy.baseUrls.anthropic}/v1/messages`, JSON.stringify(ASK), headers);
    await send(`${started.proxy.baseUrls.anthropic}/v1/files`, "{}", headers);
    expect(upstream.requests.map((request) => request.headers["accept-encoding"])).toEqual([asked, accepted]);
  });

  it.each([
    ["that is not in its coding", 200, (body: string) => Buffer.from(body)],
    ["that is cut off", 200, (body: string) => gzipSync(body).subarray(0, -9)],
    ["of refusal that is not in its coding", 400, (body: string) => Buffer.from(body)],
  ])("%s passes through, with a warning that says so", async (_, status, encode) => {
    const sent = encode(JSON.stringify(ANSWER));
    await using upstream = await scriptedUpstream((response) =>
      response.writeHead(status, { "content-type": "application/json", "content-encoding": "gzip" }).end(sent),
    );
    await using started = await startedProxy(upstream);
    const { response, bytes } = await send(`${started.proxy.baseUrls.anthropic}/v1/messages`, JSON.stringify(ASK));
    expect([response.statusCode, bytes.equals(sent)]).toEqual([status, true]);
    await started.proxy.close();
    const message = /^The provider's answer was passed on, but not recorded: it is no valid gzip \(.+\)\.$/;
    expect(started.problems).toMatchObject([{ code: "MODEL_CALL_FAILED", message: expect.stringMatching(message) }]);
  });

  it("that breaks off is reported as such", async () => {
    await using upstream = await scriptedUpstream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"type":"message_start","message":{}}\n\n', () => response.destroy());
    });
    await using started = await startedProxy(upstream);
    const asked = fetch(`${started.proxy.baseUrls.anthropic}/v1/messages`, {
      method: "POST",
      body: JSON.stringify(ASK),
    });
    await expect(asked.then((response) => response.text())).rejects.toThrow();
    await started.proxy.close();
    expect(started.problems).toMatchObject([
      { message: "The provider's answer was passed on, but not recorded: it broke off before its end." },
    ]);
  });
});

/** A provider that answers once it has read the head of a request, and closes the connection on the rest. */
async function hastyProvider(close: (socket: Socket, answer: string) => void) {
  const body = JSON.stringify({ type: "error", error: { type: "request_too_large", message: "Too much." } });
  const head = ["HTTP/1.1 413 Too Large", "content-type: application/json", `content-length: ${body.length}`];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.pause();
      close(socket, [...head, "connection: close", "", body].join("\r\n"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, body, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())) };
}

/** Sends a body piece by piece, as fast as it is taken, as clients do: over a connection that stays open. */
async function upload(url: string, pieces: number) {
  const agent = new Agent({ keepAlive: true });
  const request = httpRequest(url, { method: "POST", agent });
  const answered = once(request, "response") as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  for (let piece = 0; piece < pieces && !request.destroyed; piece++)
    if (!request.write(Buffer.alloc(65_536, "x"))) await Promise.race([once(request, "drain"), answered]);
  request.end();
  const [response] = await answered;
  const bytes = await buffer(response);
  agent.destroy();
  return { response, bytes };
}

describe("a provider that answers before it has read the request, and closes", () => {
  it.each([
    ["at once", (socket: Socket, answer: string) => void socket.end(answer, () => socket.destroy())],
    ["with a reset", (socket: Socket, answer: string) => void socket.write(answer, () => socket.resetAndDestroy())],
    [
      "later",
      (socket: Socket, answer: string) => void setTimeout(() => socket.end(answer, () => socket.destroy()), 30),
    ],
  ])("is heard by the client, %s", async (_, close) => {
    await using provider = await hastyProvider(close);
    await using started = await startedProxy(provider);
    const { anthropic } = started.proxy.baseUrls;
    const long = {
      ...ASK,
      messages: Array.from({ length: 400 }, () => ({ role: "user", content: "word ".repeat(2_000) })),
    };
    const answers = [
      await send(`${anthropic}/v1/messages`, JSON.stringify(long)),
      await upload(`${anthropic}/v1/messages/count_tokens`, 40),
      await upload(`${anthropic}/v1/files`, 400),
    ];
    for (const { response, bytes } of answers)
      expect([response.statusCode, bytes.toString()]).toEqual([413, provider.body]);
  });
});

describe("a request", () => {
  it("longer than the proxy looks into is refused while it is still sent", async () => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, {}));
    await using started = await startedProxy(upstream, { maxBodyBytes: 100_000 });
    const { response, bytes } = await upload(`${started.proxy.baseUrls.anthropic}/v1/messages`, 400);
    expect([response.statusCode, bytes.toString()]).toEqual([413, expect.stringContaining("100000 bytes")]);
  });

  it("is sent once more over a new connection if the provider has closed the one it was sent on", async () => {
    const used = new WeakSet<Socket>();
    const received: string[] = [];
    const server = createHttpServer(async (incoming, response) => {
      if (used.has(incoming.socket)) return incoming.socket.destroy();
      used.add(incoming.socket);
      received.push(await textOf(incoming));
      return sendJson(response, { ok: true });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using started = await startedProxy({ url });
    const ask = () => send(`${started.proxy.baseUrls.anthropic}/v1/messages`, JSON.stringify(ASK));
    for (let count = 1; count <= 4; count++) {
      expect((await ask()).response.statusCode).toBe(200);
      expect(received).toHaveLength(count);
    }
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("is not sent again if a new connection breaks off", async () => {
    let requests = 0;
    const server = createHttpServer((incoming) => {
      requests++;
      incoming.socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await using started = await startedProxy({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const { response } = await send(`${started.proxy.baseUrls.anthropic}/v1/messages`, JSON.stringify(ASK));
    expect([response.statusCode, requests]).toEqual([502, 1]);
    await new Promise((resolve) => server.close(resolve));
  });

  it("with an offer of HTTP/2, as Java's own client makes one, is answered over HTTP/1.1", async () => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, { ok: true }));
    await using started = await startedProxy(upstream);
    const headers = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQ" };
    const { response } = await send(`${started.proxy.baseUrls.openai}/chat/completions`, JSON.stringify(ASK), headers);
    expect(response.statusCode).toBe(200);
    expect(upstream.requests[0]?.headers).not.toHaveProperty("upgrade");
    expect(upstream.requests[0]?.headers).not.toHaveProperty("http2-settings");
  });

  it.each(["DELETE", "PUT", "GET"])("that is passed on unread keeps the bounds of its body: %s", async (method) => {
    const received: string[] = [];
    const server = createHttpServer(async (incoming, response) => {
      received.push(`${incoming.method} ${await textOf(incoming)}`);
      response.end("done");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using started = await startedProxy({ url });
    const headers = { "transfer-encoding": "chunked" };
    const path = `${started.proxy.baseUrls.anthropic}/v1/files/f_1`;
    expect((await send(path, '{"a":1}', headers, method)).bytes.toString()).toBe("done");
    expect(received).toEqual([`${method} {"a":1}`]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    ["that is no JSON", "hello", {}, "The body of /v1/messages is no JSON object."],
    ["that is no object", "[1]", {}, "The body of /v1/messages is no JSON object."],
    [
      "in a coding",
      "hello",
      { "content-encoding": "br" },
      "The body of /v1/messages has the content encoding br, in which conversations are not read.",
    ],
  ] as const)("%s is passed on unchanged, with a warning", async (_, body, headers, message) => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, { ok: true }));
    await using started = await startedProxy(upstream);
    const { response } = await send(`${started.proxy.baseUrls.anthropic}/v1/messages`, body, { ...headers });
    expect([response.statusCode, upstream.requests[0]?.text]).toEqual([200, body]);
    expect(started.problems).toMatchObject([{ message }]);
  });

  it("of Responses with references to items that the provider keeps passes through, unread", async () => {
    await using upstream = await scriptedUpstream((response) => sendJson(response, {}));
    await using started = await startedProxy(upstream, { config: { maxInputTokens: 12_000 } });
    const reference = { type: "item_reference", id: "msg_123" };
    const input = [{ role: "user", content: "Do the work." }, reference, ...calls(30)];
    const body = JSON.stringify({ model: "m", input });
    await send(`${started.proxy.baseUrls.openai}/responses`, body);
    expect(upstream.requests[0]?.text).toBe(body);
    expect(started.turns).toEqual([]);
  });
});
