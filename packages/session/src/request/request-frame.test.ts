import { asThreadId, type ToolDefinition } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import type { FrameFields } from "@threadfold/turn";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const tool = (name: string): ToolDefinition => ({ name, inputSchema: { type: "object" } });
const fields = (word: string): fc.Arbitrary<FrameFields> =>
  fc.record(
    {
      system: fc.constantFrom<readonly string[]>([], [`system of ${word}`]),
      tools: fc.constantFrom<readonly ToolDefinition[]>([], [tool(`tool_of_${word}`)]),
    },
    { requiredKeys: [] },
  );
const asked = fc.option(fields("a-call"), { nil: undefined });

describe("the system text and tools of a request", () => {
  it("come from the call or else from the session, field by field, whatever earlier calls gave", async () => {
    await fc.assert(
      fc.asyncProperty(asked, fc.array(asked, { minLength: 1, maxLength: 4 }), async (own, calls) => {
        const session = await ContextSession.open({ threadId: asThreadId("t"), ...(own && { frame: own }) });
        for (const frame of calls) {
          const { request } = await session.prepare(frame === undefined ? {} : { frame });
          expect(request.system).toEqual(frame?.system ?? own?.system ?? []);
          expect(request.tools).toEqual(frame?.tools ?? own?.tools ?? []);
        }
      }),
      runs(60),
    );
  });

  it("stay those of the newest request for a render that gives none", async () => {
    const session = await ContextSession.open({ threadId: asThreadId("t"), frame: { system: ["Be brief."] } });
    await session.prepare({ frame: { tools: [tool("read")] } });
    const { breakdown } = await session.render();
    expect(breakdown.tools).toBeGreaterThan(0);
    expect(breakdown.system).toBeGreaterThan(0);
    expect((await session.prepare()).breakdown.tools).toBe(0);
  });
});
