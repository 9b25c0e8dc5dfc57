import { describe, expect, it } from "vitest";
import { type PromptPiece, pieceOf } from "../policy/prompt-policy.ts";
import { type ScriptedMessage, scriptedSession } from "../testing/scripted-log.ts";
import { bareNameCharacters, replayableSession } from "./session-memory.ts";

/** Steps that say nothing of interest. */
const idle = (count: number): readonly ScriptedMessage[] =>
  Array.from({ length: count }, (_, index): readonly ScriptedMessage[] => [
    { calls: "wait", id: `idle_${index}`, input: {} },
    { result: "nothing new", id: `idle_${index}` },
  ]).flat();

const WORK: readonly ScriptedMessage[] = [
  { user: "Please make the exporter skip deleted invoices when customers download their yearly archive." },
  { says: "The yearly archive counts tombstones twice because purgeLedger never resets its cursor after a rollback." },
  {
    calls: "edit",
    id: "e",
    input: { file_path: "src/ledger.ts", old_string: "cursor", new_string: "resetCursor(ledger)" },
  },
  { result: "edited", id: "e" },
  { calls: "bash", id: "r1", input: { command: "npm run check:invoices" } },
  { result: "Error: expected 41 invoices, found 40", id: "r1" },
  { calls: "bash", id: "r2", input: { command: "npm run check:invoices" } },
  { result: "all 41 invoices match the archive", id: "r2" },
  { calls: "bash", id: "n", input: { command: "cat config" } },
  { result: "port staging\nLEDGER_SHADOW_PORT belongs to the nightly comparison job\nunrelated", id: "n" },
  ...idle(12),
  { calls: "bash", id: "last", input: { command: "printenv LEDGER_SHADOW_PORT" } },
];

const session = scriptedSession(WORK);
const replayable = replayableSession(session);
const whole = { replayable, lastCall: session.calls.length - 1 };

/** What a prompt of these texts remembers at the last call, as shares by kind. */
function remembered(...texts: readonly string[]) {
  const pieces = texts.map((text): PromptPiece => ({ role: "user", text }));
  return rememberedBy(pieces);
}

function rememberedBy(pieces: readonly PromptPiece[], { replayable, lastCall } = whole) {
  const asked = pieces.map((piece) => ({ piece, known: replayable.pieces.of(piece) }));
  const { facts, ...rest } = replayable.memory.ask(lastCall, asked);
  const shares = Object.entries(facts).map(([kind, { held, asked: count }]) => [kind, `${held}/${count}`]);
  return { ...(Object.fromEntries(shares) as Record<keyof typeof facts, string>), ...rest };
}

