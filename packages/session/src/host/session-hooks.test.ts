import {
  asArtifactId,
  type CompactionCause,
  type ContextCompactionEvent,
  planRecords,
  type Summarizer,
} from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, eraseSubject } from "@threadfold/stores";
import { summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { describe, expect, it } from "vitest";
import { openSession, threadId, work } from "../testing/agent-work.ts";
import { watchedStore } from "../testing/watched-store.ts";
import type { PreCompactHook, SessionHooks } from "./session-hooks.ts";
import type { SessionOptions } from "./session-options.ts";

const config = { maxInputTokens: 10_000 };
const preset = { ...threadfoldPreset, ladder: [summarizeStrategy] };
const talk = [message("u0", "user", "Build it."), ...work(0, 12, 900)];

/** A session that is due for a fold, with what it tells. */
async function due(hooks: SessionHooks, options: Partial<SessionOptions> = {}) {
  const heard: ContextCompactionEvent[] = [];
  const session = await openSession({ config, preset, hooks, onEvent: (event) => heard.push(event), ...options });
  await session.append(talk);
  return { session, heard };
}
const hook = (name: string, run: PreCompactHook["run"], matcher?: PreCompactHook["matcher"]): PreCompactHook => ({
  name,
  run,
  ...(matcher !== undefined && { matcher }),
});

describe("pre-compact hooks", () => {
  it("L14 goat-9 only hooks that match manual, auto or reactive are called, and only when a fold is due", async () => {
    const called: string[] = [];
    const note = (matcher?: PreCompactHook["matcher"]) =>
      hook(String(matcher), ({ cause }) => void called.push(`${String(matcher)}: ${cause}`), matcher);
    const causes: readonly CompactionCause[] = ["manual", "auto", "reactive"];
    const { session } = await due({ preCompact: [...causes.map(note), note(["manual", "reactive"]), note()] });
    await session.prepare();
    expect(called.splice(0)).toEqual(["auto: auto", "undefined: auto"]);
    await session.prepare();
    expect(called.splice(0)).toEqual([]);
    await session.append(work(12, 15, 900));
    await session.compact({ force: true });
    expect(called.splice(0)).toEqual(["manual: manual", "manual,reactive: manual", "undefined: manual"]);
    await session.append(work(15, 17, 900));
    await session.prepare();
    await session.failed("prompt is too long");
    await session.prepare();
    expect(called.splice(0)).toEqual(["reactive: reactive", "manual,reactive: reactive", "undefined: reactive"]);
  });

  it("L14 L21 a hook can veto a fold: the outcome names it, and later hooks are not asked", async () => {
    const asked: string[] = [];
    const { session } = await due(
      {
        preCompact: [
          hook("guard", () => ({ veto: "a deployment is running" })),
          hook("later", () => void asked.push("later")),
        ],
      },
      { config: { maxInputTokens: 11_300 } },
    );
    const prepared = await session.prepare();
    expect(prepared.outcome).toMatchObject({ type: "vetoed", hook: "guard", reason: "a deployment is running" });
    expect(prepared.plan.version).toBe(0);
    expect(asked).toEqual([]);
  });

  it("L14 a veto is journaled with the hook's name, and its reason goes when the thread is erased", async () => {
    const store = createMemoryStore();
    const { session } = await due(
      { preCompact: [hook("guard", () => ({ veto: "a deployment of Ann's is running" }))] },
      { config: { maxInputTokens: 11_300 }, store },
    );
    const { tokens } = await session.prepare();
    const vetoes = async () =>
      (await store.journal.read(threadId)).flatMap(({ record }) => (record.type === "fold-vetoed" ? [record] : []));
    const [veto] = await vetoes();
    expect(veto).toMatchObject({ hook: "guard", planVersion: 0, threadVersion: session.thread.version, tokens });
    const reason = asArtifactId(veto?.reason ?? "");
    expect((await store.artifacts.retrieve(reason))?.content).toBe("a deployment of Ann's is running");
    expect(JSON.stringify(await store.journal.read(threadId))).not.toContain("Ann");
    await eraseSubject(store, threadId, { actor: "test", reason: "user-request", at: "2026-01-01T00:00:00.000Z" });
    expect(await store.artifacts.retrieve(reason).catch(() => null)).toBeNull();
    expect(await vetoes()).toHaveLength(1);
  });

  it("L19 a veto of a reactive fold causes no loop", async () => {
    const { session } = await due({ preCompact: [hook("guard", () => ({ veto: "no" }), "reactive")] });
    await session.prepare();
    await session.append(work(12, 14, 900));
    await session.prepare();
    expect((await session.failed("prompt is too long")).retry).toBe(true);
    expect((await session.prepare()).outcome?.type).toBe("vetoed");
    expect((await session.failed("prompt is too long")).retry).toBe(false);
  });

  it("L21 a hook can provide the summary, as text or as a function; the last one counts", async () => {
    const facts = (text: string) => hook(text, () => ({ summary: text }));
    const own: PreCompactHook = hook("own", () => ({
      summary: async ({ span }) => ({
        changes: [
          { op: "add", section: "facts", item: { text: "Said by a function.", sources: [...span.messageIds] } },
        ],
      }),
    }));
    const byText = await due({ preCompact: [own, facts("Steps 0 to 9 were made.\n\nAll of them are green.")] });
    const { plan, payloadText, violations } = await byText.session.prepare();
    expect(violations).toEqual([]);
    expect(payloadText).toContain("Steps 0 to 9 were made.");
    expect(payloadText).toContain("All of them are green.");
    expect(payloadText).not.toContain("Said by a function.");
    expect(plan.summarizations[0]?.summarizer).toContain("hook:");
    const byFunction = await due({ preCompact: [facts("A text."), own] });
    expect((await byFunction.session.prepare()).payloadText).toContain("Said by a function.");
  });

  it("add pins and instructions, in order, before anything is folded", async () => {
    const seen: (string | undefined)[] = [];
    const summarizer: Summarizer = {
      id: "listening@1",
      summarize: (request) => {
        seen.push(request.instructions);
        return new ExtractiveSummarizer().summarize(request);
      },
    };
    const hooks: SessionHooks = {
      preCompact: [
        hook("first", () => ({ instructions: "Keep the numbers.", pins: [{ text: "Deploys are on Tuesdays." }] })),
        hook("second", () => ({
          instructions: "Keep the names.",
          pins: [{ text: "Ask first.", authority: "system" }],
        })),
      ],
    };
    const { session } = await due(hooks, { summarizer });
    await session.compact({ force: true, instructions: "Keep the TODOs." });
    expect(new Set(seen)).toEqual(new Set(["Keep the TODOs.\nKeep the numbers.\nKeep the names."]));
    const { payloadText, missingPins } = await session.prepare();
    expect(missingPins).toEqual([]);
    expect(payloadText).toContain("Deploys are on Tuesdays.");
    expect(session.thread.livePins.map(({ authority }) => authority)).toEqual(["operator", "system"]);
  });

  it("L21 a hook that throws, returns nonsense or never ends is reported, and the fold goes on", async () => {
    const { session, heard } = await due({
      timeoutMilliseconds: 20,
      preCompact: [
        hook("throws", () => {
          throw new Error("secret of the host");
        }),
        hook("nonsense", () => ({ summary: 7 }) as never),
        hook("blank", () => ({ pins: [{ text: " " }] })),
        hook("endless", () => new Promise(() => undefined)),
      ],
    });
    expect((await session.prepare()).outcome?.type).toBe("committed");
    const failures = heard.filter(({ type }) => type === "compaction_hook_failed");
    expect(failures).toMatchObject(
      ["throws", "nonsense", "blank", "endless"].map((name) => ({ hook: name, moment: "pre-compact" })),
    );
    expect(JSON.stringify(failures)).not.toContain("secret of the host");
  });

  it("L15 a hook is called once per fold, however often the commit is tried, and what it saves stays in the store alone", async () => {
    const inner = createMemoryStore();
    const rival = await openSession({ store: inner, config, preset });
    await rival.append(talk);
    let commits = 0;
    const store = watchedStore(inner, {
      before: async (call) => {
        if (call === "plans.commitPlan" && commits++ < 2) await rival.compact({ force: true });
      },
    });
    let asked = 0;
    const notes = "What I must not forget: the port is 4217.";
    const saveNotes = hook("save-notes", async () => {
      asked++;
      await store.artifacts.store(notes, {
        threadId,
        tenantId: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        ttlSeconds: null,
        sensitivity: "internal",
        mediaType: "text/plain",
      });
      throw new Error("the model gave no answer");
    });
    const session = await openSession({ store, config, preset, hooks: { preCompact: [saveNotes] } });
    const prepared = await session.prepare();
    expect(asked).toBe(1);
    expect(commits).toBeGreaterThan(0);
    expect(commits).toBeLessThanOrEqual(4);
    expect(prepared.payloadText).not.toContain("4217");
    const kept = await Promise.all((await inner.artifacts.list(threadId)).map((id) => inner.artifacts.retrieve(id)));
    expect(kept.map((artifact) => artifact?.content)).toContain(notes);
  });
});

describe("hooks after a commit", () => {
  it("goat-10 goat-11 run in order with what was committed: post-compact, session-start with source compact, boundary", async () => {
    const seen: string[] = [];
    const { session } = await due({
      postCompact: [
        {
          name: "post",
          run: ({ outcome, plan }) => void seen.push(`post ${outcome.type} ${plan.version}`),
        },
      ],
      sessionStart: [
        {
          name: "start",
          run: ({ source, cause }) => {
            seen.push(`start ${source} ${cause}`);
            return { messages: [{ ...message("reminder", "user", "Mind the style guide."), origin: "harness" }] };
          },
        },
      ],
      boundary: [{ name: "boundary", run: ({ text }) => void seen.push(text) }],
    });
    const prepared = await session.prepare();
    expect(seen.slice(0, 2)).toEqual(["post committed 1", "start compact auto"]);
    expect(seen[2]).toMatch(/^Context compacted: \d+k → [\d.]+k tokens/);
    expect(prepared.payloadText).toContain("Mind the style guide.");
    expect(planRecords(prepared.plan).flatMap(({ span }) => span.messageIds)).not.toContain("reminder");
    await session.prepare();
    expect(seen).toHaveLength(3);
  });

  it("never undo the commit by throwing", async () => {
    const fail = () => {
      throw new Error("no");
    };
    const { session, heard } = await due({
      postCompact: [{ name: "p", run: fail }],
      sessionStart: [{ name: "s", run: fail }],
      boundary: [{ name: "b", run: fail }],
    });
    expect((await session.prepare()).outcome?.type).toBe("committed");
    const failures = heard.filter(({ type }) => type === "compaction_hook_failed");
    expect(failures).toMatchObject([{ moment: "post-compact" }, { moment: "session-start" }, { moment: "boundary" }]);
  });
});
