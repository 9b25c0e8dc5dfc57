import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import { canonicalJson, type MessageInput } from "@threadfold/core";
import { assistant, call, message, patience, result, tool } from "@threadfold/core/laws";
import { connectPostgres } from "@threadfold/stores/postgres";
import { ContextSession } from "threadfold";
import { beforeAll, describe, expect, it } from "vitest";
import { freePorts, startEngines } from "./engines.ts";
import { ANSWER, pagePrograms, startModel } from "./page-programs.ts";
import { TEMPORAL_ENGINE } from "./temporal-engine.ts";
import { temporalHistory } from "./temporal-history.ts";

const QUESTION = "Is all in order?";
const TOLD = "The harbour ledger begins on page one.";

/** Work that is far more than any window, so that the first request folds. */
const WORK: readonly MessageInput[] = [
  message("u0", "user", "Read the ledger."),
  ...Array.from({ length: 120 }, (_, step) => [
    assistant(`a${step}`, call(`call_${step}`, "read", { page: step })),
    tool(`t${step}`, result(`call_${step}`, `${TOLD} ${`entry ${step} `.repeat(5_000)}`, { toolName: "read" })),
  ]).flat(),
];

/** What was kept, with what is encoded in it beside itself, so that words cannot hide in it. */
const readable = (kept: string): string =>
  [kept, ...(kept.match(/[A-Za-z0-9+/]{40,}={0,2}/g) ?? []).map((part) => `${Buffer.from(part, "base64")}`)]
    .concat((kept.match(/(?:[0-9a-f]{2}){40,}/g) ?? []).map((part) => `${Buffer.from(part, "hex")}`))
    .join("\n");

type Environment = Readonly<Record<string, string>>;

/** An engine with the programs of its page. */
interface Engine {
  readonly page: string;
  readonly program: string;
  /** Where its page keeps threads. */
  store(folder: string, environment: Environment): string;
  /** All that it keeps of a workflow, as text. */
  history(folder: string, environment: Environment): Promise<string>;
}

const ENGINES: readonly Engine[] = [
  {
    page: "temporal.md",
    program: "temporal-engine.mjs",
    store: (folder) => join(folder, "temporal.db"),
    history: async (folder) => readFileSync(join(folder, "temporal-history.json"), "utf8"),
  },
  {
    page: "dbos.md",
    program: "dbos.ts",
    store: (_, { DBOS_SYSTEM_DATABASE_URL = "" }) => DBOS_SYSTEM_DATABASE_URL,
    history: async (_, { DBOS_SYSTEM_DATABASE_URL = "" }) => {
      const driver = connectPostgres(DBOS_SYSTEM_DATABASE_URL, { maxConnections: 1 });
      const tables = ["workflow_status", "workflow_input", "workflow_output", "operation_outputs"];
      const rows = await Promise.all(tables.map((table) => driver.query(`SELECT * FROM dbos.${table}`, [])));
      await driver.close();
      return JSON.stringify(rows);
    },
  },
  {
    page: "restate.md",
    program: "restate.ts",
    store: (folder) => join(folder, "restate.db"),
    history: async (_, { RESTATE_ADMIN = "" }) => {
      const response = await fetch(`${RESTATE_ADMIN}/query`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ query: "SELECT * FROM sys_journal" }),
      });
      return response.text();
    },
  },
];

let absent: ReadonlyMap<string, string>;

beforeAll(async () => {
  const engines = await startEngines();
  absent = engines.absent;
  await engines.close();
}, patience(60_000));

/** The programs of a page beside a thread that is too long, with engines and a provider that nobody else uses. */
async function startWith({ page, store }: Engine) {
  const engines = await startEngines();
  const model = await startModel();
  const programs = pagePrograms(page);
  writeFileSync(join(programs.folder, "temporal-engine.mjs"), TEMPORAL_ENGINE);
  const [port] = await freePorts(1);
  const environment = { ...engines.environment, ...model.environment, PORT: `${port}` };
  const address = store(programs.folder, environment);
  const session = await ContextSession.open({ threadId: "review", store: address });
  await session.append(WORK);
  await session.close();
  return {
    ...{ programs, model, environment, address },
    async [Symbol.asyncDispose]() {
      model.close();
      await engines.close();
      programs.close();
    },
  };
}

describe.each(ENGINES)("docs/hosts/$page", { timeout: patience(120_000) }, (engine) => {
  const { page, program, history } = engine;

  it.for([
    { place: "prepare", requests: 1 },
    { place: "answer", requests: 2 },
    { place: "complete", requests: 1 },
  ])("killed after $place, sends the same bytes and appends nothing twice", async ({ place, requests }, { skip }) => {
    skip(absent.has(page), absent.get(page));
    await using started = await startWith(engine);
    const { programs, model, environment } = started;
    const killed = await programs.run(program, { ...environment, DIE_AFTER: place });
    expect(killed.signal, killed.output).toBe("SIGKILL");
    const ended = await programs.run(program, environment);
    expect(ended, ended.output).toMatchObject({ code: 0, signal: null });
    expect(model.requests).toHaveLength(requests);
    expect(new Set(model.requests).size).toBe(1);

    const [body] = model.requests;
    const { model: _model, max_tokens: _tokens, stream: _stream, ...payload } = JSON.parse(body ?? "");
    const digest = createHash("sha256").update(canonicalJson(payload)).digest("hex");
    expect(ended.output).toContain(digest);
    const session = await ContextSession.open({ threadId: "review", store: started.address });
    await session.loadHistory();
    expect(session.thread.messagesBetween(WORK.length).map(({ parts }) => parts)).toEqual([
      [{ type: "text", text: QUESTION }],
      [{ type: "text", text: ANSWER }],
    ]);
    expect(session.plan.version).toBe(1);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    await session.close();
    const kept = await history(programs.folder, environment);
    expect(readable(kept)).toContain(digest);
    for (const words of [QUESTION, ANSWER, TOLD]) expect(readable(kept)).not.toContain(words);
  });
});

/** A workflow of the page that ran to its end, as Temporal's server would have it. */
const ran = (second: string) => {
  const reference = { threadId: "review", planVersion: 1, digest: "0".repeat(64) };
  return temporalHistory(
    "turn",
    "review",
    [
      { name: "prepare", result: reference },
      { name: second, result: null },
    ],
    reference,
  );
};

it("docs/hosts/temporal.md has a workflow that Temporal's replayer finds to be the one of its history", {
  timeout: patience(120_000),
}, async () => {
  Runtime.install({ logger: new DefaultLogger("ERROR") });
  const programs = pagePrograms("temporal.md");
  const options = { workflowsPath: join(programs.folder, "temporal-workflow.ts") };
  await Worker.runReplayHistory(options, ran("ask"), "question-1");
  await expect(Worker.runReplayHistory(options, ran("tell"), "question-1")).rejects.toThrow(/ask/);
  programs.close();
});
