import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { patience, runs } from "@threadfold/core/laws";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { childEnvironment, nodeArguments, removeCompiled } from "../testing/child.ts";
import { connectForTests, findPostgres, freshSchema } from "../testing/services.ts";
import { type ListOperation, type ListWord, type ListWork, listHistoryProblem, workOnList } from "./list-history.ts";
import { freshFolder } from "./rounds.ts";

afterAll(removeCompiled);

const service = await findPostgres();
const CLIENTS = 8;
/** Of each of the clients, so that a history has some more than 500, and 2,000 in the full run. */
const OPERATIONS = runs(63, 250).numRuns;
const PER_HISTORY = CLIENTS * OPERATIONS;

/** Puts the words of all clients together to a history. */
class Recorder {
  readonly #operations = new Map<string, { -readonly [Key in keyof ListOperation]: ListOperation[Key] }>();

  readonly hear = (word: ListWord): void => {
    const key = `${word.client} ${word.number}`;
    if ("start" in word) {
      const { client, start, value } = word;
      this.#operations.set(key, { client, start: BigInt(start), end: null, value });
      return;
    }
    const operation = this.#operations.get(key);
    if (operation === undefined) throw new Error(`${key} ended before it began`);
    operation.end = BigInt(word.end);
    if (word.seen !== undefined) operation.seen = word.seen;
  };

  get history(): readonly ListOperation[] {
    return [...this.#operations.values()];
  }
}

const workOf = (client: number, history: number): ListWork => ({
  client: `${client}`,
  thread: `list-${history}`,
  operations: OPERATIONS,
  seed: history * CLIENTS + client,
});

/** Holds a history against what the store has in the end, and gives how many operations have no known end. */
async function check(store: ThreadfoldStore, number: number, { history }: Recorder): Promise<number> {
  const threadId = asThreadId(`list-${number}`);
  const final = [...((await store.threads.load(threadId))?.messages ?? [])].map(({ id }) => id);
  expect(listHistoryProblem(history, final), `history ${number}`).toBeNull();
  expect(await verifyStore(store, threadId)).toEqual([]);
  return history.filter(({ end }) => end === null).length;
}

const processes = new Set<ChildProcess>();
afterEach(() => {
  for (const child of processes) child.kill("SIGKILL");
  processes.clear();
});

/** A client process, which does one piece of work after the other. */
class ListProcess {
  readonly #child: ChildProcess;
  #hear: (word: ListWord) => void = () => undefined;
  #settle: () => void = () => undefined;
  /** Exit code of a client that went by itself, or why it could not be started; null for one that runs or was killed. */
  #ended: number | string | null = null;

  constructor() {
    const child = spawn(process.execPath, nodeArguments("reliability/list-client.process.ts", []), {
      stdio: ["pipe", "pipe", "inherit"],
      env: childEnvironment(),
    });
    processes.add(child);
    createInterface({ input: child.stdout }).on("line", (line) => {
      // The last line of one that was killed may have been cut off.
      if (!line.endsWith("}")) return;
      const word = JSON.parse(line) as ListWord | { readonly done: true } | { readonly ready: true };
      if ("done" in word) this.#settle();
      else if (!("ready" in word)) this.#hear(word);
    });
    child.on("error", ({ message }) => {
      this.#ended = message;
      this.#settle();
    });
    // Streams are read to their end before "close", so every word of a killed client was heard.
    child.on("close", (code) => {
      this.#ended ??= code;
      this.#settle();
    });
    this.#child = child;
  }

  work(path: string, work: ListWork, hear: (word: ListWord) => void): Promise<void> {
    this.#hear = hear;
    this.#child.stdin?.write(`${JSON.stringify({ ...work, path })}\n`);
    return new Promise((resolve, reject) => {
      this.#settle = () => (this.#ended === null ? resolve() : reject(new Error(`a client ended with ${this.#ended}`)));
    });
  }

