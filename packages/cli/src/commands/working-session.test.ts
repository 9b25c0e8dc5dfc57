import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

/** A folded thread in a store, and how a command is run on it. */
async function stored(name: string) {
  const store = bench.path(`${name}.db`);
  const path = bench.file(`${name}.json`, openAiSession(LONG));
  const { data } = await compact([path, "--store", store, "--budget", "8000"]);
  const run = (...argv: readonly string[]) => json([...argv, "--store", store]);
  return { id: data.threadId, tokens: data.tokens, run };
}

describe("commands that change a stored thread", () => {
  it("amp-8 hands it on: a fresh thread begins with the goal, its pins, and a way back", async () => {
    const { id, run } = await stored("handoff");
    const { code, envelope } = await run("handoff", id, "next", "--goal", "Write the parser's changelog.");
    expect(code).toBe(0);
    expect(envelope.data).toMatchObject({ threadId: "next", pins: 1, reference: { threadId: id }, problem: null });
    expect((envelope.data as { briefing: string }).briefing).not.toBe("");
    const again = await run("handoff", id, "next", "--goal", "Once more.");
    expect(again.envelope.error?.code).toBe("VERSION_CONFLICT");
    expect((await run("handoff", id, "other")).envelope.error?.code).toBe("USAGE");
  });

  it("forks it at a message, before one, and as a whole, and leaves it as it is", async () => {
    const { id, run } = await stored("fork");
    const whole = await run("fork", id, "whole");
    const { version, messages } = whole.envelope.data as { version: number; messages: number };
    expect([whole.code, version]).toEqual([0, 125]);
    const { added } = (await run("diff", id, "0", "1")).envelope.data as { added: { messageIds: string[] }[] };
    const messageId = added[0]?.messageIds.at(-1) ?? "";
    const at = (await run("fork", id, "at", "--at", messageId)).envelope.data as { messages: number };
    const before = (await run("fork", id, "before", "--before", messageId)).envelope.data as { messages: number };
    expect(before.messages).toBe(at.messages - 1);
    expect(at.messages).toBeLessThanOrEqual(messages);
    expect((await run("fork", id, "nowhere", "--at", "no-such")).envelope.error?.code).toBe("MESSAGE_NOT_FOUND");
    expect((await run("verify")).envelope.data).toMatchObject({ findings: [] });
  });

  it("refuses a new thread without an id, and a fork in two places, in the words of the command line", async () => {
    const { id, run } = await stored("nowhere");
    for (const argv of [
      ["fork", id, ""],
      ["fork", id, "  "],
      ["handoff", id, "", "--goal", "Write the changelog."],
    ])
      expect(await run(...argv), argv.join(" ")).toMatchObject({
        code: 2,
        envelope: { error: { code: "USAGE", message: expect.stringMatching(/^The id of the new thread is empty;/) } },
      });
    expect(await run("fork", id, "both", "--at", "a", "--before", "b")).toMatchObject({
      code: 2,
      envelope: { error: { code: "USAGE", message: expect.stringMatching(/^--at and --before .* one place/) } },
    });
  });

  it("unfolds it, as a plan of its own, and replays all the same", async () => {
    const { id, tokens, run } = await stored("revert");
    const reverted = await run("revert", id, "0");
    expect(reverted.envelope.data).toMatchObject({ outcome: "committed", planVersion: 2 });
    const { after } = (reverted.envelope.data as { tokens: { after: number } }).tokens;
    expect(after).toBeGreaterThan(2 * tokens.after);
    expect((await run("revert", id, "1")).envelope.data).toMatchObject({ planVersion: 3 });
    expect((await run("revert", id, "9")).envelope.error?.code).toBe("PLAN_NOT_FOUND");
    expect((await run("revert", id, "first")).envelope.error?.code).toBe("USAGE");
    expect((await run("replay", id)).envelope.data).toMatchObject({ different: 0 });
  });

  it("pins a text, and lifts it with a reason", async () => {
    const { id, run } = await stored("pin");
    const pinned = await run("pin", id, "Never push to main.");
    const { pinId, live } = pinned.envelope.data as { pinId: string; live: number };
    expect(live).toBe(2);
    expect((await run("pin", id, "--lift", pinId)).envelope.error?.code).toBe("USAGE");
    const lifted = await run("pin", id, "--lift", pinId, "--reason", "The freeze is over.");
    expect(lifted.envelope.data).toMatchObject({ pinId, lifted: true, live: 1 });
    expect((await run("pin", id)).envelope.error?.code).toBe("USAGE");
    const { error } = (await run("pin", id, "Never push.", "--reason", "The freeze is over.")).envelope;
    expect(error).toMatchObject({ code: "USAGE", message: "--reason is given without --lift." });
  });

  it("names the pins that there are when it cannot find the one to lift", async () => {
    const { id, run } = await stored("nope");
    const lift = async (pinId: string) => (await run("pin", id, "--lift", pinId, "--reason", "Over.")).envelope.error;
    const { pinId } = (await run("pin", id, `Never push\nto main. ${"And so on. ".repeat(50)}`)).envelope.data as {
      pinId: string;
    };
    const refused = await lift("nope");
    expect(refused).toMatchObject({ code: "INVALID_PIN", message: expect.stringContaining("nope") });
    expect(refused?.hint).toContain(`${pinId} (Never push to main. And so on.`);
    expect(refused?.hint).not.toMatch(/livePins|\n/);
    expect(refused?.hint.length).toBeLessThan(400);
    const all = [...(refused?.hint.matchAll(/\S+(?= \()/g) ?? [])].map(([word]) => word);
    for (const each of all) expect(await lift(each), each).toBeUndefined();
    expect((await lift("nope"))?.hint).toBe("No pin is in effect.");
  });

  it("says how a pin of a higher authority is lifted", async () => {
    const { id, run } = await stored("owner");
    const { pinId } = (await run("pin", id, "Never.", "--authority", "system")).envelope.data as { pinId: string };
    const { error } = (await run("pin", id, "--lift", pinId, "--reason", "Over.")).envelope;
    expect(error).toMatchObject({ code: "INVALID_PIN", hint: expect.stringContaining("--authority system") });
  });

  it("says what it did in a line, and refuses a thread that the store does not have", async () => {
    const { id, run } = await stored("words");
    const store = bench.path("words.db");
    expect((await run("pin", "no-such", "Never.")).envelope.error?.code).toBe("THREAD_NOT_FOUND");
    const { stdout } = await captureRun(["pin", id, "Never push to main.", "--store", store]);
    expect(stdout).toMatch(/^Pinned \S+; 2 pins are in effect\.\n$/);
  });
});
