import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import {
  afterReported,
  asMessageId,
  asThreadId,
  type CacheBill,
  type MessageInput,
  unreported,
} from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import type { InspectionIndex } from "@threadfold/inspection";
import { ContextSession } from "@threadfold/session";
import type { PolicyFigures } from "@threadfold/simulation";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

/** A secret by its form, and what would move a terminal's cursor. */
const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const ESCAPE = "\u001b[2J";

const LOG = [
  { role: "user", content: `Never touch package-lock.json. The token is ${SECRET}.` },
  { role: "assistant", content: `I read it. ${ESCAPE}` },
  { role: "user", content: "Go on." },
  { role: "assistant", content: "Done." },
];

const log = (): string => bench.file("session.json", JSON.stringify({ messages: LOG }));

/** A store with the session in it; the id of its thread. */
async function stored(): Promise<string> {
  const { data } = await compact([log(), "--store", bench.store, "--budget", "20000"]);
  return data.threadId;
}

/** A thread whose only fold a hook vetoed; its id. */
async function vetoedThread(): Promise<string> {
  const threadId = asThreadId("guarded");
  const session = await ContextSession.open({
    threadId,
    store: bench.store,
    config: { maxInputTokens: 9_000 },
    onOverBudget: "send",
    hooks: { preCompact: [{ name: "deploy-guard", run: () => ({ veto: "a deployment is running" }) }] },
  });
  const said = (at: number): MessageInput => ({
    ...{ id: asMessageId(`m${at}`), role: at % 2 === 0 ? "user" : "assistant", createdAt: "2026-01-01T00:00:00Z" },
    parts: [{ type: "text", text: `Step ${at}. ${"word ".repeat(600)}` }],
  });
  await session.append(Array.from({ length: 13 }, (_, at) => said(at)));
  await session.prepare();
  await session.close();
  return threadId;
}

/** A thread whose requests take twice as many tokens by the session's counter as by the provider's. */
async function calibratedThread(): Promise<number> {
  const halved = [1_000, 2_000, 4_000, 8_000].reduce(
    (estimate, counted) => afterReported(estimate, { counted, reported: counted / 2 }),
    unreported(),
  );
  const session = await ContextSession.open({
    ...{ threadId: asThreadId("calibrated"), store: bench.store, model: "m", calibration: { m: halved } },
    config: { maxInputTokens: 9_000 },
  });
  await session.append([message("m0", "user", "word ".repeat(14_000))]);
  const { tokens } = await session.prepare();
  await session.close();
  return tokens;
}

async function pageOf(...argv: readonly string[]) {
  const path = bench.path("page.html");
  const run = await captureRun(["inspect", ...argv, "--out", path]);
  const html = run.code === 0 ? readFileSync(path, "utf8") : "";
  const piece = (name: string): string | null => {
    const [, base64] = new RegExp(`id="${name}">([^<]*)<`).exec(html) ?? [];
    return base64 === undefined ? null : gunzipSync(Buffer.from(base64, "base64")).toString();
  };
  return { run, html, piece, index: () => JSON.parse(piece("index") ?? "null") as InspectionIndex };
}

