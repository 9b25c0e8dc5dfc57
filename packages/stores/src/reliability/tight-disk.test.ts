import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { THREAD } from "../laws/sample-data.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { nodeArguments, removeCompiled, runChild, untilEnd } from "../testing/child.ts";
import { freshFolder } from "./rounds.ts";

afterAll(removeCompiled);

const { path: folder, remove } = freshFolder();
afterAll(remove);
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const mayMount = spawnSync("unshare", ["-m", "true"]).status === 0;
/** Nobody can only write where every folder on the way may be entered by anybody. */
chmodSync(folder, 0o755);
const withoutNobody = isRoot && !mayEnter(folder) ? ` (skipped: others may not enter ${folder})` : "";
const withoutMounts = mayMount ? "" : " (skipped: this user may not mount)";

function mayEnter(path: string): boolean {
  const isOpen = (statSync(path).mode & 0o001) !== 0;
  return isOpen && (dirname(path) === path || mayEnter(dirname(path)));
}

/** What the process printed about itself. */
interface TightDisk {
  readonly outcomes: readonly string[];
  readonly acknowledged: number;
  readonly afterwards: number;
  readonly version: number | null;
  readonly findings: readonly string[];
}

const quoted = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(" ");
const command = (...values: readonly string[]): string =>
  quoted([process.execPath, ...nodeArguments("reliability/tight-disk.process.ts", values)]);

/** Runs shell lines, and gives what each process of theirs came to. */
async function shell(runner: readonly string[], lines: readonly string[]): Promise<readonly TightDisk[]> {
  const [first = "", ...rest] = runner;
  const { code, stdout, stderr } = await runChild(first, [...rest, lines.join("\n")]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as TightDisk]));
}

const inNamespace = ["unshare", "-m", "sh", "-ec"];

describe("R32 a disk that refuses writes", () => {
  it.skipIf(!mayMount)(
    `R32 full: a typed error, nothing acknowledged is lost, and work continues once there is room${withoutMounts}`,
    async ({ task }) => {
      const disk = join(folder, "disk");
      mkdirSync(disk);
      const [run] = await shell(inNamespace, [
        `mount -t tmpfs -o size=2m tmpfs ${quoted([disk])}`,
        `head -c 800000 /dev/zero > ${quoted([join(disk, "ballast")])}`,
        command(join(disk, "store.db"), "1000", join(disk, "ballast")),
      ]);
      expect(run?.outcomes).toEqual(["STORE_UNAVAILABLE"]);
      expect(run?.acknowledged).toBeGreaterThan(10);
      expect(run).toMatchObject({ afterwards: 5, version: (run?.acknowledged ?? 0) + 5, findings: [] });
      Object.assign(task.meta, { figures: { mode: "disk full", acknowledged: run?.acknowledged, lost: 0 } });
    },
  );

  it.skipIf(!mayMount)(
    `R32 read-only: a typed error, and work continues once it is writable again${withoutMounts}`,
    async ({ task }) => {
      const disk = join(folder, "read-only");
      mkdirSync(disk);
      const store = join(disk, "store.db");
      const runs = await shell(inNamespace, [
        `mount -t tmpfs tmpfs ${quoted([disk])}`,
        `${command(store, "10")}; echo`,
        `mount -o remount,ro ${quoted([disk])}`,
        `${command(store, "10")}; echo`,
        `${command(join(disk, "new.db"), "1")}; echo`,
        `mount -o remount,rw ${quoted([disk])}`,
        `${command(store, "10")}; echo`,
      ]);
      expect(runs.map(({ outcomes }) => outcomes)).toEqual([[], ["STORE_UNAVAILABLE"], ["STORE_UNAVAILABLE"], []]);
      expect(runs.map(({ version }) => version)).toEqual([10, null, null, 20]);
      Object.assign(task.meta, { figures: { mode: "read-only file system", acknowledged: 20, lost: 0 } });
    },
  );

  it("R32 a file at its size limit (RLIMIT_FSIZE): a typed error, and nothing acknowledged is lost", async ({
    task,
  }) => {
    const path = join(folder, "limited.db");
    // Without the trap the signal ends the process, which R1 has; the error is what is looked at here. Unit: 1 KiB.
    const [run] = await shell(["bash", "-c"], ["trap '' XFSZ", "ulimit -f 400", `${command(path, "1000")} || true`]);
    expect(run?.outcomes).toContain("STORE_UNAVAILABLE");
    expect(run?.outcomes.filter((outcome) => outcome !== "STORE_UNAVAILABLE")).toEqual([]);
    expect(run?.acknowledged).toBeGreaterThan(10);
    const store = await openSqliteStore(path);
    expect((await store.threads.load(THREAD))?.version).toBe(run?.acknowledged);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    Object.assign(task.meta, { figures: { mode: "RLIMIT_FSIZE", acknowledged: run?.acknowledged, lost: 0 } });
  });

  // Permissions do not bind the superuser, so that the process becomes nobody where the tests run as root. It does so once
  // it has loaded everything: what it loads may lie where nobody else may look.
  it.skipIf(withoutNobody !== "")(
    `R32 permission lost: a typed error, and work continues once it is given back${withoutNobody}`,
    async ({ task }) => {
      const place = join(folder, "private");
      mkdirSync(place);
      if (isRoot) chownSync(place, NOBODY, NOBODY);
      const path = join(place, "store.db");
      const run = async (): Promise<TightDisk> => {
        const { stdout, stderr } = await untilEnd(
          spawn(process.execPath, nodeArguments("reliability/tight-disk.process.ts", [path, "10"]), {
            stdio: ["ignore", "pipe", "pipe"],
            env: { ...process.env, ...(isRoot && { THREADFOLD_TEST_USER: `${NOBODY}` }) },
          }),
        );
        expect(stderr).toBe("");
        return JSON.parse(stdout) as TightDisk;
      };
      expect(await run()).toMatchObject({ outcomes: [], version: 10 });
      for (const [mode, of] of [
        [0o444, path],
        [0o000, path],
        [0o555, place],
      ] as const) {
        chmodSync(of, mode);
        const refused = await run();
        expect([mode, refused.outcomes, refused.acknowledged]).toEqual([mode, ["STORE_UNAVAILABLE"], 0]);
        chmodSync(of, of === place ? 0o755 : 0o644);
      }
      expect(await run()).toMatchObject({ outcomes: [], version: 20, findings: [] });
      Object.assign(task.meta, { figures: { mode: "permission lost", refusals: 3, lost: 0 } });
    },
  );
});
