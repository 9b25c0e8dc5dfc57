import { createHash } from "node:crypto";
import {
  type ArtifactId,
  asMessageId,
  asThreadId,
  type Clock,
  type MessageId,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { verifyStore } from "../audit/verify-store.ts";
import { type ErasableStore, eraseSubject, sweepExpired } from "../erasure/erase-subject.ts";
import { dropPlan, message, metadata, START_MS } from "../laws/sample-data.ts";
import { SeededRandom } from "./rounds.ts";

/** The expected state of a thread, as a client that saw every answer would know it. */
interface ModelThread {
  readonly ids: MessageId[];
  plans: number;
  readonly artifacts: Map<ArtifactId, { readonly content: string; readonly expiresMs: number }>;
  erased: boolean;
}

/** The result of a simulation. Violations are thrown. */
export interface SimulatedRun {
  /** SHA-256 over every operation and its outcome. */
  readonly traceHash: string;
  readonly faults: number;
  readonly operations: Readonly<Record<string, number>>;
}

const THREADS = ["a", "b", "c"].map(asThreadId);
const ATTEMPTS = 4;
const FAULT_RATE = 0.1;

/**
 * Performs one seeded run of operations on a store in which one call in ten fails, before or after it was made; time
 * passes only when the run says so. After each operation the store is compared with a model. A client whose answer is
 * lost tries again with the same key, and gives up after some attempts; the operation must then have happened
 * completely or not at all.
 */
export async function simulate(
  seed: number,
  open: (clock: Clock) => Promise<ErasableStore>,
  operations = 200,
): Promise<SimulatedRun> {
  const time = { now: START_MS };
  const inner = await open({ now: () => time.now });
  try {
    return await new Simulation(new SeededRandom(seed), inner, time).run(operations);
  } catch (error) {
    throw new Error(`Seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    await inner.close();
  }
}

class Simulation {
  readonly #random: SeededRandom;
  readonly #inner: ErasableStore;
  readonly #store: ErasableStore;
  readonly #time: { now: number };
  readonly #trace = createHash("sha256");
  readonly #counts: Record<string, number> = {};
  readonly #model = new Map<ThreadId, ModelThread>(
    THREADS.map((id) => [id, { ids: [], plans: 0, artifacts: new Map(), erased: false }]),
  );
  #faults = 0;
  #number = 0;

  constructor(random: SeededRandom, inner: ErasableStore, time: { now: number }) {
    this.#random = random;
    this.#inner = inner;
    this.#time = time;
    this.#store = faultyStore(inner, () => this.#fate());
  }

  async run(operations: number): Promise<SimulatedRun> {
    for (; this.#number < operations; this.#number++) {
      const threadId = this.#random.pick(THREADS);
      const name = this.#pickOperation();
      const outcome = await this[name](threadId, this.#model.get(threadId) as ModelThread);
      this.#counts[name] = (this.#counts[name] ?? 0) + 1;
      this.#trace.update(`${this.#number} ${this.#time.now} ${name} ${threadId} ${outcome}\n`);
      await this.#compare(threadId);
    }
    const findings = await verifyStore(this.#inner);
    if (findings.length > 0) throw new Error(`the store does not verify: ${JSON.stringify(findings[0])}`);
    return { traceHash: this.#trace.digest("hex"), faults: this.#faults, operations: this.#counts };
  }

  #pickOperation(): "append" | "stale" | "commit" | "keep" | "rehydrate" | "wait" | "sweep" | "erase" {
    const at = this.#random.below(100);
    if (at < 30) return "append";
    if (at < 35) return "stale";
    if (at < 55) return "commit";
    if (at < 70) return "keep";
    if (at < 85) return "rehydrate";
    if (at < 93) return "wait";
    return at < 98 || this.#random.next() < 0.7 ? "sweep" : "erase";
  }

  #fate(): Fate {
    if (this.#random.next() >= FAULT_RATE) return "works";
    this.#faults++;
    return this.#random.next() < 0.5 ? "fails" : "answer-lost";
  }

  /** Repeats work until it is answered; null when no attempt was. */
  async #untilAnswered<Result>(work: () => Promise<Result>): Promise<Result | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isLost(error)) throw error;
      }
    }
    return null;
  }

  async append(threadId: ThreadId, model: ModelThread): Promise<string> {
    const count = 1 + this.#random.below(4);
    const ids = Array.from({ length: count }, (_, index) => asMessageId(`${threadId}-${this.#number}-${index}`));
    const entries = ids.map((id) => ({ type: "message" as const, message: { ...message(0), id } }));
    const options = { expectedVersion: model.ids.length, idempotencyKey: `key ${this.#number}` };
    if (model.erased) return refused("CONTENT_ERASED", () => this.#inner.threads.append(threadId, entries, options));
    const result = await this.#untilAnswered(() => this.#store.threads.append(threadId, entries, options));
    const version = result?.version ?? (await this.#inner.threads.load(threadId))?.version ?? 0;
    if (version !== model.ids.length && version !== model.ids.length + count) throw new Error("half an append");
    if (result !== null && result.appended !== count) throw new Error(`${result.appended} of ${count} appended`);
    if (version !== model.ids.length) model.ids.push(...ids);
    return `${version} ${result === null}`;
  }

  /** A writer that has not seen the newest entries must be refused. */
  async stale(threadId: ThreadId, model: ModelThread): Promise<string> {
    if (model.erased || model.ids.length === 0) return "nothing to be stale of";
    const entry = { type: "message" as const, message: { ...message(0), id: asMessageId(`stale ${this.#number}`) } };
    const expectedVersion = this.#random.below(model.ids.length);
    return refused("VERSION_CONFLICT", () => this.#inner.threads.append(threadId, [entry], { expectedVersion }));
  }

  async commit(threadId: ThreadId, model: ModelThread): Promise<string> {
    if (model.ids.length === 0) return "nothing to fold";
    const version = model.plans + 1;
    const folded = model.ids.slice(0, this.#random.below(model.ids.length)).map((id) => ({ id, turn: 1 }));
    const place = { version, threadVersion: model.ids.length, threadId, author: `author ${this.#number}` };
    const plan = dropPlan(folded, place);
    const rival = dropPlan(folded, { ...place, author: `rival ${this.#number}` });
    if (model.erased) return refused("CONTENT_ERASED", () => this.#inner.plans.commitPlan(threadId, plan, model.plans));
    const result = await this.#untilAnswered(() => this.#store.plans.commitPlan(threadId, plan, model.plans));
    const current = await this.#inner.plans.getCurrentPlan(threadId);
    if (result !== null && (result.status !== "committed" || current.plan?.planId !== plan.planId))
      throw new Error("the only committer did not win");
    if (current.version !== model.plans && current.version !== version) throw new Error("a plan version was left out");
    if (current.version === version) {
      const late = await this.#inner.plans.commitPlan(threadId, rival, model.plans);
      if (late.status !== "conflict" || late.currentVersion !== version) throw new Error("two winners");
    }
    model.plans = current.version;
    return `${current.version} ${result === null}`;
  }

  /** Stores content, with or without an expiry. */
  async keep(threadId: ThreadId, model: ModelThread): Promise<string> {
    const content = `content ${this.#number} of ${threadId}`;
    const ttlSeconds = this.#random.next() < 0.6 ? this.#random.below(60) : null;
    const createdAt = new Date(this.#time.now).toISOString();
    const kept = metadata({ threadId, ttlSeconds, createdAt });
    if (model.erased) return refused("CONTENT_ERASED", () => this.#inner.artifacts.store(content, kept));
    const expiresMs = ttlSeconds === null ? Number.POSITIVE_INFINITY : this.#time.now + ttlSeconds * 1_000;
    const artifactId = await this.#untilAnswered(() => this.#store.artifacts.store(content, kept));
    if (artifactId === null) return "unknown";
    model.artifacts.set(artifactId, { content, expiresMs });
    return artifactId;
  }

  /** Reads content back: live content must return byte for byte, and expired content never. */
  async rehydrate(threadId: ThreadId, model: ModelThread): Promise<string> {
    if (model.erased || model.artifacts.size === 0) return "nothing kept";
    const artifactId = this.#random.pick([...model.artifacts.keys()]);
    const kept = model.artifacts.get(artifactId);
    const answer = await this.#untilAnswered(async () => ({ found: await this.#store.artifacts.retrieve(artifactId) }));
    if (answer === null) return "unknown";
    const expected = kept !== undefined && this.#time.now < kept.expiresMs ? kept.content : null;
    if ((answer.found?.content ?? null) !== expected) throw new Error(`artifact of ${threadId} is not as it must be`);
    return String(expected !== null);
  }

  async wait(): Promise<string> {
    this.#time.now += 1 + this.#random.below(40_000);
    return "";
  }

  async sweep(): Promise<string> {
    const swept = await sweepExpired(this.#inner, this.#time.now);
    return String(swept);
  }

  /** Erases, and again when an answer was lost, as users are told to do. */
  async erase(threadId: ThreadId, model: ModelThread): Promise<string> {
    if (model.ids.length === 0) return "nothing to erase";
    const why = { actor: "simulation", reason: "test", at: new Date(this.#time.now).toISOString() };
    const report = await this.#untilAnswered(() => eraseSubject(this.#store, threadId, why));
    model.erased = true;
    if (report === null) await eraseSubject(this.#inner, threadId, why);
    return String(report === null);
  }

  async #compare(threadId: ThreadId): Promise<void> {
    const model = this.#model.get(threadId) as ModelThread;
    if (model.erased) {
      await refused("CONTENT_ERASED", () => this.#inner.threads.load(threadId));
      return;
    }
    const thread = await this.#inner.threads.load(threadId);
    if ((thread?.version ?? 0) !== model.ids.length) throw new Error("entries were lost or came twice");
    const last = model.ids.length - 1;
    if (last >= 0 && thread?.messageAt(last)?.id !== model.ids[last]) throw new Error("entries are not in order");
    const { version } = await this.#inner.plans.getCurrentPlan(threadId);
    if (version !== model.plans) throw new Error("plans were lost or came twice");
  }
}

/** Checks that work is refused with a code. */
async function refused(code: string, work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === code) return code;
    throw error;
  }
  throw new Error(`what had to fail with ${code} succeeded`);
}

/** What happens to a call: it succeeds, it fails before it is made, or it is made and its answer is lost. */
type Fate = "works" | "fails" | "answer-lost";

const PORTS = ["threads", "plans", "artifacts", "journal"] as const;

/** Returns a store whose calls meet the fates that a test assigns. */
export function faultyStore<Store extends ThreadfoldStore>(store: Store, fateOf: (call: string) => Fate): Store {
  const ports = Object.fromEntries(PORTS.map((name) => [name, faulty(name, store[name], fateOf)]));
  return { ...store, ...ports };
}

function faulty<Port extends object>(name: string, port: Port, fateOf: (call: string) => Fate): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return async (...given: readonly unknown[]) => {
        const fate = fateOf(`${name}.${String(key)}`);
        if (fate === "fails") throw lost();
        const result: unknown = await value.apply(target, given);
        if (fate === "answer-lost") throw lost();
        return result;
      };
    },
  });
}

const lost = (): ThreadfoldError => new ThreadfoldError("STORE_UNAVAILABLE", "The line is dead.");

/** Checks whether an error is one of a lost call. */
export const isLost = (error: unknown): boolean =>
  ThreadfoldError.isInstance(error) && error.message === "The line is dead.";
