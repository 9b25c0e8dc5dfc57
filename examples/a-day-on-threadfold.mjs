// The script of the bundled example: what the person asks and what the agent says and does, turn by turn.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bash, edit, failing, grep, ls, read, step, write } from "./recorder/agent.mjs";

const PLAN = "packages/core/src/plan";
const POSITION = "packages/core/src/thread/thread-position.ts";
const LATE_PINS = "packages/core/src/view/late-pins.test.ts";
const CORE_TYPES = "cd packages/core && tsc -p tsconfig.json";

const FROM_SOURCE = "node --conditions=threadfold-source packages/threadfold/src/main.ts";
const COMPACT_ROOMS = [
  "packages/cli/src/commands/compact.ts",
  "packages/cli/src/compact",
  "packages/cli/src/run-cli.ts",
  "packages/importers/src/*.ts",
  "packages/importers/src/reading",
  "packages/importers/src/draft",
  "packages/importers/src/pi",
  "packages/session/src",
  "packages/strategies/src/triggers",
  "packages/strategies/src/ladder",
  "packages/strategies/src/compactor",
  "packages/strategies/src/fulfil",
];

/** Writes a pi session of four turns with results of 40 000 characters, in the working copy. */
const MAKE_SESSION = `import { writeFileSync } from "node:fs";

const lines = [{ type: "session", version: 3, id: "small", timestamp: "2026-03-02T09:00:00.000Z", cwd: "/repo" }];
let parentId = null;
function add(message) {
  const id = String(lines.length).padStart(8, "0");
  const timestamp = new Date(Date.UTC(2026, 2, 2, 9, lines.length)).toISOString();
  lines.push({ type: "message", id, parentId, timestamp, message });
  parentId = id;
}
const text = (value) => [{ type: "text", text: value }];
for (let turn = 1; turn <= 4; turn++) {
  add({ role: "user", content: text("Count the lines of part " + turn + ". Never delete a part.") });
  const id = "call_" + turn;
  add({ role: "assistant", content: [{ type: "toolCall", id, name: "read", arguments: { path: "part-" + turn + ".txt" } }] });
  const content = text(("part " + turn + " has words and words\\n").repeat(1600));
  add({ role: "toolResult", toolCallId: id, toolName: "read", content, isError: false });
  add({ role: "assistant", content: text("Part " + turn + " has 1600 lines.") });
}
writeFileSync("scratch/session.jsonl", lines.map((line) => JSON.stringify(line) + "\\n").join(""));
`;

/** Prints the tool results of an Anthropic request, each cut to a few lines. */
const SHOW_RESULTS = `const request = JSON.parse(require("fs").readFileSync(process.argv[1]));
for (const { role, content } of request.messages) for (const block of content)
  if (block.type === "tool_result") console.log(role, JSON.stringify(block).slice(0, 600));`;

/** Reads files side by side, a few at a time, as agents do. */
function* readAll(text, paths, atOnce = 4) {
  for (let first = 0; first < paths.length; first += atOnce) {
    const batch = paths.slice(first, first + atOnce);
    yield step(first === 0 ? text : "", ...batch.map((path) => read(path)));
  }
}

const sourcesIn = (listing) => listing.split("\n").filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));