describe("inspect --out", () => {
  it("shows a session of another tool's database, as it does of a file", async () => {
    const path = bench.path("opencode.db");
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE session (id text PRIMARY KEY, title text, time_created integer);
      CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
      CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, data text);
      INSERT INTO session VALUES ('ses_1', 'One', 1), ('ses_2', 'Two', 2);`);
    for (const [message, session, role, text] of [
      ["msg_1", "ses_1", "user", "Look at the first."],
      ["msg_2", "ses_1", "assistant", "I did."],
      ["msg_3", "ses_2", "user", "Look at the second."],
      ["msg_4", "ses_2", "assistant", "I did that as well."],
    ] as const) {
      const data = (fields: object) => JSON.stringify(fields);
      database
        .prepare("INSERT INTO message VALUES (?, ?, 1, ?)")
        .run(message, session, data({ role, time: { created: 1 } }));
      database
        .prepare("INSERT INTO part VALUES (?, ?, ?, 1, ?)")
        .run(message.replace("msg", "prt"), message, session, data({ type: "text", text }));
    }
    database.close();
    const { stdout } = await captureRun(["context", path]);
    expect(stdout).toContain("ses_1: call 1 of 1");
    const { index } = await pageOf(path, "ses_2", "--bodies", "all");
    expect(index().source).toMatchObject({ kind: "file", name: "opencode.db", tool: "opencode" });
    expect(JSON.stringify(index())).toContain("ses_2");
  });

  it("says what a database is that is neither a store nor a tool's", async () => {
    const path = bench.path("state.vscdb");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE ItemTable (key text, value blob); CREATE TABLE cursorDiskKV (key text, value blob);");
    database.close();
    const { code, stderr } = await captureRun(["inspect", path, "--out", bench.path("none.html")]);
    expect(code).toBe(1);
    expect(stderr).toContain("The database has no table of sessions or messages.");
    expect(stderr).toContain("It is a database of Cursor, whose chats cannot be read.");
  });

  it("writes one page of a recorded session, without its secrets and without its raw log", async () => {
    const { run, html, piece, index } = await pageOf(log(), "--bodies", "all");
    expect(run).toMatchObject({ code: 0, stdout: "" });
    expect(html).toContain("default-src 'none'");
    expect(index()).toMatchObject({ source: { kind: "file", simulated: true }, redacted: true, bodies: "all" });
    expect(index().calls.replay).toEqual(["equal", "equal"]);
    const said = ["index", "messages-0", "payloads-0"].map((name) => piece(name) ?? "").join("\n");
    expect(said).toContain("Never touch package-lock.json");
    expect(said).not.toContain(SECRET);
    expect(piece("log")).toBeNull();
  });

  it("has the raw log byte for byte where somebody asks for everything", async () => {
    const { piece } = await pageOf(log(), "--bodies", "all", "--unredacted");
    expect(piece("log")).toBe(readFileSync(log(), "utf8"));
    expect(piece("messages-0")).toContain(SECRET);
  });

  it("has no word of what was said where bodies are left out", async () => {
    const { html, piece, index } = await pageOf(log(), "--bodies", "none");
    expect(index().chunks).toEqual({ messages: [], texts: [], payloads: [] });
    expect(piece("index")).not.toContain("package-lock");
    expect(html).not.toContain('id="messages-0"');
  });

  it("shows of an audit file what the store shows", async () => {
    const threadId = await stored();
    const audit = bench.path("audit.jsonl");
    await captureRun(["audit", "export", threadId, "--store", bench.store, "--out", audit]);
    const [ofStore, ofFile] = [(await pageOf(bench.store)).index(), (await pageOf(audit)).index()];
    expect(ofFile.calls).toEqual(ofStore.calls);
    expect(ofFile.messages).toEqual(ofStore.messages);
    expect(ofFile.integrity.findings).toEqual([]);
    writeFileSync(audit, readFileSync(audit, "utf8").replace("Go on.", "Go off"));
    expect((await pageOf(audit)).index().integrity.findings).toMatchObject([{ family: "file" }]);
  });

  it("shows of an erased thread that it was erased, and nothing else", async () => {
    const threadId = await stored();
    await captureRun(["erase", threadId, "--store", bench.store, "--yes"]);
    const { index } = await pageOf(bench.store, threadId);
    expect(index().erased).toMatchObject({ keyShredded: false });
    expect([index().messages.id, index().calls.sequence, index().records]).toEqual([[], [], []]);
  });

  it("shows of a damaged store what is damaged and where, and what comes before it", async () => {
    const threadId = await stored();
    const database = new DatabaseSync(bench.store);
    database.exec("DROP TRIGGER entries_no_update");
    database.exec("UPDATE entries SET body = replace(body, 'Go on.', 'Go off') WHERE body LIKE '%Go on.%'");
    database.close();
    const { index } = await pageOf(bench.store, threadId);
    expect(index().integrity.findings[0]).toMatchObject({ family: "entries", at: expect.any(Number) });
    expect(index().messages.id.length).toBeLessThan(LOG.length);
  });

  it("leaves out a plan of a damaged store whose version is not its own, and looks for none before it", async () => {
    const { data } = await compact([
      bench.file("long.json", openAiSession(LONG)),
      "--budget",
      "20000",
      "--store",
      bench.store,
    ]);
    const database = new DatabaseSync(bench.store);
    database.exec("DROP TRIGGER plans_no_update");
    const { changes } = database.prepare("UPDATE plans SET version = 9007199254740991").run();
    database.close();
    expect(changes).toBe(1);
    const { index } = await pageOf(bench.store, data.threadId);
    expect(index().integrity.findings.length).toBeGreaterThan(0);
    expect(index().plans.map(({ version, planId }) => [version, planId])).toEqual([[1, ""]]);
  });
});

describe("inspect", () => {
  it("serves the thread to whoever knows the path and comes under the loopback's name", async () => {
    const threadId = await stored();
    const stop = new AbortController();
    const listening = Promise.withResolvers<string>();
    const run = captureRun(["inspect", bench.store, threadId], {
      signal: stop.signal,
      onStderr: (text) => {
        const [url] = /http:\/\/\S+/.exec(text) ?? [];
        if (url !== undefined) listening.resolve(url);
      },
    });
    const url = await listening.promise;
    const index = (await (await fetch(`${url}index`)).json()) as InspectionIndex;
    expect(index.thread.id).toBe(threadId);
    expect(await (await fetch(url)).text()).toContain("connect-src 'self'");
    expect((await fetch(`${url}payloads-0`)).status).toBe(200);
    expect((await fetch(`${url}payloads-99`)).status).toBe(404);
    expect((await fetch(`${url}messages-99`)).status).toBe(404);
    expect((await fetch(new URL("/other/index", url))).status).toBe(404);
    expect((await fetch(`${url}index`, { method: "POST" })).status).toBe(405);
    expect([await statusUnder(url, "127.0.0.1"), await statusUnder(url, "rebound.example")]).toEqual([200, 404]);
    stop.abort();
    expect((await run).code).toBe(0);
  });
});

/** How a request is answered that comes under a name, as one of a page would whose name was made to point here. */
async function statusUnder(url: string, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
    .once("error", reject)
    .end();
  return promise;
}

describe("context", () => {
  it("says of a call what it saw, with control characters spelled out", async () => {
    const { envelope } = await json(["context", "--file", log(), "--call", "2"]);
    const { tokens, shares } = envelope.data as { tokens: number; shares: Record<string, number> };
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBe(tokens);
    const { stdout } = await captureRun(["context", "--file", log()], { isTTY: true });
    expect(stdout).toContain("call 2 of 2");
    expect(stdout).not.toContain(ESCAPE);
  });

  it("says what is wrong with the name of a thread, and not with an option that it does not have", async () => {
    await stored();
    const empty = { code: "USAGE", message: expect.stringMatching(/^The thread is empty;/) };
    for (const argv of [
      ["context", ""],
      ["context", "", "--store", bench.store],
      ["context", "", "--file", log()],
      ["inspect", bench.store, "", "--out", bench.path("p.html")],
    ])
      expect(await json(argv), argv.join(" ")).toMatchObject({ code: 2, envelope: { error: empty } });
    const { error } = (await json(["context", "0", "--file", log()])).envelope;
    expect(error).toMatchObject({ code: "USAGE", message: expect.stringMatching(/^The thread is "0"; it must be/) });
  });

  it("finds a thread of a store by any id, even one that is a number and the position of none in a file", async () => {
    for (const id of ["0", "1.5", "9007199254740993"]) {
      const session = await ContextSession.open({ threadId: asThreadId(id), store: bench.store });
      await session.append([message("m0", "user", "Go on.")]);
      await session.prepare();
      await session.close();
      expect(await json(["context", id, "--store", bench.store]), id).toMatchObject({ code: 0 });
      expect((await pageOf(bench.store, id)).index().thread.id).toBe(id);
    }
  });

  it("looks into a file that stands in the place of a thread, and into the store where one is named", async () => {
    const named = await json(["context", log(), "--call", "2"]);
    expect(named.envelope.data).toEqual((await json(["context", "--file", log(), "--call", "2"])).envelope.data);
    expect(await json(["context", log(), "--store", (await stored()) && bench.store])).toMatchObject({
      envelope: { error: { code: "THREAD_NOT_FOUND" } },
    });
  });

  it("says of a name that is neither a file's nor a thread's that no such file exists", async () => {
    const refused = async (argv: readonly string[], env = {}) => (await json(["context", ...argv], { env })).envelope;
    const env = { THREADFOLD_STORE: bench.store };
    const missing = bench.path("sesion.jsonl");
    const noStore = {
      code: "UNREADABLE_SOURCE",
      message: `There is no file ${missing}, and no store threadfold.db with a thread of that id.`,
      hint: "Check the path of the file, or name the store of the thread with --store or THREADFOLD_STORE.",
    };
    expect(await json(["context", missing])).toMatchObject({ code: 5, envelope: { error: noStore } });
    expect((await refused([missing], env)).error?.message).toBe(
      `There is no file ${missing}, and no store ${bench.store} with a thread of that id.`,
    );
    const threadId = await stored();
    expect((await refused([missing], env)).error).toMatchObject({
      code: "THREAD_NOT_FOUND",
      message: `There is no file ${missing}. There is no thread ${missing} in this store.`,
      hint: `The store holds ${threadId}.`,
    });
    expect((await refused([bench.root], env)).error?.message).toMatch(/ is a folder\. There is no thread /);
    expect((await refused(["x".repeat(300)], env)).error).toMatchObject({
      code: "THREAD_NOT_FOUND",
      message: expect.stringMatching(/^There is no file x/),
    });
    expect((await refused([missing, "--store", bench.store])).error?.message).toMatch(/^There is no thread /);
    expect((await refused([missing, "--store", missing])).error).toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect((await refused([])).error).toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: "There is no store threadfold.db.",
    });
  });

  it("says what the store has where there is no such thread, or are several, or no call of it was recorded", async () => {
    const imported = async (name: string) => {
      const file = bench.file(name, JSON.stringify([{ role: "user", content: `Look at ${name}.` }]));
      const { envelope } = await json(["import", file, "--store", bench.store]);
      return (envelope.data as { threadId: string }).threadId;
    };
    const ids = [await imported("a.json"), await imported("b.json")];
    const shared =
      ids[0]?.slice(
        0,
        [...(ids[0] ?? "")].findIndex((letter, at) => letter !== ids[1]?.[at]),
      ) ?? "";
    for (const argv of [["context"], ["inspect", bench.store]]) {
      const refused = async (id: string) =>
        (
          await json(
            argv[0] === "context"
              ? [...argv, id, "--store", bench.store]
              : [...argv, id, "--out", bench.path("p.html")],
          )
        ).envelope.error;
      for (const id of ids) expect((await refused("nope"))?.hint, argv[0]).toContain(id);
      if (shared !== "")
        expect(await refused(shared), argv[0]).toMatchObject({
          code: "THREAD_NOT_FOUND",
          message: expect.stringMatching(/^2 threads begin with/),
        });
    }
    const { error } = (await json(["context", ids[0] ?? "", "--store", bench.store])).envelope;
    expect(error).toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("was recorded"),
      hint: expect.stringContaining("journal"),
    });
  });

  it("says of a fold that was vetoed who said no and why, as explain and the page do", async () => {
    const threadId = await vetoedThread();
    const at = ["--store", bench.store];
    const veto = { hook: "deploy-guard", reason: "a deployment is running" };
    const { envelope } = await json(["context", threadId, ...at]);
    expect(envelope.data).toMatchObject({ notFolded: [{ outcome: "vetoed", veto }] });
    expect((await captureRun(["context", threadId, ...at], { isTTY: true })).stdout).toContain(
      "vetoed by deploy-guard: a deployment is running",
    );
    expect((await json(["explain", threadId, "m0", ...at])).envelope.data).toMatchObject({ vetoes: [veto] });
    const { stdout } = await captureRun(["explain", threadId, "m0", ...at], { isTTY: true });
    expect(stdout).toMatch(
      /Why it is not folded.*1 fold due under this plan.*deploy-guard:\s+a\s+deployment\s+is\s+running/s,
    );
    const { index } = await pageOf(bench.store, threadId);
    expect(index().attempts).toMatchObject([{ outcome: "vetoed", veto, call: -1 }]);
    const { html, index: without } = await pageOf(bench.store, threadId, "--bodies", "none");
    expect(without().attempts).toMatchObject([{ veto: { hook: "deploy-guard", reason: "" } }]);
    expect(html).not.toContain("a deployment is running");
  });

  it("says how much room there was in the tokens that the limit is in", async () => {
    const estimated = await calibratedThread();
    const at = ["context", "calibrated", "--store", bench.store];
    const { data } = (await json(at)).envelope;
    const { tokens, limit } = data as { tokens: number; limit: number };
    expect(data).toMatchObject({ estimated });
    expect(estimated).toBeLessThan(limit);
    expect(tokens).toBeGreaterThan(limit);
    const [whole, most, free] = [estimated, limit, limit - estimated].map((figure) => figure.toLocaleString("en"));
    const { stdout } = await captureRun(at, { isTTY: true });
    expect(stdout).toMatch(new RegExp(`as the provider counts\\s+${whole} *\n +free\\s+${free}\\s+of ${most}\n`));
  });

  it("refuses a call that there is not", async () => {
    expect(await json(["context", "--file", log(), "--call", "3"])).toMatchObject({
      code: 2,
      envelope: { error: { code: "USAGE", hint: "Its calls are 1 to 2." } },
    });
  });
});

describe("--budget", () => {
  it("gives a recorded session the same room in every command, and folds it where compact does", async () => {
    const session = bench.file("long.json", openAiSession(LONG));
    const whole = (await compact([session, "--budget", "1m"])).data.tokens.before;
    const planOf = async (budget: string) => {
      const { tokens, limit, planVersion } = (await json(["context", session, "--budget", budget])).envelope
        .data as Record<"tokens" | "limit" | "planVersion", number>;
      return { tokens, limit, isFolded: planVersion > 0 };
    };
    for (const share of [1.05, 1.3, 1.5, 3]) {
      const budget = String(Math.ceil(whole * share));
      const { data } = await compact([session, "--budget", budget]);
      const { limit, isFolded } = await planOf(budget);
      expect(isFolded, budget).toBe(data.outcome === "committed");
      expect(limit).toBeGreaterThan(0.99 * Number(budget));
    }
  });
});

describe("inspect --presets", () => {
  it("says of every preset what simulate says of it", async () => {
    const session = bench.file("long.json", openAiSession(LONG));
    const { index } = await pageOf(session, "--presets", "--budget", "10k");
    const { data } = (await json(["simulate", session, "--budget", "10k"])).envelope;
    const { policies, baselines } = data as { policies: readonly PolicyFigures[]; baselines: readonly PolicyFigures[] };
    expect(index().comparison?.policies).toMatchObject(
      [...policies, ...baselines].map(({ policy, bill, coldRecall }) => ({
        ...{ policy, bill: bill.a, remembered: coldRecall.direct },
      })),
    );
  });
});

describe("what a thread cost", () => {
  it("is never left out for a model without a price: the model is refused, by every command that takes one", async () => {
    const threadId = await stored();
    const at = ["--store", bench.store];
    for (const argv of [
      ["context", threadId, ...at],
      ["context", log()],
      ["inspect", bench.store, "--out", bench.path("p.html")],
      ["bill", threadId, ...at],
      ["costs", ...at],
      ["simulate", log(), "--budget", "10k"],
    ]) {
      const { error } = (await json([...argv, "--model", "claude-sonet-5"])).envelope;
      expect(error, argv[0]).toMatchObject({
        code: "USAGE",
        message: 'The price of "claude-sonet-5", which --model names, is not known.',
        hint: expect.stringContaining("Did you mean claude-sonnet-5? threadfold models"),
      });
    }
    const { error } = (await json(["context", log(), "--model", "nope"])).envelope;
    expect(error?.hint).toMatch(/^threadfold models/);
    expect((await json(["context", log(), "--model", "us.anthropic.claude-sonnet-5-v1"])).envelope.data).toMatchObject({
      input: { dollars: expect.any(Number) },
    });
  });

  it("is the same on the page, in the bill, and in what context says of each call", async () => {
    const session = bench.file("long.json", openAiSession(LONG));
    const { data } = await compact([session, "--budget", "20000", "--store", bench.store]);
    const priced = ["--store", bench.store, "--model", "claude-sonnet-5"];
    const bill = (await json(["bill", data.threadId, ...priced])).envelope.data as CacheBill & { threadId: string };
    const index = (await pageOf(bench.store, data.threadId, "--model", "claude-sonnet-5")).index();
    const { threadId: _threadId, calls, ...sums } = bill;
    expect(index.bill).toMatchObject(sums);
    expect(index.calls.dollars).toEqual(calls.map(({ dollars }) => dollars));
    const inputs: { readonly cached: number; readonly cost: number; readonly dollars: number }[] = [];
    for (const call of calls.keys()) {
      const said = await json(["context", data.threadId, "--call", String(call + 1), ...priced]);
      inputs.push((said.envelope.data as { input: (typeof inputs)[number] }).input);
    }
    const sum = (of: (input: (typeof inputs)[number]) => number): number =>
      inputs.reduce((all, input) => all + of(input), 0);
    expect(inputs.length).toBeGreaterThan(0);
    const newest = ["context", data.threadId, "--store", bench.store];
    const { tokens, limit } = (await json(newest)).envelope.data as { tokens: number; limit: number };
    expect(limit).toBeLessThanOrEqual(20_000);
    expect((await captureRun(newest, { isTTY: true })).stdout).toMatch(
      new RegExp(`free\\s+${(limit - tokens).toLocaleString("en")}\\s+of ${limit.toLocaleString("en")}\n`),
    );
    expect(sum(({ cached }) => cached)).toBe(bill.totals.readTokens);
    expect(sum(({ cost }) => cost)).toBeCloseTo(bill.totals.bill);
    expect(sum(({ dollars }) => dollars)).toBeCloseTo(bill.totals.dollars ?? Number.NaN, 8);
  });
});
