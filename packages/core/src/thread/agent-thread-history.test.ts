import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pinEntry, pinLiftedEntry, sampleMessage, samplePin } from "../laws/samples.ts";
import { withTextReplaced } from "../laws/text-arbitrary.ts";
import { threadEntryInputs } from "../laws/thread-arbitrary.ts";
import { asMessageId, asPinId, asThreadId } from "../model/ids.ts";
import { AgentThread } from "./agent-thread.ts";
import type { Authority, ThreadEntryInput } from "./thread-entry.ts";

const id = asThreadId("t");
const empty = AgentThread.empty(id);

/** All that can be seen of a thread. */
const everything = (thread: AgentThread) => ({
  version: thread.version,
  length: thread.length,
  position: thread.position,
  pins: thread.livePins,
  entries: [...thread.entries],
  messages: [...thread.messages],
  digest: thread.digest,
});

const inputs = threadEntryInputs({ malformed: true, maxMessages: 16 });

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}

describe("fork", () => {
  it("at any version equals the thread rebuilt from its first entries", () => {
    fc.assert(
      fc.property(inputs, fc.nat(), (entries, pick) => {
        const thread = empty.appendEntries(entries);
        const version = pick % (thread.version + 1);
        const rebuilt = empty.appendEntries(entries.slice(0, version));
        expect(everything(thread.fork(id, version))).toEqual(everything(rebuilt));
        expect(everything(thread.atVersion(version))).toEqual(everything(rebuilt));
        expect(thread.pinsAt(version)).toEqual(rebuilt.livePins);
      }),
      { numRuns: 80 },
    );
  });

  it("is independent: neither thread sees the other's entries", () => {
    fc.assert(
      fc.property(inputs, fc.nat(), fc.boolean(), (entries, pick, forkFirst) => {
        const thread = empty.appendEntries(entries);
        const version = pick % (thread.version + 1);
        const fork = thread.fork(asThreadId("f"), version);
        const grow = () => [
          forkFirst ? fork.append([sampleMessage("x")]) : thread.append([sampleMessage("y")]),
          forkFirst ? thread.append([sampleMessage("y")]) : fork.append([sampleMessage("x")]),
        ];
        const [first, second] = grow() as [AgentThread, AgentThread];
        const [grownFork, grownThread] = forkFirst ? [first, second] : [second, first];
        expect(everything(grownThread)).toEqual(
          everything(empty.appendEntries([...entries, { type: "message", message: sampleMessage("y") }])),
        );
        expect(everything(grownFork)).toEqual(
          everything(
            empty.appendEntries([...entries.slice(0, version), { type: "message", message: sampleMessage("x") }]),
          ),
        );
        expect(grownThread.message(asMessageId("x"))).toBeUndefined();
        expect(grownFork.message(asMessageId("y"))).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it("has its own id and shares its entries", () => {
    const thread = empty.append([sampleMessage("a"), sampleMessage("b")]);
    const fork = thread.fork(asThreadId("f"), 1);
    expect([fork.id, fork.version]).toEqual(["f", 1]);
    expect(fork.messageAt(0)).toBe(thread.messageAt(0));
  });

  it("is the whole thread beyond the end, and empty before the start", () => {
    const thread = empty.append([sampleMessage("a")]).appendEntries([pinEntry(samplePin("p"))]);
    expect(everything(thread.fork(id, 99))).toEqual(everything(thread));
    expect(everything(thread.fork(id, -1))).toEqual(everything(empty));
  });
});

describe("digest", () => {
  it("is equal for equal logs, however they were built", () => {
    fc.assert(
      fc.property(inputs, fc.nat(), (entries, pick) => {
        const fresh = AgentThread.empty(asThreadId("other")).appendEntries(
          structuredClone(entries) as ThreadEntryInput[],
        );
        let grown = empty;
        const askEarly = pick % (entries.length + 1);
        entries.forEach((entry, index) => {
          grown = grown.appendEntries([entry]);
          if (index === askEarly) expect(grown.digest).toMatch(/^[0-9a-f]{64}$/);
        });
        expect(grown.digest).toBe(fresh.digest);
      }),
      { numRuns: 100 },
    );
  });

  it("differs if any text of any entry differs", () => {
    const cases = inputs.filter((entries) => entries.length > 0);
    fc.assert(
      fc.property(cases, fc.nat(), fc.nat(), (entries, which, leaf) => {
        const thread = empty.appendEntries(entries);
        const at = which % entries.length;
        const changed = entries.map((entry, index) =>
          index === at ? (withTextReplaced(entry, leaf, "another text") as ThreadEntryInput) : entry,
        );
        let other: AgentThread;
        try {
          other = empty.appendEntries(changed);
        } catch {
          // The text was a discriminant or an id that something else names.
          return fc.pre(false);
        }
        expect(other.digest).not.toBe(thread.digest);
      }),
      { numRuns: 120 },
    );
  });

  it("covers only this log, even if entries of another log were passed to it", () => {
    const clone = (entries: readonly ThreadEntryInput[]) => JSON.parse(JSON.stringify(entries)) as ThreadEntryInput[];
    const changed = (entry: ThreadEntryInput): ThreadEntryInput =>
      entry.type === "message"
        ? { ...entry, message: { ...entry.message, createdAt: "2030-01-01T00:00:00.000Z" } }
        : entry;
    fc.assert(
      fc.property(inputs, fc.nat(), fc.boolean(), (entries, pick, askFirst) => {
        const thread = empty.appendEntries(entries);
        if (askFirst) expect(thread.digest).toMatch(/^[0-9a-f]{64}$/);
        const cut = pick % (thread.version + 1);
        const before = clone(thread.entriesBetween(0, cut)).map(changed);
        const handedOn = thread.entriesBetween(cut);
        const other = AgentThread.empty(id).appendEntries(before).appendEntries(handedOn);
        expect(other.digest).toBe(AgentThread.empty(id).appendEntries(clone([...before, ...handedOn])).digest);
        expect(thread.digest).toBe(AgentThread.empty(id).appendEntries(clone([...thread.entries])).digest);
      }),
      { numRuns: 100 },
    );
    const first = AgentThread.empty(id).append([sampleMessage("a"), sampleMessage("b")]);
    const second = AgentThread.empty(id).append([sampleMessage("x")]);
    expect(first.digest).not.toBe(second.appendEntries(first.entriesBetween(1)).digest);
  });

  it("differs for every version of a thread and for every order of entries", () => {
    const thread = empty.append([sampleMessage("a"), sampleMessage("b"), sampleMessage("c")]);
    const digests = [0, 1, 2, 3].map((version) => thread.atVersion(version).digest);
    digests.push(
      empty.append([sampleMessage("b"), sampleMessage("a"), sampleMessage("c")]).digest,
      empty.append([sampleMessage("a"), sampleMessage("c"), sampleMessage("b")]).digest,
    );
    expect(new Set(digests).size).toBe(6);
  });
});

describe("pins", () => {
  it("are live from their entry on, in order, until they are lifted", () => {
    const thread = empty
      .appendEntries([
        pinEntry(samplePin("p1")),
        { type: "message", message: sampleMessage("a") },
        pinEntry(samplePin("p2")),
      ])
      .appendEntries([pinLiftedEntry("p1", "user")]);
    expect(
      [0, 1, 2, 3, 4].map((version) =>
        thread
          .pinsAt(version)
          .map((pin) => pin.id)
          .join(),
      ),
    ).toEqual(["", "p1", "p1", "p1,p2", "p2"]);
    expect(thread.pin(asPinId("p1"))?.text).toBe("rule of p1");
    expect(thread.pin(asPinId("p3"))).toBeUndefined();
  });

  it("are lifted only by equal or higher authority, and a refusal changes nothing", () => {
    const authorities: readonly Authority[] = ["system", "operator", "user"];
    for (const owner of authorities) {
      for (const actor of authorities) {
        const thread = empty.appendEntries([pinEntry(samplePin("p", { authority: owner }))]);
        const lift = () =>
          thread.appendEntries([{ type: "message", message: sampleMessage("a") }, pinLiftedEntry("p", actor)]);
        if (authorities.indexOf(actor) <= authorities.indexOf(owner)) expect(lift().livePins).toEqual([]);
        else expect(thrownBy(lift)).toMatchObject({ code: "INVALID_PIN" });
        expect([thread.version, thread.livePins.length]).toEqual([1, 1]);
      }
    }
  });

  it.each<[string, ThreadEntryInput]>([
    ["a lifting of an unknown pin", pinLiftedEntry("nobody", "system")],
    ["a second lifting", pinLiftedEntry("gone", "system")],
    ["a lifting by a tool", { ...pinLiftedEntry("p", "user"), authority: "tool" } as unknown as ThreadEntryInput],
    ["a lifting without a reason", { ...pinLiftedEntry("p", "user"), reason: "" } as unknown as ThreadEntryInput],
    ["a pin with the id of another one", pinEntry(samplePin("p", { text: "another rule" }))],
    ["an empty pin", pinEntry(samplePin("q", { text: "" }))],
    ["a pin of a tool", pinEntry(samplePin("q", { authority: "tool" as Authority }))],
  ])("refuse %s", (_, entry) => {
    const thread = empty.appendEntries([
      pinEntry(samplePin("gone")),
      pinLiftedEntry("gone", "user"),
      pinEntry(samplePin("p")),
    ]);
    expect(thrownBy(() => thread.appendEntries([entry]))).toMatchObject({ code: "INVALID_PIN" });
  });

  it("are skipped if they exist already, and can be made again after a lifting", () => {
    const thread = empty.appendEntries([pinEntry(samplePin("p"))]);
    expect(thread.appendEntries([pinEntry(samplePin("p"))])).toBe(thread);
    const again = thread.appendEntries([pinLiftedEntry("p", "user"), pinEntry(samplePin("p"))]);
    expect([again.version, again.livePins.length]).toEqual([3, 1]);
  });
});
