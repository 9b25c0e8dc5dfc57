// Runs real command-line agents from npm behind `threadfold run`, against an upstream that answers from a script: each
// works for twenty calls in a budget that they do not fit, and what arrives at the upstream is checked. It installs the
// agents into an empty folder outside the repository, which takes 1.5 GB temporarily, and downloads them from the
// registry. Run: npm run build && npm run test:command-agents [-- a part of an agent's name]
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { formatById } from "@threadfold/renderer";
import { anthropicMessagesProtocol } from "../apps/scripted-agents/src/provider/anthropic-protocol.ts";
import { openaiChatProtocol, openaiResponsesProtocol } from "../apps/scripted-agents/src/provider/openai-protocols.ts";
import { npmEnvironment } from "./npm.mjs";
import { root } from "./workspaces.mjs";

const PROTOCOLS = [anthropicMessagesProtocol, openaiChatProtocol, openaiResponsesProtocol];
const CONVERSATION = ["model", "thinking", "tool_choice", "system", "messages", "tools", "instructions", "input"];
const CALLS = 20;
const BUDGET = 60_000;
const RULE = "Never touch the file vault.txt.";
const TASK = `Count for me, again and again. ${RULE}`;
/** A different command at each call: some agents stop a model that repeats itself. */
const commandAt = (number) => `seq ${number} 3000`;
const MOST_MINUTES = 5;

/** Each agent, with its command line and the tool call by which its model runs a command. */
const AGENTS = [
  {
    name: "claude-code",
    package: "@anthropic-ai/claude-code@2.1.332",
    command: `claude -p "$TASK" --allowedTools Bash --model claude-haiku-4-5`,
    call: ["Bash", (number) => ({ command: commandAt(number), description: "Counts" })],
  },
  {
    name: "codex",
    package: "@openai/codex@0.169.0",
    command: `codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -c openai_base_url="\\"$OPENAI_BASE_URL\\"" "$TASK"`,
    custom: ["exec", "text('counted '.repeat(1500))"],
  },
  {
    name: "opencode",
    package: "opencode-ai@1.18.33",
    command: `opencode run -m anthropic/claude-haiku-4-5 "$TASK"`,
    call: ["bash", (number) => ({ command: commandAt(number), description: "Counts" })],
  },
  {
    name: "qwen-code",
    package: "@qwen-code/qwen-code@0.24.4",
    command: `qwen --auth-type openai -y -p "$TASK"`,
    call: ["run_shell_command", (number) => ({ command: commandAt(number), is_background: false })],
  },
];

/**
 * Starts an upstream that makes an agent run its command again and again, in the conversation that has the tool for it.
 */
