import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Conversation, foldAt, summaryOf } from "../../testing/conversation.ts";

const ran = (toolName: string, command: string, output: string) =>
  new Conversation().user("Go.").tool(toolName, { command }, output);

const told = (conversation: Conversation) =>
  summaryOf(conversation).summary.toolOutcomes.map(({ outcome, keyFields, errorMessage }) => ({
    ...keyFields,
    outcome,
    ...(errorMessage !== null && { error: errorMessage }),
  }));

const codex = (output: string, end: string) =>
  `Chunk ID: 8f0b3b\nWall time: 1.0012 seconds\n${end}\nOriginal token count: 212\nOutput:\n${output}`;
const gemini = (output: string, exitCode: string) =>
  `Command: npm run lint\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${exitCode}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4711`;

/** A text as Python shows it. */
const pythonText = (text: string): string =>
  text.includes("'") && !text.includes('"')
    ? `"${text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}"`
    : `'${text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("'", "\\'")}'`;

/** An output in the frame of each harness. */
const FRAMES: Readonly<Record<string, (output: string, exitCode: number) => string>> = {
  Codex: (output, exitCode) => codex(output, `Process exited with code ${exitCode}`),
  "Codex, older": (output, exitCode) => `Exit code: ${exitCode}\nWall time: 0.1 seconds\nOutput:\n${output}`,
  "Codex as JSON text": (output, exit_code) =>
    JSON.stringify({ output, metadata: { exit_code, duration_seconds: 0.1 } }),
  "Gemini CLI": (output, exitCode) => gemini(output, String(exitCode)),
  "mini-swe-agent": (output, exitCode) => `<returncode>${exitCode}</returncode>\n<output>\n${output}\n</output>`,
  "streams as JSON text": (stdout, returncode) => JSON.stringify({ stdout, stderr: "", returncode }),
  "JSON text in a result": (output, exitCode) => JSON.stringify({ result: { output, exitCode } }, null, 2),
  "a code above": (output, exitCode) => `Return code: ${exitCode}\nOutput:\n${output}`,
  "streams as a dictionary of Python": (output, exitCode) =>
    `{'stdout': ${pythonText(output)}, 'stderr': '', 'returncode': ${exitCode}, 'timed_out': False}`,
  "a section for each stream": (output, exitCode) => `STDOUT:\n${output}\n\nSTDERR:\n\n\nExit code: ${exitCode}`,
  AutoGen: (output, exitCode) => `exitcode: ${exitCode} (execution ended)\nCode output: \n${output}`,
  OpenHands: (output, exitCode) => `${output}\n[The command completed with exit code ${exitCode}.]`,
  "Claude Code": (output, exitCode) =>
    `<status>completed</status>\n\n<exit_code>${exitCode}</exit_code>\n\n<stdout>\n${output}\n</stdout>`,
};

/** What Codex writes above an output. */
const LIKE_A_FRAME = /^(?:Wall time[^\n]*\n){2,}Output:/;

const LINES = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          "Output:",
          "exit code 3",
          "<output>",
          "Exit Code: 7",
          "  2 errors",
          "error: no such file",
          "12 passed in 0.1s",
        ],
        ...[
          "Wall time: 3 seconds",
          "FAILED tests/test_a.py::test_b - assert 1",
          "[done]",
          "DeprecationWarning: old",
          "src/a.ts",
        ],
      ),
      fc
        .string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(..."abc:-. 3".split("")) })
        .map((text) => `x${text}x`),
    ),
    { minLength: 1, maxLength: 6 },
  )
  // Nobody can tell an output that begins as a frame does from a frame.
  .filter((lines) => !LIKE_A_FRAME.test(lines.join("\n")));

/** What services and programs write before each line of a log. */
const STAMPS: Readonly<Record<string, (line: number) => string>> = {
  Kubernetes: (line) => `2026-05-01T12:00:0${line}.123456789Z `,
  "GitHub Actions": (line) => `test\tRun tests\t${line === 0 ? "\ufeff" : ""}2026-05-01T12:00:0${line}.1234567Z `,
  Jenkins: (line) => `[2026-05-01T12:00:0${line}.123Z] `,
  "Docker Compose": () => "web-1  | ",
  Turborepo: (line) => `@shop/cart:test:${line === 1 ? "unit:" : ""} `,
  pnpm: (line) => `packages/cart test${line === 0 ? "$" : ":"} `,
  "Docker Compose with times": (line) => `worker_1  | 2026-05-01T12:00:0${line}.123456789Z `,
};