const howPlansAreNormalized = {
  ask: `I am new to this code base. Explain to me how a compaction plan is normalized: which rules there are, in which order they apply, and what happens when two records want the same message. Read the code, do not guess.

Two things hold for everything we do today:
- Never edit files under docs/decisions without asking me first.
- Always run the type check before you say that something is done.`,
  *work() {
    yield step(
      "I start with the map of the house and then read the plan folder of core.",
      read("ARCHITECTURE.md"),
      ls("packages"),
      bash("git status --short | head; git log --oneline | head -5"),
    );
    const [listing] = yield step(
      "",
      bash(`find ${PLAN} packages/core/src/groups -name '*.ts' | sort`),
      read("packages/core/src/index.ts"),
      bash("wc -l packages/core/src/*/*.ts | sort -n | tail -40"),
    );
    yield* readAll("The whole folder is small enough to read in full.", sourcesIn(listing));
    yield step(
      "Now who calls it, and what its tests promise.",
      grep("normalizePlan\\(", "packages"),
      read(`${PLAN}/normalize-plan.test.ts`),
      bash("cd packages/core && vitest run src/plan"),
    );
    yield step(
      "Splitting a record also splits its summary, so I look at that too.",
      ...["restrict-summary", "structured-summary"].map((name) => read(`packages/core/src/summary/${name}.ts`)),
    );
    return `A plan is normalized by \`normalizePlan(records, shape)\` in ${PLAN}/normalize-plan.ts. It never touches the thread; it gets the records and the shape of the thread (headers and groups) and gives records back, with a list of what it changed.

1. **Claims.** Every record becomes a claim on the ordinals of its messages. Ids that the thread does not have are left out and reported under \`known-messages\`. Claims are sorted by first message, last message, strength and content, so the order in which records come in does not matter.
2. **Precedence.** Each message goes to the strongest claim: drop > externalize > summarize > clear. Among equals the one that comes first in that sorting keeps it. What a record loses is reported under \`precedence\`.
3. **Rules, to a fixpoint**, in the order of \`NORMALIZATION_RULES\`:
   - \`keep-system\`: a system message is instruction and not history; every record lets go of it.
   - \`keep-opaque\`: a provider's opaque item may be dropped but not rewritten; otherwise its whole group is included.
   - \`whole-groups\`: a record that takes messages out (summarize, drop, externalize as a span) holds a group whole or not at all. The strongest record in the group decides.
   Rules only release messages or hand whole groups to their strongest record, which is why the loop ends.
4. **Materialize.** What a record still holds is cut into unbroken runs (\`split-record.ts\`); each run is a record of its own with the part of the summary that came from it. Clearings are not cut, because they leave their messages in place.

So when two records want the same message, the stronger action gets it, the weaker one is split around the hole, and you can read in the changes which rule did it. The tests in src/plan pass.`;
  },
};

const howCompactWorks = {
  ask: "Now the long way: how does `threadfold compact session.jsonl` get from the file to a request? Follow it end to end, from the command over the importer and the session to the strategies, and tell me who decides what. Then run it once on a small session that you make yourself, with a budget that forces it to fold. You must not use the network for this.",
  *work() {
    const [listing] = yield step(
      "I collect the files on the way first.",
      bash(`find ${COMPACT_ROOMS.join(" ")} -name '*.ts' ! -name '*.test.ts' | sort`),
      bash("cat packages/cli/package.json packages/session/package.json"),
      grep("import .*@threadfold/", "packages/cli/src"),
    );
    const files = sourcesIn(listing);
    const inRoom = (room) => files.filter((path) => path.startsWith(`packages/${room}/`));
    yield* readAll("The command itself comes first.", inRoom("cli"));
    yield* readAll(
      "Then reading and importing: which format it is, and how a pi log becomes messages.",
      inRoom("importers"),
    );
    yield* readAll("The session holds the parts together.", inRoom("session"));
    yield* readAll("And the strategies decide what to fold.", inRoom("strategies"));
    yield step(
      "Now I make a session of a few turns with large results and fold it from source, without a build.",
      write("scratch/make-session.mjs", MAKE_SESSION),
      failing(bash(`${FROM_SOURCE} compact scratch/session.jsonl --budget 20000`)),
    );
    yield step(
      "Of course: I have written the script but not run it.",
      bash("node scratch/make-session.mjs && ls -l scratch"),
    );
    yield step(
      "",
      bash(`${FROM_SOURCE} compact scratch/session.jsonl --budget 20000 --out scratch/folded`),
      bash(`${FROM_SOURCE} compact scratch/session.jsonl --budget 20000 --json`),
    );
    yield step(
      "",
      ls("scratch/folded"),
      bash("wc -c scratch/folded/*; cat scratch/folded/summary.md"),
      bash("head -c 6000 scratch/folded/plan.json"),
    );
    return `The way of a session through \`compact\`, in order:

1. **cli/src/commands/compact.ts** checks the options, reads the source, opens the output folder before anything is stored, and prints the report. The work is in compact/compact-run.ts.
2. **importers**: the file is read and unpacked (reading/), cut into records with the number of each malformed line, and every importer says how sure it is that the records are its own (choose-importer.ts). The surest one maps records to messages; for pi that is pi/pi-importer.ts. Nothing is decided about folding here.
3. **session/src/context-session.ts**: \`append\` puts the messages on the thread and pins the standing constraints it finds; \`compact\` measures the request under the current plan and asks the preset's trigger. Below the trigger nothing happens at all.
4. **strategies/src/compactor/fold-thread.ts** walks the attempts: each rung of the ladder proposes over whole groups until the target is met, the proposals are fulfilled (summaries, artifacts), normalized and sealed into a plan, and that plan is rendered and verified. The first sound plan below the soft threshold wins; if none fits, the outcome is \`infeasible\` and says what takes the room.
5. The session commits the plan with the version that it started from; a conflict means somebody was faster, and it folds again on top of that plan.
6. **session** renders the request under the committed plan, checks it, and records its digest.

So the trigger decides *when*, the ladder *what*, normalization *what is allowed*, the renderer *what it looks like*, and the store *who was first*. The run on my small session is above: it was over the budget before and is under it now, and plan, request, manifest and summary are in scratch/folded.`;
  },
};

