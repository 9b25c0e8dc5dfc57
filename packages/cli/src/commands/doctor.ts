import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { ThreadfoldError } from "@threadfold/core";
import type { CliCommand } from "../command/cli-command.ts";
import { checkStore } from "../doctor/check-store.ts";
import { attempted, type CheckStatus, type Checkup, checkup } from "../doctor/checkup.ts";
import { count, type Page, type PaintStyle, plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { storeAddress } from "../store/store-address.ts";

const COLOURS: Readonly<Record<CheckStatus, PaintStyle>> = {
  ok: "green",
  warning: "yellow",
  failed: "red",
  missing: "dim",
};
const WIDEST_STATUS = 9;

/** `doctor`: says whether this machine can keep a store, and what prevents it. */
export const doctorCommand: CliCommand = {
  arguments: [],
  options: [
    STORE_OPTION,
    { flags: "--redis <url>", description: "summary cache to try (default: $THREADFOLD_REDIS_URL, else none)" },
  ],
  examples: ["doctor", "doctor --store postgres://app@db.example/agents --redis redis://cache.example --json"],
  async run({ options }, { io }) {
    const named = options["redis"] ?? io.env["THREADFOLD_REDIS_URL"];
    if (named === "") throw new ThreadfoldError("USAGE", "--redis is empty; it must be an address.");
    const checks = [
      ...checkRuntime(),
      ...(await checkStore(storeAddress(options, io.env))),
      ...(typeof named === "string" ? await attempted("redis", () => checkRedis(named)) : []),
    ];
    const failed = checks.filter(({ status }) => status === "failed");
    const report = { data: { checks }, text: (page: Page) => doctorPage(checks, page) };
    const [first] = failed;
    if (first === undefined) return report;
    const message = `${count(failed.length, "check")} failed; the first is ${first.name}: ${first.found}`;
    return { ...report, failure: new ThreadfoldError("STORE_UNAVAILABLE", message, { hint: first.hint }) };
  },
};

function doctorPage(checks: readonly Checkup[], { paint }: Page): string {
  const widest = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, status, found, hint }) => [
      `${paint(COLOURS[status], status.padEnd(WIDEST_STATUS))}${name.padEnd(widest + 2)}${plainText(found)}`,
      ...(hint === "" ? [] : [`${" ".repeat(WIDEST_STATUS + widest + 2)}${plainText(hint)}`]),
    ])
    .join("\n");
}

const LEAST_NODE = [22, 13] as const;
/** Packages that stores load on demand. */
const DRIVERS = [
  { name: "pg", serves: "stores at postgres://" },
  { name: "ioredis", serves: "summary caches at redis://" },
  { name: "@aws-sdk/client-s3", serves: "artifacts at s3://" },
] as const;

/** Checks Node and its SQLite, and which server drivers are installed. */
function checkRuntime(): readonly Checkup[] {
  return [checkNode(process.versions.node), ...checkSqlite(), ...DRIVERS.map(checkDriver)];
}

function checkNode(version: string): Checkup {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNewEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const least = LEAST_NODE.join(".");
  return checkup(
    "node",
    isNewEnough ? "ok" : "failed",
    `Node.js ${version}`,
    isNewEnough ? "" : `Install ${least} or newer.`,
  );
}

function checkSqlite(): readonly Checkup[] {
  const sqlite = process.versions["sqlite"];
  if (sqlite === undefined)
    return [checkup("sqlite", "failed", "this Node.js has no SQLite", "Use another build of Node.js.")];
  return [checkup("sqlite", "ok", `SQLite ${sqlite}, a part of Node.js`)];
}

function checkDriver({ name, serves }: (typeof DRIVERS)[number]): Checkup {
  const driver = `driver.${name}`;
  try {
    import.meta.resolve(name);
    return checkup(driver, "ok", `${name} is installed`);
  } catch {
    return checkup(driver, "missing", `${name} is not installed`, `For ${serves}: npm install ${name}`);
  }
}

/** Checks a Redis for summaries by writing a value that expires automatically and reading it back. */
async function checkRedis(address: string): Promise<readonly Checkup[]> {
  const { openRedisSummaryCache } = await import("@threadfold/stores/redis");
  const troubles: string[] = [];
  const cache = await openRedisSummaryCache(address, {
    tenantId: null,
    secret: randomBytes(32).toString("hex"),
    prefix: `threadfold-doctor-${randomBytes(4).toString("hex")}`,
    ttlSeconds: 5,
    timeoutMs: 1_000,
    onTrouble: ({ kind }) => void troubles.push(kind),
  });
  try {
    const before = performance.now();
    await cache.set("key", "value");
    const value = await cache.get("key");
    const took = (performance.now() - before).toFixed(1);
    if (value === "value") return [checkup("redis", "ok", `answers; a write and a read take ${took} ms`)];
    const hint = "Sessions carry on without it, but pay for summaries again.";
    return [checkup("redis", "failed", `does not answer (${troubles[0] ?? "the value is gone"})`, hint)];
  } finally {
    await cache.close();
  }
}
