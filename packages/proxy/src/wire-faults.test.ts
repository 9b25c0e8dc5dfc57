import { once } from "node:events";
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer, text as textOf } from "node:stream/consumers";
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

describe("an answer", () => {
  it.each(["constructor", "__proto__", "toString"])("in the unknown coding %s passes through", async (coding) => {
    await using upstream = await scriptedUpstream((response, _, index) =>
      sendJson(response, { ok: true }, index === 0 ? 200 : 400, { "content-encoding": coding }),
    );
    await using started = await startedProxy(upstream);
    for (const status of [200, 400]) {
      const { response, bytes } = await send(`${started.proxy.baseUrls.anthropic}/v1/messages`, JSON.stringify(ASK));
      expect([response.statusCode, bytes.toString()]).toEqual([status, '{"ok":true}']);
    }
    expect(started.problems).toEqual([]);
  });
});

describe("a request", () => {
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