const whereAResultIsFolded = {
  ask: "Good. Now only one thing of it, but exactly: a large tool result that is folded while its call stays. Where is decided what stands in its place, and what may happen to it between there and the bytes of an Anthropic request? Show me one in the request that you just made.",
  *work() {
    const [, listing] = yield step(
      "",
      grep("cleared|externalized", "packages/renderer/src"),
      bash("find packages/renderer/src -name '*.ts' ! -name '*.test.ts' | sort"),
      read("packages/core/src/view/thread-view.ts"),
    );
    const files = sourcesIn(listing);
    const inFolder = (...folders) =>
      files.filter((path) => folders.some((folder) => path.startsWith(`packages/renderer/src/${folder}/`)));
    yield* readAll("First the neutral drafts, where the text is written.", inFolder("neutral"));
    yield* readAll("Then everything that may still change a message before it is lowered.", inFolder("conform"));
    yield* readAll(
      "And the lowering for Anthropic with its rules.",
      inFolder("formats/anthropic-messages", "legality"),
    );
    yield step(
      "Now the real ones, from the request on disk, and a look whether any result lost its call id.",
      bash(`node -e '${SHOW_RESULTS}' scratch/folded/request.json`),
      failing(bash(`grep -c '"tool_use_id":""' scratch/folded/request.json`)),
    );
    return `There are two ways to fold a result in place, and each has one file in packages/renderer/src/neutral that writes the text:

- **externalized-body.ts** for a body that went to the artifact store: the pointer's header with the artifact id, the tool with its outcome and the size, a line of key data or the first fact, and how to read it back. That is what you see in the request above.
- **cleared-result.ts** for a body that was cleared: the tool with its outcome, one line for each preserved key field, and how many characters were cleared. With \`keep\` it is a truncation instead, the first and last characters around a marker.

Which of the two it is, and which fields are kept, was decided before, when a strategy made the record. In both cases the message keeps its place, its role and its call id; only the body is another one.

On its way from there:
- conform/repairs.ts runs its repairs in order. For a result the first three matter: results that answer no shown call are left out, results are put right behind their calls, and calls that nobody answered get a marked failure. A folded result is still a result, so in a legal log none of them touches it.
- formats/anthropic-messages/lower/tool-result.ts turns it into a \`tool_result\` block with its \`tool_use_id\`, and lower/messages.ts joins the results of one batch into one user message, results first.
- The rules of the format check the finished payload once more, pairing and blank text among them.

No block in the request has an empty tool_use_id.`;
  },
};