describe("the facts that a prompt remembers", () => {
  it("are all of them if the prompt is the whole log", () => {
    const { ask, report, quote, edit, run, need } = rememberedBy(session.messages.map(pieceOf));
    expect({ ask, report, quote, edit, run, need }).toEqual({
      ask: "1/1",
      report: "1/1",
      quote: "1/1",
      edit: "1/1",
      run: "2/2",
      need: "1/1",
    });
  });

  it("are none if the prompt only lists the words far apart", () => {
    const words = session.messages.flatMap((message) => pieceOf(message).text.split(/[^\w]+/));
    const scattered = [...new Set(words)].map((word) => `${word}${" ".repeat(500)}.`).join("\n");
    const { ask, report, edit, run, need } = remembered(scattered);
    expect([ask, report, edit, run, need]).toEqual(["0/1", "0/1", "0/1", "0/2", "0/1"]);
  });

  it("are found in a handoff with another order and other wording", () => {
    const { ask, report, quote, edit, run, need } = remembered(
      "User asked that customers' yearly archive download skips deleted invoices in the exporter.",
      "Found: purgeLedger never resets its cursor after a rollback, so tombstones count twice.",
      "- src/ledger.ts: resetCursor",
      "- `npm run check:invoices` → all 41 invoices match the archive",
      "LEDGER_SHADOW_PORT: nightly comparison job",
    );
    expect({ ask, report, quote, edit, run, need }).toEqual({
      ask: "1/1",
      report: "1/1",
      quote: "0/1",
      edit: "1/1",
      run: "1/2",
      need: "1/1",
    });
  });

  it("include as a report what an agent says with a call that ends its work, and no other words of calls", () => {
    const said = "The yearly archive counts tombstones twice because purgeLedger never resets its cursor.";
    const reports = (calls: string, field: string): string => {
      const calling = scriptedSession([
        { user: "Go." },
        { calls, id: "d", input: { [field]: said } },
        { result: "", id: "d" },
        ...idle(12),
      ]);
      const replayable = replayableSession(calling);
      return rememberedBy([], { replayable, lastCall: calling.calls.length - 1 }).report ?? "";
    };
    expect([reports("task_done", "message"), reports("finish", "message"), reports("final_answer", "answer")]).toEqual([
      ...["0/1", "0/1", "0/1"],
    ]);
    expect([reports("wait", "message"), reports("task_done", "title")]).toEqual(["0/0", "0/0"]);
  });

  it("include no announcements, lead-ins or remarks as reports", () => {
    const reports = (...said: readonly string[]): string => {
      const spoken = scriptedSession([
        { user: "Please make the exporter skip deleted invoices." },
        ...said.map((says): ScriptedMessage => ({ says })),
        ...idle(12),
      ]);
      const late = { replayable: replayableSession(spoken), lastCall: spoken.calls.length - 1 };
      return rememberedBy(spoken.messages.map(pieceOf), late).report;
    };
    expect(reports("Good catch, thanks. Let me look at all of these places more carefully.")).toBe("0/0");
    expect(reports("I need to understand the whole structure of the repository first.")).toBe("0/0");
    expect(reports("Now run the whole suite of tests again, all of them.")).toBe("0/0");
    expect(reports("Now add the missing methods at the end of the class:")).toBe("0/0");
    expect(reports("That's much better. Many errors left. I see the pattern.")).toBe("0/0");
    expect(reports("Good catch. The archive counts tombstones twice after every rollback.")).toBe("1/1");
  });

  it("include each line of the newest handoff only", () => {
    const handedOver = scriptedSession([
      { user: "Go on with the exporter." },
      { handsOver: "The importer drops umlauts of Austrian customers.\nOk." },
      ...idle(3),
      {
        handsOver:
          "Root cause: the ledger counts tombstones twice.\nNext: reset its cursor after every rollback.\nDone.",
      },
      ...idle(14),
    ]);
    const late = { replayable: replayableSession(handedOver), lastCall: handedOver.calls.length - 1 };
    const told = (...texts: readonly string[]): string =>
      rememberedBy(
        texts.map((text): PromptPiece => ({ role: "user", text })),
        late,
      ).handoff;
    expect(rememberedBy(handedOver.messages.map(pieceOf), late).handoff).toBe("2/2");
    expect(told("Tombstones are counted twice by the ledger, that is the root of it.")).toBe("1/2");
    expect(told("The importer drops umlauts of Austrian customers.")).toBe("0/2");
  });

  it("are asked at the same calls for every policy, from the first one above the budget", () => {
    expect([...replayable.memory.askedCalls(0)].slice(0, 3)).toEqual([0, 5, 10]);
    expect(replayable.memory.askedCalls(Math.ceil(session.tokens)).size).toBe(0);
    expect(replayable.memory.askedCalls(session.tokens / 2).size).toBeLessThan(replayable.memory.askedCalls(0).size);
  });
});

describe("bareNameCharacters", () => {
  it("counts names in lists without context, and in overlong lists with context", () => {
    const list = "readLine, parse_block, src/a.ts, 4711, toText";
    expect(bareNameCharacters(list)).toBeGreaterThan(30);
    expect(bareNameCharacters(`Identifiers seen: ${list}`)).toBe(bareNameCharacters(list));
    expect(bareNameCharacters("- src/plan/normalize.ts: normalizePlan, materialize_all, splitRecord, readLine")).toBe(
      0,
    );
    expect(bareNameCharacters("The cause is readLine, which calls parse_block before src/a.ts is there.")).toBe(0);
    const many = Array.from({ length: 40 }, (_, index) => `name_${index}`).join(", ");
    expect(bareNameCharacters(`- src/a.ts: ${many}`)).toBeGreaterThan(200);
  });
});
