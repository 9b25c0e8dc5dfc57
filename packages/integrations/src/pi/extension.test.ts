import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CompactionEntry,
  createAgentSession,
  DefaultResourceLoader,
  type ExtensionFactory,
  ModelRuntime,
  SessionManager,
  SettingsManager,
} from "@earendil-works/pi-coding-agent";
import { asThreadId } from "@threadfold/core";
import { ContextSession } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import example from "../examples/pi.ts";
import { EXAMPLE_SESSION } from "../testing/sessions.ts";
import { type PiProblem, threadfoldExtension } from "./extension.ts";
import installed from "./pi-extension.ts";

const RULE = "Never edit config/production.yaml without asking me first.";
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-pi-host-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** pi itself, on a copy of a recorded session, with an extension. No model can be reached. */
async function openPi(name: string, extension: ExtensionFactory) {
  const path = join(folder, `${name}.jsonl`);
  copyFileSync(EXAMPLE_SESSION, path);
  const modelRuntime = await ModelRuntime.create({ authPath: join(folder, "auth.json"), modelsPath: null });
  await modelRuntime.setRuntimeApiKey("anthropic", "none");
  const settingsManager = SettingsManager.inMemory({
    compaction: { enabled: true, keepRecentTokens: 4_000 },
    retry: { enabled: false },
  });
  const resourceLoader = new DefaultResourceLoader({
    cwd: folder,
    agentDir: folder,
    settingsManager,
    extensionFactories: [extension],
  });
  await resourceLoader.reload();
  const { session } = await createAgentSession({
    cwd: folder,
    agentDir: folder,
    modelRuntime,
    settingsManager,
    resourceLoader,
    sessionManager: SessionManager.open(path, folder, folder),
    model: {
      ...{ id: "unreachable", name: "unreachable", api: "anthropic-messages", provider: "anthropic" },
      ...{ baseUrl: "http://127.0.0.1:9", reasoning: false, input: ["text"], cost: NO_COST },
      ...{ contextWindow: 200_000, maxTokens: 4_000 },
    },
  });
  return { pi: session, path };
}

/** What the user asked for at the beginning, as a summary has it. */
const taskIn = (summary: string): string => summary.split("\n").find((line) => line.startsWith("- ")) ?? "none";

const say = (pi: { readonly sessionManager: SessionManager }, text: string): string =>
  pi.sessionManager.appendMessage({ role: "user", content: text, timestamp: Date.now() });

describe("a pi compaction supplied by Threadfold", () => {
  it("is written and shown by pi, and keeps the messages that pi wanted to keep", async () => {
    const { pi, path } = await openPi("supplied", threadfoldExtension());
    say(pi, RULE);
    const source = readFileSync(path, "utf8");
    const before = pi.sessionManager.buildSessionContext().messages.length;
    const { summary, firstKeptEntryId } = await pi.compact("Mind the open questions.");
    const text = readFileSync(path, "utf8");
    expect(text.startsWith(source)).toBe(true);
    const entry = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as CompactionEntry;
    expect(entry).toMatchObject({ type: "compaction", fromHook: true, summary, firstKeptEntryId });
    expect(entry.details).toMatchObject({ threadfold: { planVersion: 1 } });
    const [first, ...kept] = SessionManager.open(path, folder, folder).buildSessionContext().messages;
    expect(first).toMatchObject({ role: "compactionSummary", summary });
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(before / 2);
    expect(kept.at(-1)).toMatchObject({ role: "user", content: RULE });
    pi.dispose();
  });

  it("extends its summary the next time, and keeps pins in it word for word", async () => {
    const store = createMemoryStore();
    const { pi } = await openPi("twice", threadfoldExtension({ store }));
    say(pi, RULE);
    const { summary: former } = await pi.compact();
    for (let turn = 0; turn < 12; turn++) say(pi, `Note ${turn}: ${"the quick brown fox ".repeat(150)}`);
    const { summary, firstKeptEntryId } = await pi.compact();
    expect(summary).toContain(RULE);
    expect(summary).not.toBe(former);
    expect(summary).toContain(taskIn(former));
    const branch = pi.sessionManager.getBranch();
    expect(branch.some(({ id }) => id === firstKeptEntryId)).toBe(true);
    const threadId = asThreadId(pi.sessionManager.getSessionId());
    const session = await ContextSession.open({ threadId, store });
    expect(session.plan.version).toBe(2);
    expect([...session.thread.messages].some(({ origin }) => origin === "compaction")).toBe(false);
    pi.dispose();
  });

  it("uses a separate thread for another branch of the session", async () => {
    const store = createMemoryStore();
    const { pi } = await openPi("branched", threadfoldExtension({ store }));
    await pi.compact();
    const place = pi.sessionManager.getBranch().findLast(({ type }) => type === "message");
    pi.sessionManager.branch(place?.parentId ?? "");
    const parting = say(pi, `Another way. ${RULE}`);
    for (let turn = 0; turn < 12; turn++) say(pi, `Note ${turn}: ${"the quick brown fox ".repeat(150)}`);
    const { summary } = await pi.compact();
    expect(summary).toContain(RULE);
    const name = pi.sessionManager.getSessionId();
    const threads = await Promise.all(
      [name, `${name}~${parting}`].map((id) => ContextSession.open({ threadId: asThreadId(id), store })),
    );
    expect(threads.map(({ plan }) => plan.version)).toEqual([1, 1]);
    expect(threads.map(({ thread }) => [...thread.messages].some(({ id }) => id === parting))).toEqual([false, true]);
    pi.dispose();
  });

  it("is cancelled by a hook's veto", async () => {
    const veto = { name: "no", run: () => ({ veto: "not now" }) };
    const { pi, path } = await openPi("vetoed", threadfoldExtension({ hooks: { preCompact: [veto] } }));
    const source = readFileSync(path, "utf8");
    await expect(pi.compact()).rejects.toThrow("Compaction cancelled");
    expect(readFileSync(path, "utf8")).toBe(source);
    pi.dispose();
  });

  it("falls back to pi's own compaction when there is no fold, and reports why", async () => {
    const problems: PiProblem[] = [];
    const extension = threadfoldExtension({ compaction: false, onProblem: (problem) => problems.push(problem) });
    const { pi } = await openPi("disabled", extension);
    const own = pi.compact();
    await expect(own).rejects.toThrow();
    expect(problems).toMatchObject([{ kind: "no-fold", outcome: { type: "disabled" } }]);
    pi.dispose();
  });

  it.each([
    ["the example", example],
    ["the extension that `pi install` brings", installed],
  ])("also works from %s", async (name, extension) => {
    const { pi } = await openPi(name, extension);
    expect((await pi.compact()).details).toMatchObject({ threadfold: { planVersion: 1 } });
    pi.dispose();
  });

  it("gives the model tools to find what was compacted away", async () => {
    const { pi } = await openPi("tools", threadfoldExtension());
    say(pi, "By the way: the ledger of staging listens on port 54329.");
    for (let turn = 0; turn < 12; turn++) say(pi, `Note ${turn}: ${"the quick brown fox ".repeat(150)}`);
    await pi.compact();
    const tools = new Map(pi.agent.state.tools.map((tool) => [tool.name, tool]));
    const found = await tools.get("search_thread")?.execute("call_1", { query: "ledger staging port" });
    expect(found?.content).toMatchObject([{ type: "text", text: expect.stringContaining("54329") }]);
    const missing = await tools.get("read_artifact")?.execute("call_2", { artifact_id: "artifact_0123456789abcdef" });
    expect(missing?.content).toMatchObject([{ text: expect.stringContaining("There is no artifact") }]);
    pi.dispose();
  });
});