const aTestForLatePins = {
  ask: "Good. Now write a test for something that I could not find covered: a pin that is made after a plan was committed must stand at its own place in the view, and not in the block before the first fold. Put it beside thread-view.ts. And never touch package-lock.json, the registry here is not the one that you know.",
  *work() {
    yield step(
      "First the code that the test is about.",
      read("packages/core/src/view/thread-view.ts"),
      read("packages/core/src/thread/pin.ts"),
      read("packages/core/src/thread/thread-entry.ts"),
      ls("packages/core/src/view"),
    );
    yield step(
      "I need to build a thread with a pin and a plan that drops a message, so I check both constructors.",
      read("packages/core/src/thread/agent-thread.ts"),
      read("packages/core/src/model/ids.ts"),
      grep("sealPlan\\(", "packages/core/src"),
    );
    yield step(
      "",
      write(LATE_PINS, latePinsTest({ view: lateView('["pins", "message", "message"]'), unused: "emptyPlan, " })),
    );
    yield step("", failing(bash("cd packages/core && vitest run src/view/late-pins.test.ts")));
    yield step(
      "The code is right and my expectation was wrong: the pin is shown after the message that was there before it. That is the very behaviour that the test is for, so I correct the test.",
      edit(LATE_PINS, lateView('["pins", "message", "message"]'), lateView('["message", "pins", "message"]')),
    );
    yield step("", bash("cd packages/core && vitest run src/view/late-pins.test.ts"), failing(bash(CORE_TYPES)));
    yield step(
      "The test passes, but the type check does not: an import is left over.",
      edit(LATE_PINS, "emptyPlan, ", ""),
    );
    yield step(
      "",
      bash(CORE_TYPES),
      bash("cd packages/core && vitest run src/view src/thread"),
      bash("git status --short"),
    );
    return `Done: ${LATE_PINS} has two tests. One makes a pin after the plan and finds it between the messages where it was made; the other takes the next plan, which covers the pin's entry, and finds it in the block before the first fold. The type check and the tests of view and thread pass, and beside my scratch folder the new file is the only change; package-lock.json is as it was.`;
  },
};

const lateView = (expected) => `const view = viewThread(thread, dropFirst(before, 1));
    expect(view.map((entry) => entry.type)).toEqual(${expected});`;

function latePinsTest({ view, unused }) {
  return `import { describe, expect, it } from "vitest";
import { spanOf } from "../groups/span-reference.ts";
import { asMessageId, asPinId, asThreadId } from "../model/ids.ts";
import { headerOf } from "../model/message-header.ts";
import type { Message } from "../model/message.ts";
import { ${unused}NO_RECORDS, sealPlan } from "../plan/compaction-plan.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { viewThread } from "./thread-view.ts";

const NO_SHARES = { text: 0, toolInput: 0, toolResult: 0, reasoning: 0, media: 0 };

const said = (id: string) => ({
  id: asMessageId(id),
  role: "user" as const,
  parts: [{ type: "text" as const, text: \`This is \${id}.\` }],
  createdAt: "2026-03-02T09:00:00.000Z",
});

const pin = { id: asPinId("p1"), text: "Answer in French.", authority: "user" as const, origin: "explicit" as const };

/** A plan that drops the first message of a thread. */
function dropFirst(thread: AgentThread, version: number) {
  const first = thread.messagesBetween(0)[0] as Message;
  return sealPlan({
    ...NO_RECORDS,
    threadId: thread.id,
    threadVersion: thread.version,
    version,
    policyVersion: "test",
    createdAt: "2026-03-02T09:00:00.000Z",
    originalTokens: 0,
    compactedTokens: 0,
    drops: [
      {
        action: "drop",
        span: spanOf([headerOf(first, 0, NO_SHARES, undefined)]),
        strategy: "test",
        reason: "test",
        sincePlanVersion: version,
        originalTokens: 0,
        keywords: [],
      },
    ],
  });
}

describe("a pin that was made after the plan", () => {
  const before = AgentThread.empty(asThreadId("t")).append([said("m1"), said("m2")]);
  const thread = before.appendEntries([{ type: "pin", pin }]).append([said("m3")]);

  it("stands where it was made", () => {
    ${view}
  });

  it("moves before the first fold with the next plan", () => {
    const view = viewThread(thread, dropFirst(thread, 2));
    expect(view.map((entry) => entry.type)).toEqual(["pins", "message", "message"]);
  });
});
`;
}

