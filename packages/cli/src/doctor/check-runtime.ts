import { type Checkup, checkup } from "./checkup.ts";

const LEAST_NODE = [22, 13] as const;
/** Packages that stores load when they are asked for. */
const DRIVERS = [
  { name: "pg", serves: "stores at postgres://" },
  { name: "ioredis", serves: "summary caches at redis://" },
  { name: "@aws-sdk/client-s3", serves: "artifacts at s3://" },
] as const;

/** Node and its SQLite, and which drivers of servers are installed. */
export function checkRuntime(): readonly Checkup[] {
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
    isNewEnough ? "" : `Take ${least} or newer.`,
  );
}

function checkSqlite(): readonly Checkup[] {
  const sqlite = process.versions["sqlite"];
  if (sqlite === undefined)
    return [checkup("sqlite", "failed", "this Node.js has no SQLite", "Take another build of it.")];
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
