import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { commandArguments, removeBundle } from "../testing/from-source.ts";
import { json, Workbench } from "../testing/workbench.ts";

afterAll(removeBundle);

const bench = new Workbench();

/** An agent that knows nothing of Threadfold: it finds its provider in its environment and sends all of its history. */
const AGENT = `
const messages = [{ role: "user", content: "Do the work." }];
for (let step = 0; step < 12; step++) {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST",
    body: JSON.stringify({ model: "m", messages, tools: [{ name: "run", input_schema: { type: "object" } }] }),
  });
  const { content } = await response.json();
  messages.push({ role: "assistant", content });
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: content[0].id, content: "output ".repeat(800) }] });
}
console.log("worked", process.argv.slice(2).join(" "));
process.exit(9);
`;

const sizes: number[] = [];
const provider = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += piece;
  sizes.push(text.length);
  const call = { type: "tool_use", id: `t_${sizes.length}`, name: "run", input: {} };
  const answer = { id: `m_${sizes.length}`, type: "message", role: "assistant", model: "m", content: [call] };
  const usage = { input_tokens: Math.ceil(text.length / 4), output_tokens: 5 };
  response.end(JSON.stringify({ ...answer, stop_reason: "tool_use", usage }));
});
beforeAll(() => new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => provider.close(resolve)));
const upstream = () => `anthropic=http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

/** The command as a shell starts it. */
async function threadfold(argv: readonly string[]) {
  const child = spawn(process.execPath, [...commandArguments(), ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (printed.stdout += chunk));
  child.stderr.on("data", (chunk) => (printed.stderr += chunk));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  return { code: await promise, ...printed };
}

describe("run", () => {
  it("runs a command behind the proxy, folds what it sends, and ends as it ended", async () => {
    const agent = bench.file("agent.mjs", AGENT);
    const argv = ["--store", bench.store, "--budget", "9000", "--upstream", upstream()];
    const { code, stdout, stderr } = await threadfold(["run", ...argv, "--", process.execPath, agent, "--json", "x"]);
    expect([code, stdout]).toEqual([9, "worked --json x\n"]);
    expect(stderr).toMatch(/^threadfold: 12 requests in 1 thread, \d folds?, kept in .*sessions.db\n$/);
    expect(sizes).toHaveLength(12);
    expect(Math.max(...sizes)).toBeLessThan(9_000 * 4);
    const { envelope } = await json(["threads", "--store", bench.store]);
    expect(envelope.data).toMatchObject({ threads: [{ version: 24 }] });
  });

  it("sets fields of the configuration with --config", async () => {
    const agent = bench.file("agent.mjs", AGENT);
    const argv = ["--store", "memory:", "--budget", "9000", "--upstream", upstream()];
    const largest = async (...fields: readonly string[]) => {
      const before = sizes.length;
      const given = fields.flatMap((field) => ["--config", field]);
      const { code } = await threadfold(["run", ...argv, ...given, "--", process.execPath, agent]);
      expect(code).toBe(9);
      return Math.max(...sizes.slice(before));
    };
    const early = await largest("softThresholdPercent=0.4", "targetPercent=0.2", "costModelEnabled=false");
    expect(early).toBeLessThan(0.7 * (await largest()));
    const wrong = await threadfold(["run", ...argv, "--config", "targetPercent=7", "--", process.execPath, agent]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("targetPercent")]);
  });

  it("says that a command cannot be started", async () => {
    const { code, stderr } = await threadfold(["run", "--store", "memory:", "--", "no-such-agent"]);
    expect(code).toBe(2);
    expect(stderr).toContain("no-such-agent cannot be started: there is no such program (ENOENT).");
  });
});

describe("proxy", () => {
  it("serves who has its address until it is interrupted, and says what passed", async () => {
    const interrupt = new AbortController();
    const listening = Promise.withResolvers<string>();
    const argv = ["proxy", "--store", "memory:", "--upstream", upstream()];
    const run = captureRun(argv, { signal: interrupt.signal, onStderr: listening.resolve });
    const [, url = ""] = /ANTHROPIC_BASE_URL=(\S+)/.exec(await listening.promise) ?? [];
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello." }] });
    expect((await fetch(`${url}/v1/messages`, { method: "POST", body })).status).toBe(200);
    interrupt.abort();
    expect(await run).toMatchObject({ code: 0, stdout: "1 request in 1 thread, 0 folds\n" });
  });

  it("does not print a token that is kept secret", async () => {
    const interrupt = new AbortController();
    const env = { THREADFOLD_PROXY_TOKEN: "of-this-test" };
    const listening = Promise.withResolvers<string>();
    const argv = ["proxy", "--store", "memory:"];
    const run = captureRun(argv, { env, signal: interrupt.signal, onStderr: listening.resolve });
    await listening.promise;
    interrupt.abort();
    const { stderr } = await run;
    expect(stderr).not.toContain("of-this-test");
    expect(stderr).toContain("/$THREADFOLD_PROXY_TOKEN/anthropic");
  });

  it.each([
    ["--upstream", "nobody=http://x"],
    ["--upstream", "anthropic=x"],
    ["--port", "70000"],
    ["--budget", "few"],
    ["--preset", "nothing"],
  ])("refuses %s %s", async (...given) => {
    expect(await json(["proxy", "--store", "memory:", ...given])).toMatchObject({ code: 2 });
  });
});