const aRedBranch = {
  meanwhile(copy) {
    const file = join(copy.path, POSITION);
    const text = readFileSync(file, "utf8");
    const broken = text.replace(" && message.branch === undefined;", ";");
    if (broken === text) throw new Error(`${POSITION} no longer holds the line that the script breaks.`);
    writeFileSync(file, broken);
  },
  ask: "I simplified something in the thread folder of core last night, and this morning its tests are red. Find out why and repair it, but change no more than needed.",
  *work() {
    yield step(
      "I look at the failures and at what changed, side by side.",
      failing(bash("cd packages/core && vitest run src/thread")),
      bash("git diff --stat; git diff"),
    );
    yield step(
      "",
      read(POSITION),
      read("packages/core/src/thread/thread-position.test.ts"),
      grep("startsTurn|placeMessage", "packages"),
    );
    yield step(
      "The condition on the branch went away: a user message on a side branch now starts a turn of the main thread. Before I put it back, I make sure that nobody depends on the shorter form.",
      bash("git log --oneline -- packages/core/src/thread/thread-position.ts"),
      failing(grep("branch === undefined && message.origin", "packages")),
    );
    yield step(
      "",
      edit(POSITION, "message.origin === undefined;", "message.origin === undefined && message.branch === undefined;"),
    );
    yield step("", bash("cd packages/core && vitest run src/thread"), bash(CORE_TYPES), bash("git diff --stat"));
    return "Repaired. `startsTurn` had lost `&& message.branch === undefined`, so a user message on a side branch counted as a turn of the main thread, and every turn after it was one too high. I put that one condition back; no file of the last commit differs any more. The tests of the thread folder and the type check pass.";
  },
};

const twoWriters = {
  ask: "Next question: can two processes commit a plan for the same thread at the same time with the SQLite store? Read how a commit is written, and show me the tests that prove the answer. Only run tests of the store for this, not everything.",
  *work() {
    const [listing] = yield step(
      "",
      bash("find packages/stores/src -name '*.ts' ! -name '*.test.ts' | sort"),
      grep("BEGIN|COMMIT|ROLLBACK|busy_timeout|journal_mode", "packages/stores/src"),
      read("packages/core/src/ports/compaction-store.ts"),
    );
    const files = sourcesIn(listing);
    yield* readAll("I read the store in full, the SQLite side first.", [
      ...files.filter((path) => path.includes("/sqlite/")),
      ...files.filter((path) => !path.includes("/sqlite/")),
    ]);
    yield step(
      "",
      bash("cd packages/stores && vitest run src/sqlite/processes.test.ts -t R4 --reporter=verbose"),
      read("packages/stores/src/sqlite/processes.test.ts"),
    );
    return "No: exactly one of them wins. A commit is compare-and-set on the plan's version inside one write transaction of SQLite: the current version is read and the new plan is written under the same lock, so the second process waits for the lock, then sees a version other than the one it expected, and gets a conflict with the current version instead of overwriting. The session answers a conflict by taking the newer plan and folding again on top of it, a few times at most. The law suite of the stores says so for every backend, and the tests of the SQLite store above pass here.";
  },
};

