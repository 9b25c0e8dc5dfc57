import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../command-list.ts";
import { COMPLETED_SHELLS, type CompletedShell } from "../completion/shell-scripts.ts";
import { captureRun } from "../testing/captured-io.ts";
import { commandArguments, removeBundle } from "../testing/from-source.ts";
import { openAiSession } from "../testing/recorded-sessions.ts";
import { json, Workbench } from "../testing/workbench.ts";

afterAll(removeBundle);

const bench = new Workbench();

/**
 * How a shell is asked what a key press would offer at the end of a line. Files are offered by bash and zsh themselves, for
 * which `:files` stands.
 */
const ASKS: Readonly<Record<CompletedShell, (script: string, line: string) => readonly string[]>> = {
  bash: (script, line) => [
    ...["--norc", "--noprofile", "-c"],
    `source ${script}; compopt() { if [ "$1" = -o ]; then echo :files; fi; }
     COMP_LINE="$1"; COMP_POINT=\${#1}; _threadfold; printf '%s\n' "\${COMPREPLY[@]}"`,
    ...["bash", line],
  ],
  // The words and the prefix are what zsh sets for its widgets; what they would show is printed.
  zsh: (script, line) => [
    ...["-f", "-c"],
    String.raw`compdef() { : }; source ${script}
     compset() { PREFIX="${"$"}{PREFIX#*=}" }
     _files() { print -r -- :files }
     _describe() {
       local each tab=$'\t'
       for each in "${"$"}{(@P)2}"; do
         each="${"$"}{${"$"}{${"$"}{each//\\:/$tab}%%:*}//$tab/:}"
         if [[ "$each" == "$PREFIX"* ]]; then print -r -- "$each"; fi
       done
     }
     words=("${"$"}{(@s: :)1}"); CURRENT=${"$"}{#words}; PREFIX="${"$"}{words[-1]}"; _threadfold; true`,
    ...["zsh", line],
  ],
  fish: (script, line) => [
    ...["--no-config", "-c", `source ${script}; complete -C $argv[1] | string replace -r '\\t.*' ''; true`],
    line,
  ],
};

/** Whether a shell is on this machine. */
const isThere = (shell: CompletedShell): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** What a shell offers at the end of a line, with `threadfold` on its path. */
async function offered(shell: CompletedShell, line: string): Promise<readonly string[]> {
  const script = bench.file(`threadfold.${shell}`, (await captureRun(["completion", shell])).stdout);
  const command = [process.execPath, ...commandArguments()].map((part) => `'${part}'`).join(" ");
  writeFileSync(bench.path("threadfold"), `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(bench.path("threadfold"), 0o755);
  const { stdout, stderr, status } = spawnSync(shell, ASKS[shell](script, line), {
    cwd: bench.root,
    encoding: "utf8",
    env: { ...process.env, PATH: `${bench.root}:${process.env["PATH"]}`, HOME: bench.root, LC_ALL: "C.UTF-8" },
  });
  expect([line, stderr, status]).toEqual([line, "", 0]);
  return stdout
    .split("\n")
    .filter((each) => each !== "")
    .sort();
}

describe.each(COMPLETED_SHELLS)("completion in %s", (shell) => {
  const inShell = it.skipIf(!isThere(shell));

  /** Bash replaces what is behind an = alone, fish the whole word. */
  const behindEquals = (option: string, value: string) => (shell === "fish" ? `${option}=${value}` : value);

  inShell("offers the commands, and those that begin as what is typed", async () => {
    expect(await offered(shell, "threadfold ")).toEqual(COMMANDS.map(({ name }) => name).sort());
    expect(await offered(shell, "threadfold comp")).toEqual(["compact", "completion"]);
    expect(await offered(shell, "threadfold --quiet comp")).toEqual(["compact", "completion"]);
    expect(await offered(shell, "threadfold zebra")).toEqual([]);
  });

  inShell("offers options, the choices of an option and of an argument, and files", async () => {
    bench.file("session.jsonl", "");
    const files = shell === "fish" ? ["session.jsonl"] : [":files"];
    expect(await offered(shell, "threadfold compact x.jsonl --fo")).toEqual(["--force", "--format"]);
    expect(await offered(shell, "threadfold --ver")).toEqual(["--version"]);
    expect(await offered(shell, "threadfold plans --js")).toEqual(["--json"]);
    expect(await offered(shell, "threadfold compact --from x.jsonl --format ge")).toEqual([
      "gemini",
      "gemini-interactions",
    ]);
    const given = await offered(shell, "threadfold compact x.jsonl --format=gemini-i");
    expect(given).toEqual([behindEquals("--format", "gemini-interactions")]);
    expect(await offered(shell, "threadfold completion ")).toEqual([...COMPLETED_SHELLS].sort());
    expect(await offered(shell, "threadfold compact ses")).toEqual(files);
    expect(await offered(shell, "threadfold simulate a.jsonl b.jsonl ses")).toEqual(files);
    expect(await offered(shell, "threadfold plans --store ses")).toEqual(files);
    expect(await offered(shell, "threadfold compact --budget ")).toEqual([]);
    expect(await offered(shell, "threadfold compact -- --fo")).toEqual(shell === "fish" ? [] : [":files"]);
  });

  inShell("offers the threads of the store where one is named, and nothing without a store", async () => {
    await json(["import", bench.file("session.json", openAiSession()), "--store", bench.store]);
    const [thread] = (await captureRun(["threads", "--quiet", "--store", bench.store])).stdout.split("\n");
    const id = thread ?? "";
    await json(["fork", id, "work:it", "--store", bench.store]);
    expect(await offered(shell, `threadfold bill --store ${bench.store} `)).toEqual([id, "work:it"].sort());
    expect(await offered(shell, "threadfold plans --store=~/sessions.db wo")).toEqual(["work:it"]);
    expect(await offered(shell, `threadfold mcp --store ${bench.store} --thread wo`)).toEqual(["work:it"]);
    expect(await offered(shell, `threadfold fork ${id} --store ${bench.store} wo`)).toEqual([]);
    const colon = await offered(shell, `threadfold bill --store ${bench.store} work:`);
    expect(colon).toEqual([shell === "bash" ? "it" : "work:it"]);
    expect(await offered(shell, "threadfold bill --store nowhere.db ")).toEqual([]);
  });
});

describe("threadfold completion", () => {
  it("refuses other shells", async () => {
    const { code, envelope } = await json(["completion", "tcsh"]);
    expect([code, envelope.error?.code]).toEqual([2, "USAGE"]);
    expect(envelope.error?.message).toContain("bash, zsh, fish");
  });
});
