import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it } from "vitest";
import { type FoldedSession, foldedSession } from "../testing/sessions.ts";
import { localTokenVerifier, serveThreadOverHttp, threadHttpHandler } from "./serve-over-http.ts";
import type { ThreadAccess } from "./thread-archive.ts";

const TOKEN = "a-token-of-this-test";

let folded: FoldedSession;
beforeAll(async () => {
  folded = await foldedSession();
});

/** A server on a free port of the loopback for as long as the work takes. */
async function serving(work: (url: string) => Promise<void>, access?: ThreadAccess | null): Promise<void> {
  const stop = new AbortController();
  const granted: ThreadAccess = {
    store: folded.store,
    requester: { requesterId: "http", tenantId: null, permissions: [] },
    threadIds: "all",
  };
  const handler = threadHttpHandler({
    verifier: localTokenVerifier(TOKEN),
    accessOf: () => (access === undefined ? granted : access),
  });
  const listening = Promise.withResolvers<string>();
  const served = serveThreadOverHttp(handler, { port: 0, signal: stop.signal, onListening: listening.resolve });
  try {
    await work(await listening.promise);
  } finally {
    stop.abort();
    await served;
  }
}

const post = (url: string, headers: Record<string, string>) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });

describe("threads over HTTP", () => {
  it("answers the official client if it has the token", () =>
    serving(async (url) => {
      const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
      const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      const result = await client.callTool({ name: "list_folded", arguments: {} });
      expect(result.structuredContent).toMatchObject({ plan_version: 1, thread_id: folded.imported.threadId });
      await client.close();
    }));

  it("rejects requests without the token, from another origin, or to another path", () =>
    serving(async (url) => {
      const authorization = `Bearer ${TOKEN}`;
      const statuses = [
        await post(url, {}),
        await post(url, { authorization: "Bearer guessed" }),
        await post(url, { authorization, origin: "https://evil.example" }),
        await post(url.replace("/mcp", "/other"), { authorization }),
        await post(url, { authorization }),
      ].map(({ status }) => status);
      expect(statuses).toEqual([401, 401, 403, 404, 200]);
    }));

  it("R36 refuses a host name that is not the loopback's", async () => {
    const handler = threadHttpHandler({ verifier: localTokenVerifier(TOKEN), accessOf: () => null });
    const request = new Request("http://evil.example/mcp", { method: "POST", headers: { host: "evil.example" } });
    expect((await handler.fetch(request)).status).toBe(403);
  });

  it("answers 403 to a token without access to any thread", () =>
    serving(async (url) => {
      expect((await post(url, { authorization: `Bearer ${TOKEN}` })).status).toBe(403);
    }, null));

  it("reports that the port is taken", () =>
    serving(async (url) => {
      const handler = threadHttpHandler({ verifier: localTokenVerifier(TOKEN), accessOf: () => null });
      const options = { port: Number(new URL(url).port), signal: new AbortController().signal };
      await expect(serveThreadOverHttp(handler, options)).rejects.toMatchObject({ code: "USAGE" });
    }));
});