describe("what a harness writes around an output", () => {
  it.each(Object.entries(STAMPS))("is nothing that counts when it stands before each line: %s", (_, stamp) => {
    const commands = fc.constantFrom("pytest -q", "gh run view 7 --log-failed", "npm run build");
    fc.assert(
      fc.property(commands, LINES, fc.nat(2), (command, lines, exitCode) => {
        const printed = ["x starts x", ...lines];
        const frame = FRAMES["Codex"] as (output: string, exitCode: number) => string;
        const stamped = printed.map((line, index) => stamp(index) + line);
        expect(told(ran("shell", command, frame(stamped.join("\n"), exitCode)))).toEqual(
          told(ran("shell", command, frame(printed.join("\n"), exitCode))),
        );
      }),
    );
  });

  it("is no stamp where it is the level of a log or the place of an error", () => {
    const lines = (line: (at: number) => string) => [1, 2, 3, 4, 5, 6, 7].map(line).join("\n");
    for (const output of [
      lines((at) => `error:cart: item ${at} has no price`),
      lines((at) => `src/cart.ts error: item ${at} has no price`),
    ])
      expect(JSON.stringify(told(ran("shell", "npm run check", `${output}\nexit code: 1`)))).toMatch(
        /(?:error:cart|cart\.ts)/,
      );
  });

  it("tells the failed tests of a log of a service, and not the exit code of its last step", () => {
    const log = [
      "FAIL src/cart.test.ts > adds prices\nAssertionError: expected 3 to be 4",
      " Tests  1 failed | 6 passed (7)\n##[error]Process completed with exit code 1.",
    ];
    const lines = log.join("\n").split("\n");
    const output = lines.map((line) => `test\tUNKNOWN STEP\t2026-05-01T12:00:00.1234567Z ${line}`).join("\n");
    expect(told(ran("shell", "gh run view 7 --log-failed", output))).toEqual([
      {
        ...{ command: "gh run view 7 --log-failed", result: "1 failed, 6 passed" },
        ...{ outcome: "failure", error: "AssertionError: expected 3 to be 4" },
      },
    ]);
  });

  it("changes nothing of what is told, whichever harness it is and whatever was printed", () => {
    const commands = fc.constantFrom("pytest -q", "cat notes.txt", "npm run build", "grep -rn total src");
    fc.assert(
      fc.property(commands, LINES, fc.nat(2), (command, lines, exitCode) => {
        const all = Object.values(FRAMES).map((frame) =>
          told(ran("shell", command, frame(lines.join("\n"), exitCode))),
        );
        for (const outcomes of all) expect(outcomes).toEqual(all[0]);
        expect(all[0]).toMatchObject([{ exitCode }]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["Codex", codex("src/a.ts\nsrc/b.ts\n", "Process exited with code 0")],
    ["Codex, older", "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nsrc/a.ts\nsrc/b.ts"],
    ["Codex as JSON text", '{"output":"src/a.ts\\nsrc/b.ts\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}'],
    ["Gemini CLI", gemini("src/a.ts\nsrc/b.ts", "0")],
    [
      "Gemini CLI, older",
      "Command: git ls-files\nDirectory: (root)\nStdout: src/a.ts\nsrc/b.ts\nStderr: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4711",
    ],
    ["mini-swe-agent", "<returncode>0</returncode>\n<output>\nsrc/a.ts\nsrc/b.ts\n</output>"],
    [
      "OpenHands",
      "src/a.ts\nsrc/b.ts\n[The command completed with exit code 0.]\n[Current working directory: /repo]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 0]",
    ],
    [
      "Roo Code",
      "Command executed in terminal within working directory '/repo'. Exit code: 0\nOutput:\nsrc/a.ts\nsrc/b.ts",
    ],
  ])("is no output: %s", (_, output) => {
    const [look] = told(ran("shell", "git ls-files", output));
    expect(look).toEqual({ command: "git ls-files", exitCode: 0, outcome: "success", result: "2 lines: … src/b.ts" });
  });

  it.each([
    ["Codex", codex("", "Process exited with code 0")],
    ["Gemini CLI", gemini("(empty)", "0")],
    ["mini-swe-agent", "<returncode>0</returncode>\n<output>\n</output>"],
  ])("is no output where nothing was printed: %s", (_, output) => {
    expect(told(ran("shell", "git diff", output))).toMatchObject([{ result: "no changes" }]);
  });

  it.each([
    ["Codex", codex("src/a.ts is not sorted", "Process exited with code 1")],
    ["Gemini CLI", gemini("src/a.ts is not sorted", "1")],
    ["mini-swe-agent", "<returncode>1</returncode>\n<output>\nsrc/a.ts is not sorted\n</output>"],
  ])("has the exit code, and the error is the program's own: %s", (_, output) => {
    expect(told(ran("shell", "npm run lint", output))).toEqual([
      { command: "npm run lint", exitCode: 1, outcome: "failure", error: "src/a.ts is not sorted" },
    ]);
  });

  it("has the exit code where Gemini CLI returns the output as an error", () => {
    const error =
      "Command: git log -1\nDirectory: (root)\nOutput: fatal: no commits yet\nError: (none)\nExit Code: 128\nSignal: 0\nProcess Group PGID: 1157";
    const conversation = new Conversation().user("Go.").tool("run_shell_command", { command: "git log -1" }, { error });
    expect(told(conversation)).toEqual([
      { command: "git log -1", exitCode: 128, outcome: "failure", error: "fatal: no commits yet" },
    ]);
  });

  it("keeps what a program says of exit codes as its own words", () => {
    const output = codex("exit code 3 means that the disk is full", "Process exited with code 0");
    expect(told(ran("shell", "cat notes.txt", output))).toMatchObject([{ exitCode: 0, outcome: "success" }]);
  });

  it("leaves out how the harness of mini-swe-agent cuts a long output, and counts no lines of it", () => {
    const output =
      "<returncode>0</returncode>\n<warning>\nThe output of your last command was too long.\nPlease try a different command that produces less output.\n</warning><output_head>\nfirst line\n</output_head>\n<elided_chars>\n1237 characters elided\n</elided_chars>\n<output_tail>\nlast line\n\n</output_tail>";
    const { text, summary } = summaryOf(ran("shell", "cat big.log", output));
    expect(summary.toolOutcomes).toMatchObject([{ keyFields: { result: "last line" } }]);
    expect(text).not.toMatch(/elided|too long|output_/);
  });

  it("leaves a file alone that only quotes such a frame", () => {
    const page = `# Output\n\n${codex("hello", "Process exited with code 0")}`;
    expect(told(ran("shell", "cat docs/frames.md", page))).toMatchObject([{ result: "7 lines: … hello" }]);
  });
});

describe("a command in the background", () => {
  const TESTS = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 2 passed in 0.04s";

  it("is told by how it ended, once, under its own words (Codex)", () => {
    const conversation = new Conversation()
      .user("Go.")
      .tool("exec_command", { cmd: "pytest -q" }, codex("..", "Process running with session ID 91"))
      .tool("write_stdin", { session_id: 91, chars: "" }, codex(".", "Process running with session ID 91"))
      .tool("write_stdin", { session_id: 91, chars: "" }, codex(`F\n${TESTS}`, "Process exited with code 1"));
    expect(told(conversation)).toEqual([
      {
        command: "pytest -q",
        exitCode: 1,
        outcome: "failure",
        result: "1 failed, 2 passed",
        error: "tests/test_cart.py::test_total: assert 3 == 4",
      },
    ]);
  });

  const status = (state: string, output: string, code = "") =>
    `<status>${state}</status>\n\n${code}<stdout>\n${output}\n</stdout>\n\n<timestamp>2025-03-01T10:00:00.000Z</timestamp>`;
  const STARTED = "Command running in background with ID: bash_1";

  it("is told by its last read (Claude Code), with what it printed before", () => {
    const conversation = new Conversation()
      .user("Go.")
      .tool("Bash", { command: "npm run build", run_in_background: true }, STARTED)
      .tool("BashOutput", { bash_id: "bash_1" }, status("running", "12 modules built"))
      .tool("BashOutput", { bash_id: "bash_1" }, status("completed", "", "<exit_code>0</exit_code>\n\n"));
    expect(told(conversation)).toEqual([
      { command: "npm run build", exitCode: 0, outcome: "success", result: "12 modules built" },
    ]);
  });

  it("is told by what TaskOutput and a notice say", () => {
    const output = `<retrieval_status>success</retrieval_status>\n\n<task_id>b7</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>completed</status>\n\n<exit_code>1</exit_code>\n\n<output>\n${TESTS}\n</output>`;
    const notice =
      '<task-notification>\n<task-id>b8</task-id>\n<output-file>/tmp/tasks/b8.output</output-file>\n<status>failed</status>\n<summary>Background command "make" failed with exit code 2</summary>\n</task-notification>';
    const conversation = new Conversation()
      .user("Go.")
      .tool(
        "Bash",
        { command: "pytest -q" },
        "Command running in background with ID: b7. Output is being written to: /tmp/tasks/b7.output",
      )
      .tool(
        "Bash",
        { command: "make" },
        "Command running in background with ID: b8. Output is being written to: /tmp/tasks/b8.output",
      )
      .tool("Bash", { command: "tail -3 /tmp/tasks/b8.output" }, "cart.c:3:1: error: expected ';'")
      .tool("TaskOutput", { task_id: "b7", block: true }, output)
      .user(notice);
    expect(told(conversation)).toEqual([
      {
        command: "pytest -q",
        exitCode: 1,
        outcome: "failure",
        result: "1 failed, 2 passed",
        error: "tests/test_cart.py::test_total: assert 3 == 4",
      },
      { command: "make", exitCode: 2, outcome: "failure", error: "cart.c:3:1: error: expected ';'" },
    ]);
  });

  it("is known by the file that its output is written to, also if it was moved there when it took too long", () => {
    const moved =
      "Command did not complete within its 120s timeout and was moved to the background (ID: b9). Output is being written to: C:\\tmp\\tasks\\b9.output. You will be notified when it completes.";
    const conversation = new Conversation()
      .user("Go.")
      .tool("Bash", { command: "pytest -q" }, moved)
      .tool("Read", { file_path: "C:\\tmp\\tasks\\b9.output" }, "     1→F..\n     2→1 failed, 2 passed in 0.04s");
    expect(told(conversation)).toMatchObject([
      { command: "pytest -q", outcome: "failure", result: "1 failed, 2 passed" },
    ]);
  });

  it("is told as running only if the last read says so, with the name by which it is read on, also in a later fold", () => {
    const conversation = new Conversation()
      .user("Go.")
      .tool("Bash", { command: "npm run dev" }, STARTED)
      .tool("BashOutput", { bash_id: "bash_1" }, status("running", "Local: http://localhost:5173/"));
    const border = conversation.messages.length;
    conversation
      .user("Stop it.")
      .tool("KillShell", { shell_id: "bash_1" }, "Successfully killed shell: bash_1 (npm run dev)");
    const [first, second] = foldAt(conversation, [border, conversation.messages.length]);
    expect(first?.toolOutcomes.map(({ outcome, keyFields }) => ({ outcome, keyFields }))).toEqual([
      {
        outcome: "success",
        keyFields: {
          command: "npm run dev",
          session: "bash_1",
          result: "still running, Local: http://localhost:5173/",
        },
      },
    ]);
    expect(second?.toolOutcomes.map(({ keyFields }) => keyFields)).toEqual([
      { command: "npm run dev", result: "stopped" },
    ]);
  });

  it("is not a session of another tool that happens to use a number", () => {
    const conversation = ran("shell", "./hi.sh", codex("hi", "Process running with session ID 91")).tool(
      "close_ticket",
      { ticket: 91 },
      "closed",
    );
    expect(told(conversation)).toMatchObject([{ command: "./hi.sh" }, { ticket: 91 }]);
  });
});