async function startUpstream({ call, custom }) {
  const requests = [];
  const seen = new Map();
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join("");
    const { pathname } = new URL(request.url, "http://upstream");
    const protocol = PROTOCOLS.find(({ path }) => path === pathname);
    if (protocol === undefined || !text.startsWith("{"))
      return send(response, 404, { error: { message: "Not here." } });
    const body = JSON.parse(text);
    const isWork = text.includes(RULE) && hasTool(body, (call ?? custom)[0]);
    const number = isWork ? (seen.get("work") ?? 0) : CALLS;
    if (isWork) seen.set("work", number + 1);
    requests.push({ protocol, body, text, isWork });
    const move = { thinking: "", text: number < CALLS ? "" : "All is done.", calls: [] };
    if (number < CALLS && call !== undefined)
      move.calls = [{ id: `call_${number}`, name: call[0], input: call[1](number) }];
    const thought = { text: `Call ${number}.`, proof: Buffer.from(`call ${number}`).toString("base64") };
    const thinks = protocol.reasoning?.thinks(body) === true && custom === undefined;
    const figures = { inputTokens: Math.ceil(text.length / 4), cachedTokens: 0, outputTokens: 20, cutOff: false };
    let reply = protocol.answer(move, {
      id: `${requests.length}`,
      model: body.model,
      ...figures,
      ...(thinks && { thought }),
    });
    if (number < CALLS && custom !== undefined) reply = { ...reply, output: [customCall(custom, number)] };
    if (body.stream !== true) return send(response, 200, reply);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of custom === undefined || number >= CALLS ? protocol.stream(reply) : customEvents(reply)) {
      if (event.name !== undefined) response.write(`event: ${event.name}\n`);
      response.write(`data: ${typeof event.data === "string" ? event.data : JSON.stringify(event.data)}\n\n`);
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    requests,
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Checks whether a request offers a tool; Codex has its tools among its messages. */
const hasTool = ({ tools = [], input = [] }, name) =>
  JSON.stringify([tools, Array.isArray(input) ? input.filter(({ type }) => type === "additional_tools") : []]).includes(
    `"name":"${name}"`,
  );

const customCall = ([name, input], number) => ({
  ...{ type: "custom_tool_call", id: `ctc_${number}`, call_id: `call_${number}`, name, input, status: "completed" },
});

function customEvents(response) {
  const [item] = response.output;
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ].map((data, sequence_number) => ({ name: data.type, data: { ...data, sequence_number } }));
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Describes what is wrong with a run. */
function problemsOf({ status, printed, figures, replayed, requests }) {
  const work = requests.filter(({ isWork }) => isWork);
  const illegal = work.flatMap(({ protocol, body }) => {
    const payload = Object.fromEntries(Object.entries(body).filter(([key]) => CONVERSATION.includes(key)));
    // The newest models accept system messages among the others; what an agent sends of its own goes out unchanged.
    return formatById(protocol.format)
      .check(payload)
      .filter(({ rule }) => rule !== "roles" && rule !== "W10");
  });
  const longest = Math.max(0, ...work.map(({ text }) => Math.ceil(text.length / 4)));
  return [
    ...(status === 0 ? [] : [`it exited with ${status}`]),
    ...(printed.includes("All is done.") ? [] : ["it did not say that all is done"]),
    ...(work.length > CALLS ? [] : [`it made ${work.length} calls`]),
    ...(figures.folds > 0 ? [] : ["nothing was folded"]),
    ...(longest <= BUDGET * 1.1 ? [] : [`a request has ${longest} tokens`]),
    ...illegal.slice(0, 3).map(({ rule, problem }) => `${rule}: ${problem}`),
    ...(replayed ? [] : ["its requests could not be reproduced"]),
  ];
}

async function tryAgent(agent, folder) {
  const upstream = await startUpstream(agent);
  const place = join(folder, `home-${agent.name}`);
  mkdirSync(place);
  const env = {
    PATH: [join(folder, "node_modules", ".bin"), process.env.PATH].join(delimiter),
    ...{ HOME: place, TASK, TERM: "dumb", NO_COLOR: "1", IS_SANDBOX: "1" },
    ...{
      ANTHROPIC_API_KEY: "scripted",
      OPENAI_API_KEY: "scripted",
      CODEX_API_KEY: "scripted",
      OPENAI_MODEL: "gpt-5.1",
    },
    ...{ ANTHROPIC_BASE_URL: upstream.url, OPENAI_BASE_URL: `${upstream.url}/v1` },
  };
  const threadfold = [join(root, "packages", "threadfold", "bin", "threadfold.mjs")];
  const run = ["run", "--store", "threads.db", "--budget", String(BUDGET), "--", "sh", "-c", agent.command];
  const child = spawn(process.execPath, [...threadfold, ...run], {
    cwd: place,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = setTimeout(() => child.kill("SIGKILL"), MOST_MINUTES * 60_000);
  const [status, printed, notes] = await Promise.all([
    new Promise((resolve) => child.on("close", resolve)),
    child.stdout.toArray().then((pieces) => pieces.join("")),
    child.stderr.toArray().then((pieces) => pieces.join("")),
  ]);
  clearTimeout(stop);
  upstream.close();
  const folds = Number(/(\d+) folds?/.exec(notes)?.[1] ?? 0);
  const replayed = replaysAll(threadfold, place, env);
  const problems = problemsOf({ status, printed, figures: { folds }, replayed, requests: upstream.requests });
  if (problems.length > 0) writeFileSync(join(place, "printed.txt"), `${printed}\n${notes}`);
  return { problems, folds, calls: upstream.requests.length };
}

function replaysAll(threadfold, place, env) {
  const ask = (...args) => spawnSync(process.execPath, [...threadfold, ...args], { cwd: place, env, encoding: "utf8" });
  const threads = ask("threads", "--store", "threads.db", "--quiet").stdout.split("\n").filter(Boolean);
  return threads.length > 0 && threads.every((id) => ask("replay", id, "--store", "threads.db").status === 0);
}

const [wanted = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "threadfold-agents-"));
const agents = AGENTS.filter(({ name }) => name.includes(wanted));
writeFileSync(join(folder, "package.json"), '{ "private": true }');
const { status, stderr } = spawnSync(
  "npm",
  ["install", "--no-audit", "--no-fund", ...agents.map((agent) => agent.package)],
  { cwd: folder, env: npmEnvironment({}), encoding: "utf8" },
);
if (status !== 0) throw new Error(`npm could not install the agents:\n${stderr}`);
let failed = 0;
for (const agent of agents) {
  const { problems, folds, calls } = await tryAgent(agent, folder);
  if (problems.length > 0) failed++;
  const end = problems.length === 0 ? `${calls} calls, ${folds} folds` : problems.join("; ");
  console.log(`${problems.length === 0 ? "ok     " : "FAILED "} ${agent.package}  ${end}`);
}
if (failed === 0) rmSync(folder, { recursive: true });
else console.log(`The folder is ${folder}.`);
process.exitCode = failed === 0 ? 0 : 1;
