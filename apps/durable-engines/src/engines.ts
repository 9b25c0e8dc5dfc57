import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connectPostgres } from "@threadfold/stores/postgres";

/** A server that tests started, and the environment variables by which the pages' programs find it. */
export interface RunningEngine {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Starts what the pages of durable engines need: Restate's server, and a database in the tests' PostgreSQL. `absent`
 * has the names of the pages whose engine could not be started, and why.
 *
 * @throws Error the reason, when an engine could not be started and `THREADFOLD_REQUIRE_SERVICES` is 1.
 */
export async function startEngines(): Promise<RunningEngine & { readonly absent: ReadonlyMap<string, string> }> {
  const postgres = process.env["THREADFOLD_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";
  const begun = { "restate.md": startRestate(), "dbos.md": freshDatabase(postgres) };
  const ends = await Promise.allSettled(Object.values(begun));
  const running = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
  const close = async () => void (await Promise.all(running.map((engine) => engine.close())));
  const failed = ends.findLast((end) => end.status === "rejected");
  if (failed !== undefined && process.env["THREADFOLD_REQUIRE_SERVICES"] === "1") {
    await close();
    throw failed.reason;
  }
  return {
    environment: Object.assign({}, ...running.map(({ environment }) => environment)),
    absent: new Map(
      Object.keys(begun).flatMap((page, index) => {
        const end = ends[index];
        return end?.status === "rejected" ? [[page, `${end.reason}`]] : [];
      }),
    ),
    close,
  };
}

/** Starts Restate's own server, with all its data in a folder that is removed when it is closed. */
async function startRestate(): Promise<RunningEngine> {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-restate-"));
  const [node, admin, ingress] = (await freePorts(3)) as [number, number, number];
  const program = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  const server = spawn(createRequire(import.meta.url).resolve(program), {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
    env: {
      ...process.env,
      ...{ RESTATE_BASE_DIR: folder, RESTATE_DISABLE_TELEMETRY: "true", RESTATE_LISTEN_MODE: "tcp" },
      ...{ RESTATE_BIND_IP: "127.0.0.1", RESTATE_BIND_PORT: `${node}`, RESTATE_DEFAULT_NUM_PARTITIONS: "1" },
      ...{ RESTATE_ADMIN__BIND_PORT: `${admin}`, RESTATE_INGRESS__BIND_PORT: `${ingress}` },
    },
  });
  const environment = {
    RESTATE_ADMIN: `http://127.0.0.1:${admin}`,
    RESTATE_INGRESS: `http://127.0.0.1:${ingress}`,
  };
  const close = async () => {
    await endOf(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(
      [`${environment.RESTATE_ADMIN}/health`, `${environment.RESTATE_INGRESS}/restate/health`].map((url) =>
        answers(server, url),
      ),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return { environment, close };
}

/** Creates a fresh database on the server at `url`. */
async function freshDatabase(url: string): Promise<RunningEngine> {
  const name = `threadfold_engine_${process.pid}_${Date.now()}`;
  const driver = connectPostgres(url, { maxConnections: 1 });
  await driver.script(`CREATE DATABASE ${name}`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return {
    environment: { DBOS_SYSTEM_DATABASE_URL: address.href },
    close: async () => {
      await driver.script(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await driver.close();
    },
  };
}

/** Returns free ports on the loopback. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const { port } = server.address() as { port: number };
      server.close();
      await once(server, "close");
      return port;
    }),
  );
}

async function answers(server: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null)
      throw new Error(`Restate's server exited with ${server.exitCode} before it answered.`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await wait(100);
  }
}

/** Ends a process, by force after ten seconds. */
async function endOf(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const end = once(server, "exit");
  server.kill("SIGTERM");
  const inTime = new AbortController();
  await Promise.race([end, wait(10_000, undefined, { signal: inTime.signal }).then(() => server.kill("SIGKILL"))]);
  inTime.abort();
  await end.catch(() => undefined);
}