  kill(): void {
    processes.delete(this.#child);
    this.#child.kill("SIGKILL");
  }
}

describe("R9 the history of 8 clients that append to and read one thread", () => {
  it("R9 is linearizable in a SQLite file while clients are killed (20 histories × 504)", {
    timeout: patience(180_000),
  }, async ({ task }) => {
    const histories = runs(20, 200).numRuns;
    const { path, remove } = freshFolder("memory");
    const clients = Array.from({ length: CLIENTS }, () => new ListProcess());
    let unknown = 0;
    for (let number = 0; number < histories; number++) {
      const file = join(path, `${number}.db`);
      const recorder = new Recorder();
      const victim = number % CLIENTS;
      let heard = 0;
      const mortal = (word: ListWord): void => {
        recorder.hear(word);
        if (++heard === 20 + ((number * 11) % 60)) clients[victim]?.kill();
      };
      await Promise.all(
        clients.map((client, at) => client.work(file, workOf(at, number), at === victim ? mortal : recorder.hear)),
      );
      clients[victim] = new ListProcess();
      const store = await openSqliteStore(file);
      unknown += await check(store, number, recorder);
      await store.close();
    }
    for (const client of clients) client.kill();
    remove();
    Object.assign(task.meta, {
      figures: {
        backend: "SQLite",
        clients: CLIENTS,
        histories,
        operations: PER_HISTORY * histories,
        kills: histories,
        "open ends": unknown,
        problems: 0,
      },
    });
  });

  it.skipIf(!service.isThere)(
    `R9 is linearizable in PostgreSQL while connections are cut (6 histories × 504)${service.note}`,
    { timeout: patience(180_000) },
    async ({ task }) => {
      const histories = runs(6, 200).numRuns;
      const owner = connectForTests(service.url, 2);
      const { schema, drop } = freshSchema(owner);
      const open = () => openPostgresStore(service.url, { schema, maxConnections: 1 });
      const stores: ThreadfoldStore[] = [await open()];
      while (stores.length < CLIENTS) stores.push(await open());
      let unknown = 0;
      let cuts = 0;
      try {
        for (let number = 0; number < histories; number++) {
          const recorder = new Recorder();
          let heard = 0;
          const cutting: Promise<unknown>[] = [];
          const hear = (word: ListWord): void => {
            recorder.hear(word);
            if (++heard % 300 === 0) cutting.push(cutOne(owner, schema).then((cut) => (cuts += cut)));
          };
          await Promise.all(stores.map((store, at) => workOnList(store, workOf(at, number), hear)));
          await Promise.all(cutting);
          const store = await openPostgresStore(owner, { schema });
          unknown += await check(store, number, recorder);
          await store.close();
        }
      } finally {
        for (const store of stores) await store.close();
        await drop();
        await owner.close();
      }
      expect(cuts).toBeGreaterThan(0);
      Object.assign(task.meta, {
        figures: {
          backend: "PostgreSQL",
          clients: CLIENTS,
          histories,
          operations: PER_HISTORY * histories,
          cuts,
          "open ends": unknown,
          problems: 0,
        },
      });
    },
  );

  it("R9 is rejected by the checker when something is lost, doubled, out of order, stale or from nowhere", () => {
    const at = (start: number, end: number | null, value: string | null, seen?: readonly string[]): ListOperation => ({
      client: "c",
      start: BigInt(start),
      end: end === null ? null : BigInt(end),
      value,
      ...(seen !== undefined && { seen }),
    });
    const good = [at(1, 2, "a"), at(3, 6, "b"), at(4, 5, "c"), at(7, 8, null, ["a", "c", "b"]), at(7, null, "d")];
    const cases: readonly [readonly ListOperation[], readonly string[], RegExp | null][] = [
      [good, ["a", "c", "b"], null],
      [good, ["a", "c", "b", "d"], null],
      [good, ["a", "c"], /b was acknowledged but is lost/],
      [good, ["a", "c", "b", "b"], /twice/],
      [good, ["a", "c", "b", "e"], /nobody appended e/],
      [good, ["a", "b", "c"], /not a beginning/],
      [[at(1, 2, "a"), at(3, 4, "b")], ["b", "a"], /b of c comes before/],
      [[at(1, 2, "a"), at(3, 4, null, [])], ["a"], /read 0 of at least 1/],
      [[at(1, 2, null, ["a"]), at(3, 4, null, []), at(0, null, "a")], ["a"], /read 0 of at least 1/],
      [[{ ...at(1, 2, "a"), refused: true }], ["a"], /refused but is there/],
    ];
    for (const [history, final, expected] of cases) {
      const problem = listHistoryProblem(history, final);
      if (expected === null) expect(problem).toBeNull();
      else expect(problem).toMatch(expected);
    }
  });
});

/** Cuts one connection that is at work on a schema. */
async function cutOne(owner: ReturnType<typeof connectForTests>, schema: string): Promise<number> {
  const cut = await owner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND query LIKE '%' || $1 || '%' AND query NOT LIKE '%pg_stat_activity%' LIMIT 1`,
    [schema],
  );
  return cut.length;
}
