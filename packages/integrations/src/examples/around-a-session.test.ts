import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { asThreadId, type CompletionModel } from "@threadfold/core";
import { createMemoryStore } from "@threadfold/stores";
import { expect, it } from "vitest";
import { localTokenVerifier } from "../mcp/serve-over-http.ts";
import { recordedTelemetry } from "../testing/doubles.ts";
import { EXAMPLE_SESSION, foldedSession } from "../testing/sessions.ts";
import { folded, foldFile, traced } from "./around-a-session.ts";

it("the MCP route example serves the real client", async () => {
  const { store, imported } = await foldedSession();
  const handler = folded(store, localTokenVerifier("token"));
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const url = new URL("http://agents.example.com/mcp");
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: "Bearer token" } },
      // The host header is the browser's or the server's to set, so it is set here where there is none.
      fetch: (input, init) => {
        const request = new Request(input, init);
        const headers = new Headers(request.headers);
        headers.set("host", url.host);
        return handler.fetch(new Request(request, { headers }));
      },
    }),
  );
  const { structuredContent } = await client.callTool({ name: "list_folded", arguments: {} });
  expect(structuredContent).toMatchObject({ thread_id: imported.threadId, plan_version: 1 });
  await client.close();
});

it("the tracing example records a span for its fold", async () => {
  const recorded = recordedTelemetry();
  const { imported } = await foldedSession();
  const silent: CompletionModel = {
    id: "silent",
    complete: async () => ({ text: "{}", finish: "stop", toolCalls: 0 }),
  };
  const session = await traced(asThreadId("traced"), createMemoryStore(), silent, recorded);
  await session.append(imported.messages);
  await session.compact({ force: true });
  expect(recorded.spans().map(({ name }) => name)).toContain("compact");
  await recorded.close();
});

it("the session file example writes a folded file that pi opens", async () => {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-example-"));
  try {
    const file = join(folder, "session.jsonl");
    await foldFile(EXAMPLE_SESSION, file, 30_000);
    const [first] = SessionManager.open(file, folder, folder).buildSessionContext().messages;
    expect(first).toMatchObject({ role: "compactionSummary" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
