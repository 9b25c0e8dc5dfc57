import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { commandArguments, removeBundle } from "../testing/from-source.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

afterAll(removeBundle);

const bench = new Workbench();

const fold = () => compact([bench.file("long.json", openAiSession(LONG)), "--store", bench.store, "--budget", "8000"]);

const INITIALIZE = {
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** The command as a client starts it. */
function started(argv: readonly string[]) {
  const child = spawn(process.execPath, [...commandArguments(), "mcp", ...argv]);
  const printed = { stderr: "" };
  child.stderr.on("data", (chunk) => (printed.stderr += chunk));
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
  return {
    child,
    ended,
    printed,
    ask: async (id: number, request: object): Promise<unknown> => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
      return JSON.parse(String((await answers.next()).value));
    },
  };
}

describe("mcp", () => {
  it("serves over its streams, writes nothing else to stdout, and ends when its client does", async () => {
    const { data } = await fold();
    const server = started(["--store", bench.store, "--thread", data.threadId]);
    expect(await server.ask(1, INITIALIZE)).toMatchObject({ result: { serverInfo: { name: "threadfold" } } });
    const call = { method: "tools/call", params: { name: "list_folded", arguments: {} } };
    expect(await server.ask(2, call)).toMatchObject({
      id: 2,
      result: { structuredContent: { thread_id: data.threadId, plan_version: 1 } },
    });
    server.child.stdin.end();
    expect([await server.ended, server.printed.stderr]).toEqual([0, ""]);
  });

  it("serves HTTP to who has the token, until it is interrupted", async () => {
    const { data } = await fold();
    const interrupt = new AbortController();
    const listening = Promise.withResolvers<string>();
    const env = { THREADFOLD_MCP_TOKEN: "of-this-test" };
    const argv = ["mcp", "--store", bench.store, "--http", "0"];
    const run = captureRun(argv, { env, signal: interrupt.signal, onStderr: listening.resolve });
    const [, url = ""] = /on (\S+)/.exec(await listening.promise) ?? [];
    const post = (token: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "list_folded", arguments: { thread_id: data.threadId } },
        }),
      });
    expect((await post("guessed")).status).toBe(401);
    expect(await (await post("of-this-test")).text()).toContain(data.threadId);
    interrupt.abort();
    const { code, stdout, stderr } = await run;
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).not.toContain("of-this-test");
  });

  it("says at once that a thread, a store or a port is not there", async () => {
    await fold();
    expect(await json(["mcp", "--store", bench.store, "--thread", "nobody"])).toMatchObject({ code: 5 });
    expect(await json(["mcp", "--store", bench.path("none.db")])).toMatchObject({ code: 7 });
    expect(await json(["mcp", "--store", bench.store, "--http", "70000"])).toMatchObject({ code: 2 });
  });
});
