import { ThreadfoldError, type ToolDefinition } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import type { ContextSession } from "@threadfold/session";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { ScriptedDoor } from "../testing/provider-doors.ts";
import { SCRIPTED_DOORS } from "../testing/scripted-doors.ts";
import { sessionIn } from "../testing/sessions.ts";
import { currentSession } from "./divergence.ts";
import type { RequestNotes } from "./session-turn.ts";

const tool = (name: string): ToolDefinition => ({ name, inputSchema: { type: "object", properties: {} } });
const fields = (word: string) =>
  fc.record(
    { system: fc.constant(`System of ${word}.`), tools: fc.constant([tool(`tool_of_${word}`)]) },
    { requiredKeys: [] },
  );

describe.each(SCRIPTED_DOORS)("a frame through $name", (door) => {
  it("takes each field from the call, or else from the session", async () => {
    await fc.assert(
      fc.asyncProperty(fields("session"), fields("call"), async (own, call) => {
        const session = await sessionIn(door.format, {
          frame: { ...(own.system && { system: [own.system] }), ...(own.tools && { tools: own.tools }) },
        });
        const prepare = vi.spyOn(session, "prepare");
        const { system: told, tools } = call;
        const given = { ...(door.hasSystem && told && { system: told }), ...(tools && { tools }) };
        const [sent] = await door.ask(session, { question: "Begin.", turns: ["Done."], ...given });
        const [prepared] = prepare.mock.settledResults.flatMap(({ type, value }) =>
          type === "fulfilled" ? [value] : [],
        );
        const system = (door.hasSystem ? told : undefined) ?? own.system ?? "";
        expect(sent?.system).toBe(system);
        expect(prepared?.request.system).toEqual(system === "" ? [] : [system]);
        expect(prepared?.request.tools.map(({ name }) => name)).toEqual(
          (tools ?? own.tools ?? []).map(({ name }) => name),
        );
      }),
      runs(12),
    );
  });
});

describe.each(SCRIPTED_DOORS)("a question too large for the budget, through $name", (door) => {
  /** No fold helps: what the user says alone is above the cap. */
  const question = "word ".repeat(24_000);

  async function tightSession({ format }: ScriptedDoor) {
    const session = await sessionIn(format, { config: { maxInputTokens: 20_000, outputReserveTokens: 1_000 } });
    const before = session.prepare.bind(session);
    const asked = { times: 0 };
    // As `prepare` itself refuses what does not fit.
    Object.assign(session, {
      prepare: async (options: Parameters<typeof before>[0]) => {
        asked.times++;
        const prepared = await before(options);
        if (prepared.outcome?.type !== "infeasible") return prepared;
        throw new ThreadfoldError("BUDGET_INFEASIBLE", "No legal plan fits 20000 tokens.");
      },
    });
    return { session, asked };
  }

  it("is neither sent nor retried, and the error carries BUDGET_INFEASIBLE", async () => {
    const { session, asked } = await tightSession(door);
    const answered = door.ask(session, { question, turns: ["It was sent."] });
    const error = await answered.then(
      (sent) => new Error(`It was sent ${sent.length} times.`),
      (thrown: unknown) => thrown,
    );
    expect(codes(error)).toContain("BUDGET_INFEASIBLE");
    expect(asked.times).toBe(1);
  });
});

describe.each(SCRIPTED_DOORS)("the requested model, through $name", (door) => {
  /** The models that a session makes its requests for. */
  async function modelsOf(model: string, options: Parameters<typeof sessionIn>[1] = {}) {
    const session = await sessionIn(door.format, options);
    const prepare = vi.spyOn(session, "prepare");
    const call = { id: "a", name: "look", input: {} };
    await door.ask(session, { question: "Begin.", turns: [[call], "Done."], tools: [tool("look")], model });
    const prepared = await Promise.all(prepare.mock.results.map(({ value }) => value as ReturnType<typeof prepare>));
    return [...new Set(prepared.map(({ manifest }) => manifest.model))];
  }

  it("W12 becomes the session's model if none was set and the name is known", async () => {
    expect(await modelsOf("claude-haiku-4-5")).toEqual(["claude-haiku-4-5"]);
    expect(await modelsOf("a-name-of-our-own")).toEqual([undefined]);
  });

  it("does not replace the model that a session was opened with", async () => {
    expect(await modelsOf("claude-haiku-4-5", { model: "claude-opus-4-5" })).toEqual(["claude-opus-4-5"]);
  });
});

describe.each(SCRIPTED_DOORS.filter(({ name }) => name.startsWith("AI SDK")))(
  "a switch of models, through $name",
  (door) => {
    const ask = (session: ContextSession, question: string, model: string) =>
      door.ask(session, { question, turns: ["Done."], model });

    it("is followed after a fork and to another provider", async () => {
      const session = await sessionIn(door.format);
      await ask(session, "Begin.", "claude-haiku-4-5");
      await ask(session, "Begin otherwise.", "claude-haiku-4-5");
      expect(currentSession(session)).not.toBe(session);
      await ask(session, "Begin otherwise.", "claude-opus-5-5");
      expect(currentSession(session).model).toBe("claude-opus-5-5");
      await ask(session, "Begin otherwise.", "gpt-5.1");
      expect(currentSession(session).model).toBe("gpt-5.1");
    });
  },
);

/** The codes of an error and of what it wraps. */
function codes(error: unknown): readonly unknown[] {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return cause === undefined ? [code] : [code, ...codes(cause)];
}

describe("the session's notes on a request", () => {
  it.each(SCRIPTED_DOORS)("reach the host through $name", async (door) => {
    const heard: RequestNotes[] = [];
    await door.ask(await sessionIn(door.format), {
      question: "Begin.",
      turns: ["Done."],
      heard,
    });
    expect(heard).toEqual([
      expect.objectContaining({ outcome: expect.objectContaining({ type: "no-op" }), warnings: [], violations: [] }),
    ]);
  });
});