const badInput = {
  ask: "Now try the command on bad input: an empty file, a truncated gzip, a text file that is no session, a forced wrong format, a missing file, an unknown option and a store file that is no database. I want exit code and message of each in a table. Do not change any file of the packages for this.",
  *work() {
    yield step(
      "",
      bash(MAKE_BAD_FILES),
      read("packages/cli/src/exit-codes.ts"),
      read("packages/core/src/errors/error-codes.ts"),
    );
    const outputs = yield step("", ...BAD_CALLS.map(([, command]) => failing(bash(`${FROM_SOURCE} ${command}`))));
    const rows = BAD_CALLS.map(
      ([what], index) => `| ${what} | ${exitCode(outputs[index])} | ${firstLine(outputs[index])} |`,
    );
    yield step(
      "And as a script would see one of them.",
      failing(bash(`${FROM_SOURCE} compact scratch/empty.jsonl --json`)),
      bash("git status --short"),
    );
    return `Every call ended with a typed error and nothing was written:\n\n| Input | Exit code | Message |\n|---|---|---|\n${rows.join("\n")}\n\nWith \`--json\` the same error is one envelope on stdout. No file of the packages is changed.`;
  },
};

const exitCode = (output) => /exited with code (\d+)$/.exec(output)?.[1] ?? "0";

const firstLine = (output) =>
  (output.split("\n").find((line) => line.startsWith("error: ")) ?? "").replaceAll("|", "\\|");

const MAKE_BAD_FILES =
  "cd scratch && : > empty.jsonl && head -c 400 session.jsonl | gzip -c | head -c 60 > half.jsonl.gz && cp ../LICENSE prose.txt && cp ../LICENSE prose.db && ls -l";

const BAD_CALLS = [
  ["empty file", "compact scratch/empty.jsonl"],
  ["truncated gzip", "compact scratch/half.jsonl.gz"],
  ["no session at all", "compact scratch/prose.txt"],
  ["wrong format forced", "compact scratch/session.jsonl --from openai-chat"],
  ["missing file", "compact scratch/nowhere.jsonl"],
  ["unknown option", "compact scratch/session.jsonl --bugdet 1000"],
  ["store of another kind", "compact scratch/session.jsonl --store scratch/prose.db"],
  ["budget too small", "compact scratch/session.jsonl --budget 10"],
];

const aDecisionNote = {
  ask: "Last thing: write down what we found out today about pins and plans as decision 0006.",
  *work() {
    yield step(
      "",
      ls("docs/decisions"),
      read("docs/decisions/README.md"),
      read("docs/decisions/0003-pins-are-entries-of-the-log.md"),
    );
    return "Before I do: you said that I must not edit files under docs/decisions without asking you first, and 0006 would be a new file there, with a new line in its README. Decision 0003 also says already where a late pin stands. May I add 0006 all the same, or shall I put today's notes somewhere else?";
  },
};

const aNoteElsewhere = {
  ask: "Right, well remembered. Leave docs/decisions alone and write NOTES.md in the root instead, ten lines at most.",
  *work() {
    yield step("", write("NOTES.md", NOTES));
    yield step(
      "",
      bash("git status --short; git diff --stat -- package-lock.json docs/decisions"),
      bash(CORE_TYPES),
      bash("wc -l NOTES.md"),
    );
    return "NOTES.md is written. docs/decisions and package-lock.json are untouched, and the type check of core passes.";
  },
};

const NOTES = `# Notes

- \`normalizePlan\` sorts records before it looks at them, so their order never matters.
- The stronger action gets a contested message; the weaker record is split around the hole.
- A pin made after a plan stands where it was made; the next plan gathers it into the block before the first fold.
- A user message on a side branch starts no turn of the main thread (\`startsTurn\`).
`;

/** The session, in order. */
export const turns = [
  howPlansAreNormalized,
  howCompactWorks,
  whereAResultIsFolded,
  aTestForLatePins,
  aRedBranch,
  twoWriters,
  badInput,
  aDecisionNote,
  aNoteElsewhere,
];
