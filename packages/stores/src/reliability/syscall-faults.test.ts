import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { patience, runs } from "@threadfold/core/laws";
import { afterAll, describe, expect, it } from "vitest";
import { faultedProblems } from "./check-faulted.ts";
import { nodeArguments, removeCompiled, runChild } from "./child.ts";
import { faultedWords } from "./faulted-word.ts";
import { freshFolder, onLanes } from "./lane.ts";

afterAll(removeCompiled);

/** The calls by which SQLite changes files. */
const CALLS = ["pwrite64", "write", "fsync", "fdatasync", "ftruncate", "unlink", "rename"] as const;

const canTrace = spawnSync("strace", ["-f", "-o", "/dev/null", "true"]).status === 0;
const note = canTrace ? "" : " (skipped: strace is not there, or may not trace)";
const { path: folder, remove } = freshFolder();
afterAll(remove);

/** Runs the operations on files, with what strace does to calls on them, and gives its log beside what was printed. */
async function traced(name: string, files: number, inject: readonly string[]) {
  const paths = Array.from({ length: files }, (_, index) => join(folder, `${name}-${index}.db`));
  const log = join(folder, `${name}.log`);
  const watched = paths.flatMap((path) => ["", "-wal", "-journal", "-shm"].flatMap((end) => ["-P", `${path}${end}`]));
  const ended = await runChild("strace", [
    // Stopping at these calls alone is quicker, but strace then sends no signals.
    ...(inject.some((each) => each.includes("signal=")) ? [] : ["--seccomp-bpf"]),
    ...["-f", "-o", log, "-e", `trace=${CALLS.join(",")}`, ...watched],
    ...inject.flatMap((each) => ["-e", `inject=${each}`]),
    ...[process.execPath, ...nodeArguments("faulted.process.ts", paths)],
  ]);
  return { paths, log: readFileSync(log, "utf8"), words: faultedWords(ended.stdout), ...ended };
}

/** How often each call was made on the files. */
const countsIn = (log: string): ReadonlyMap<string, number> =>
  new Map(CALLS.map((call) => [call, log.match(new RegExp(`\\b${call}\\(`, "g"))?.length ?? 0]));

describe.skipIf(!canTrace)(`R2 system calls on a SQLite file that fail${note}`, () => {
  it("R2 a process that is killed at any of them leaves all or nothing of what it did (every second one)", {
    timeout: patience(180_000),
  }, async ({ task }) => {
    const whole = await traced("whole", 1, []);
    expect(whole.words.map(({ outcome }) => outcome)).toEqual(Array(7).fill("acknowledged"));
    const points = [...countsIn(whole.log)].flatMap(([call, count]) =>
      Array.from({ length: count }, (_, index) => ({ call, nth: index + 1 })),
    );
    // The full run takes every one; where this one begins does not matter, for neighbours are much alike.
    const stride = runs(1).numRuns > 1 ? 1 : 2;
    const taken = points.filter((_, index) => index % stride === 0);
    const problems: string[] = [];
    const killed = new Set<number>();
    await onLanes(3, taken.length, async (round) => {
      const { call, nth } = taken[round] as (typeof taken)[number];
      const { paths, words, log } = await traced(`kill-${round}`, 1, [`${call}:signal=SIGKILL:when=${nth}`]);
      if (log.includes("+++ killed by SIGKILL +++")) killed.add(round);
      for (const problem of await faultedProblems(paths[0] as string, words))
        problems.push(`${call} ${nth}: ${problem}`);
    });
    expect(problems).toEqual([]);
    // The number of a few calls differs by one or so from run to run, so that the last ones may not come.
    expect(killed.size).toBeGreaterThan(taken.length * 0.9);
    Object.assign(task.meta, { figures: { calls: points.length, killed: killed.size, problems: 0 } });
  });

  it("R2 errors of any of them end in a typed error, and leave all or nothing of what was asked (150 points and more)", async ({
    task,
  }) => {
    const files = 12 * Math.min(4, runs(1).numRuns);
    const faults = [
      ...["EIO", "ENOSPC", "EINTR"].map((error) => `pwrite64:error=${error}`),
      "pwrite64:retval=0",
      ...["fsync:error=EIO", "fsync:error=ENOSPC", "ftruncate:error=EIO", "unlink:error=EIO"],
    ];
    const every: Readonly<Record<string, string>> = {
      pwrite64: "11+47",
      fsync: "2+7",
      ftruncate: "1+2",
      unlink: "1+3",
    };
    let injected = 0;
    let acknowledged = 0;
    const codes = new Set<string>();
    const problems: string[] = [];
    await onLanes(2, faults.length, async (round) => {
      const fault = faults[round] as string;
      const when = every[fault.split(":")[0] as string];
      const { paths, words, log, code, stderr } = await traced(`error-${round}`, files, [`${fault}:when=${when}`]);
      expect([fault, code, stderr]).toEqual([fault, 0, ""]);
      injected += log.match(/\(INJECTED\)/g)?.length ?? 0;
      for (const { outcome } of words) {
        if (outcome === "acknowledged") acknowledged++;
        else codes.add(outcome);
      }
      for (const path of paths)
        for (const problem of await faultedProblems(path, words)) problems.push(`${fault}: ${problem}`);
    });
    expect(problems).toEqual([]);
    expect(injected).toBeGreaterThanOrEqual(150);
    expect([...codes]).toContain("STORE_UNAVAILABLE");
    Object.assign(task.meta, { figures: { injected, acknowledged, codes: [...codes].sort().join(" "), problems: 0 } });
  });
});
