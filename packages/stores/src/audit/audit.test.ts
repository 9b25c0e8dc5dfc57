import { createHash, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  artifactIdOf,
  artifactIdPrefix,
  type Checkpoint,
  type CheckpointSignature,
  type CompactionPlan,
  canonicalJson,
  digestOf,
  emptyPlan,
  emptySummary,
  LONGEST_HASHED_SPAN,
  parsePlan,
  planChanges,
  planDiff,
  type RecordedArtifact,
  sealPlan,
  sha256,
  type ThreadfoldStore,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweepExpired } from "../erasure/erase-subject.ts";
import {
  dropPlan,
  entry,
  HOSTILE_TEXTS,
  metadata,
  pin,
  START,
  START_MS,
  THREAD,
  transcript,
} from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { withoutGuards } from "../testing/without-guards.ts";
import { exportAudit, sealLine } from "./audit-file.ts";
import { ed25519PublicKey, ed25519Signer, makeCheckpoint } from "./checkpoint.ts";
import { verifyAudit } from "./verify-audit.ts";
import { verifySince, verifyStore } from "./verify-store.ts";

const KEYS = generateKeyPairSync("ed25519");
const OTHER_KEYS = generateKeyPairSync("ed25519");
const PUBLIC = ed25519PublicKey(KEYS.publicKey.export({ type: "spki", format: "pem" }).toString());
const OTHER_PUBLIC = ed25519PublicKey(OTHER_KEYS.publicKey.export({ type: "spki", format: "pem" }).toString());
const sign = ed25519Signer(KEYS.privateKey);

const request = (threadVersion: number, planVersion: number) =>
  ({
    type: "request-rendered",
    threadVersion,
    planVersion,
    renderVersion: "1",
    format: "anthropic",
    tokenizer: "heuristic",
    options: { summaryRole: "assistant" },
    frame: artifactIdOf(THREAD, null, "frame"),
    rehydrated: [],
    payloadDigest: sha256(`payload ${threadVersion} ${planVersion}`),
    tokens: 12.5,
  }) as const;

/** A thread with plans, artifacts, requests and a checkpoint in the middle and at the end, which is given. */
async function fill(store: ThreadfoldStore): Promise<Checkpoint> {
  const record = (entry: Parameters<ThreadfoldStore["journal"]["append"]>[1]) =>
    store.journal.append(THREAD, entry, START);
  const stored: RecordedArtifact[] = [];
  for (const content of ["frame", "second", "\0third"]) {
    const { createdAt, ttlSeconds, sensitivity, mediaType } = metadata();
    const artifactId = await store.artifacts.store(content, metadata());
    stored.push({ artifactId, createdAt, ttlSeconds, sensitivity, mediaType });
  }
  await store.artifacts.store("another tenant's", metadata({ tenantId: "te\nnant" }));
  await store.threads.append(THREAD, [...transcript(8), pin("p1")], { expectedVersion: 0 });
  await record({ type: "artifacts-stored", artifacts: stored });
  let before: CompactionPlan = emptyPlan(THREAD, "none");
  for (let version = 1; version <= 3; version++) {
    const text = HOSTILE_TEXTS[version] as string;
    await store.threads.append(THREAD, [entry(20 + version, text)], { expectedVersion: "any" });
    const thread = await store.threads.load(THREAD);
    if (thread === null) throw new Error("the thread is there");
    await record({ type: "entries-appended", threadVersion: thread.version, threadDigest: thread.digest });
    const plan = dropPlan(thread.messagesBetween(0, version * 2), { version, threadVersion: thread.version });
    await store.plans.commitPlan(THREAD, plan, version - 1);
    const diffDigest = sha256(canonicalJson(planDiff(before, plan).patches));
    await record({ type: "plan-committed", planVersion: version, planId: plan.planId, diffDigest });
    before = plan;
    await record(request(thread.version, version));
    await record({ type: "usage-reported", requestSequence: 3, usage: { inputTokens: 10, outputTokens: 1 } });
    if (version === 2) await makeCheckpoint(store, THREAD, { at: START });
  }
  return makeCheckpoint(store, THREAD, { at: START, sign });
}

/** A thread with a plan that drops more messages than its hash text names one by one. */
async function longSpan(
  made = (plan: CompactionPlan): CompactionPlan => plan,
  memory: ThreadfoldStore = createMemoryStore({ clock: { now: () => START_MS } }),
) {
  await memory.threads.append(THREAD, transcript(LONGEST_HASHED_SPAN + 9), { expectedVersion: 0 });
  const thread = await memory.threads.load(THREAD);
  const messages = thread?.messagesBetween(0, LONGEST_HASHED_SPAN + 1) ?? [];
  const plan = made(dropPlan(messages, { version: 1, threadVersion: LONGEST_HASHED_SPAN + 9 }));
  await memory.plans.commitPlan(THREAD, plan, 0);
  return { memory, plan, ids: messages.map(({ id }) => id) };
}

const committed = ({ version, planId }: CompactionPlan, diffDigest: string) =>
  ({ type: "plan-committed", planVersion: version, planId, diffDigest }) as const;

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
const path = join(folder, "audited.db");
let store: ThreadfoldStore;
let checkpoint: Checkpoint;
let lines: readonly string[];

const exported = async (from: ThreadfoldStore, content = true): Promise<string> => {
  let text = "";
  for await (const line of exportAudit(from, THREAD, { at: START, content })) text += line;
  return text;
};
const check = (text: string | Uint8Array, trust: Parameters<typeof verifyAudit>[1] = {}) =>
  verifyAudit([typeof text === "string" ? Buffer.from(text) : text], trust);

beforeAll(async () => {
  store = await openSqliteStore(path);
  checkpoint = await fill(store);
  lines = (await exported(store)).split("\n").slice(0, -1);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

// The algorithm of docs/audit-format.md, from the page and not from the sources: node:crypto alone.
const hash = (...parts: readonly (string | Buffer)[]): string => {
  const running = createHash("sha256");
  for (const part of parts) running.update(part);
  return running.digest("hex");
};
const leafOf = (entryHash: string): string => hash(Buffer.of(0), Buffer.from(entryHash, "hex"));
const nodeOf = (left: string, right: string): string => hash(Buffer.of(1), Buffer.from(left + right, "hex"));

function rootOf(leaves: readonly string[]): string {
  if (leaves.length < 2) return leaves[0] ?? hash();
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeOf(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

/** Recomputes a root from the bottom, as section 2.1.3.2 of RFC 9162 does. */
function rootByPath(leaf: string, index: number, size: number, proof: readonly string[]): string {
  if (size === 1) return proof.length === 0 ? leaf : "";
  let split = 1;
  while (split * 2 < size) split *= 2;
  const [rest, last] = [proof.slice(0, -1), proof.at(-1) ?? ""];
  return index < split
    ? nodeOf(rootByPath(leaf, index, split, rest), last)
    : nodeOf(last, rootByPath(leaf, index - split, size - split, rest));
}

/** The consistency proof that a verifier with all leaves expects: section 2.1.2 of RFC 6962. */
function subproof(from: number, leaves: readonly string[], whole: boolean): readonly string[] {
  if (from === 0) return [];
  if (from === leaves.length) return whole ? [] : [rootOf(leaves)];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return from <= split
    ? [...subproof(from, leaves.slice(0, split), whole), rootOf(leaves.slice(split))]
    : [...subproof(from - split, leaves.slice(split), false), rootOf(leaves.slice(0, split))];
}

/** Gives the number of the first line that does not hold, or 0. */
function independentCheck(file: Buffer, trustedKey?: string): number {
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(file);
  if (!Buffer.from(text).equals(file)) return -1;
  const parts = text.split("\n");
  const rest = parts.pop();
  let [seal, link, previous, ended] = ["", hash("threadfold-thread-v1"), hash("threadfold-journal-v1"), false];
  let threadId = "";
  const links = [link];
  const plans: Record<string, unknown>[] = [];
  const artifacts = new Set<string>();
  const limited = new Set<string>();
  const leaves: string[] = [];
  const checkpoints = new Map<number, number>();
  let isTrusted = trustedKey === undefined;
  for (const [index, raw] of parts.entries()) {
    const bad = index + 1;
    const body = `${raw.slice(0, -75)}}`;
    if (raw.slice(-75) !== `,"seal":"${hash(seal + body)}"}` || ended) return bad;
    seal = raw.slice(-66, -2);
    const line = JSON.parse(body);
    if ((line.type === "header") !== (index === 0)) return bad;
    if (line.type === "header") threadId = line.threadId;
    if (line.type === "entry") {
      link = hash(link + line.digest);
      if (line.version !== links.length || line.link !== link) return bad;
      if (line.body !== null && hash(line.body) !== line.digest) return bad;
      links.push(link);
    }
    if (line.type === "plan") {
      if (line.version !== plans.length + 1 || (line.text !== null && hash(line.text) !== line.planId)) return bad;
      const named = [...(line.text ?? "").matchAll(/"messageIds":\{"count":(\d+),"sha256":"([0-9a-f]{64})"\}/g)];
      const lists = new Map((line.spans ?? []).map((ids: string) => [hash(ids), String(JSON.parse(ids).length)]));
      if (named.some(([, count, digest = ""]) => lists.get(digest) !== count)) return bad;
      if (new Set(named.map(([, , digest]) => digest)).size !== lists.size) return bad;
      plans.push(line);
    }
    if (line.type === "artifact") artifacts.add(line.artifactId);
    if (line.type === "artifact" && line.content !== null)
      if (line.artifactId !== `artifact_${hash(line.prefix + line.content).slice(0, 24)}`) return bad;
    if (line.type === "journal") {
      const entry = JSON.parse(line.text);
      if (hash(line.text) !== line.hash || entry.previousHash !== previous) return bad;
      if (entry.sequence !== leaves.length + 1 || entry.threadId !== threadId) return bad;
      const { record } = entry;
      if (record.type === "entries-appended" && links[record.threadVersion] !== record.threadDigest) return bad;
      if (record.type === "plan-committed") {
        const plan = plans[record.planVersion - 1];
        if (plan === undefined || plan["planId"] !== record.planId) return bad;
        if (plan["diff"] !== null && hash(plan["diff"] as string) !== record.diffDigest) return bad;
      }
      if (record.type === "artifacts-stored")
        for (const { artifactId, ttlSeconds } of record.artifacts)
          if (ttlSeconds !== null) limited.add(artifactId);
          else if (!artifacts.has(artifactId)) return bad;
      if (record.type === "request-rendered") {
        if (!artifacts.has(record.frame)) return bad;
        for (const { content } of record.rehydrated) if (!artifacts.has(content) && !limited.has(content)) return bad;
      }
      if (record.type === "checkpoint-made") {
        const { size, rootHash, at, threadVersion, threadDigest, planVersion, signature } = record.checkpoint;
        if (rootOf(leaves.slice(0, size)) !== rootHash || links[threadVersion] !== threadDigest) return bad;
        const note = `threadfold-checkpoint-v1\n${JSON.stringify(threadId)}\n${size}\n${rootHash}\n${JSON.stringify(at)}\n${threadVersion}\n${threadDigest}\n${planVersion}\n`;
        if (signature !== undefined) {
          const key = createPublicKey({ key: Buffer.from(signature.publicKey, "base64"), format: "der", type: "spki" });
          if (!verify(null, Buffer.from(note), key, Buffer.from(signature.value, "base64"))) return bad;
          isTrusted ||= signature.publicKey === trustedKey;
        }
        checkpoints.set(entry.sequence, size);
      }
      leaves.push(leafOf(line.hash));
      previous = line.hash;
    }
    if (line.type === "inclusion")
      if (rootByPath(leaves[line.sequence - 1]!, line.sequence - 1, leaves.length, line.proof) !== rootOf(leaves))
        return bad;
    if (line.type === "consistency")
      if (subproof(checkpoints.get(line.sequence)!, leaves, true).join() !== line.proof.join()) return bad;
    if (line.type === "end") {
      const isSame = line.size === leaves.length && line.rootHash === rootOf(leaves) && line.threadDigest === link;
      if (!isSame || line.planVersion !== plans.length || line.threadVersion !== links.length - 1) return bad;
      ended = true;
    }
  }
  if (rest !== "" || !ended) return parts.length + 1;
  return isTrusted ? 0 : parts.length;
}

/** Seals lines anew, as somebody would who knows the format. */
function sealedAnew(
  given: readonly string[],
  change: (line: Record<string, unknown>, index: number) => void = () => undefined,
): string {
  let seal = "";
  return given
    .map((text, index) => {
      const { seal: _seal, ...line } = JSON.parse(text);
      change(line, index);
      const sealed = sealLine(line, seal);
      seal = sealed.seal;
      return `${sealed.text}\n`;
    })
    .join("");
}

describe("an audit file", () => {
  it("passes verifyAudit and an independent checker that follows docs/audit-format.md", async () => {
    const text = await exported(store);
    expect(independentCheck(Buffer.from(text))).toBe(0);
    const report = await check(text, { since: checkpoint });
    expect(report).toEqual({
      problem: null,
      threadId: THREAD,
      entries: 12,
      plans: 3,
      artifacts: 4,
      journal: 15,
      requests: 3,
      checkpoints: 2,
      signed: 1,
      signedEntries: 14,
      rootHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const types = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line).type);
    expect([...new Set(types)].join(" ")).toBe("header entry plan artifact journal inclusion consistency end");
  });

  it("is the same from a memory or SQLite store, and leaves content out on request", async () => {
    const memory = createMemoryStore({ clock: { now: () => Date.parse(START) } });
    await fill(memory);
    expect(await exported(memory)).toBe(await exported(store));
    const bare = await exported(store, false);
    expect((await check(bare)).problem).toBeNull();
    expect(independentCheck(Buffer.from(bare))).toBe(0);
    for (const content of ["text 1", "second", "oldest"]) {
      expect(bare).not.toContain(content);
      expect(await exported(memory)).toContain(content);
    }
  });

  it("lists the ids of a long span beside the text that names them by their digest, and nobody can change them", async () => {
    const { memory, plan, ids } = await longSpan();
    await memory.journal.append(THREAD, committed(plan, digestOf(planChanges(emptyPlan(THREAD, "none"), plan))), START);
    const text = await exported(memory);
    expect([(await check(text)).problem, independentCheck(Buffer.from(text))]).toEqual([null, 0]);
    const left = text.split("\n").slice(0, -1);
    const line = left.map((one) => JSON.parse(one)).find(({ type }) => type === "plan");
    expect(line.spans).toEqual([JSON.stringify(ids)]);
    expect(line.text.length + line.diff.length).toBeLessThan(2_000);
    const lists = [[], [JSON.stringify(ids.slice(1))], [...line.spans, "[]"], [...line.spans, ...line.spans]];
    for (const spans of lists) {
      const changed = sealedAnew(left, (one) => {
        if (one["type"] !== "plan") return;
        if (spans.length > 0) one["spans"] = spans;
        else delete one["spans"];
      });
      expect((await check(changed)).problem?.problem).toContain("its spans are not those that its text names");
    }
  });

  it("lists the ids of a long span once when its plan has a summary, too", async () => {
    const summarized = ({ drops: [drop], ...plan }: CompactionPlan): CompactionPlan => {
      const { keywords: _keywords, action: _action, span, ...record } = drop as CompactionPlan["drops"][number];
      const summary = { summary: emptySummary(span), summaryTokens: 1, summarizer: "test", resolved: [] };
      return sealPlan({ ...plan, drops: [], summarizations: [{ ...record, ...summary, action: "summarize", span }] });
    };
    const sqlite = await openSqliteStore(join(folder, "summarized.db"));
    const { plan, ids } = await longSpan(summarized, sqlite);
    await sqlite.journal.append(THREAD, committed(plan, digestOf(planChanges(emptyPlan(THREAD, "none"), plan))), START);
    const text = await exported(sqlite);
    await sqlite.close();
    expect([(await check(text)).problem, independentCheck(Buffer.from(text))]).toEqual([null, 0]);
    const line = text
      .split("\n")
      .slice(0, -1)
      .map((one) => JSON.parse(one))
      .find(({ type }) => type === "plan");
    expect(line.spans).toEqual([JSON.stringify(ids)]);
  });

  it("keeps a plan from before long spans were hashed on their own as it was hashed", async () => {
    const { memory, plan, ids } = await longSpan((made) => {
      const { planId: _planId, createdAt, ...hashed } = made;
      return parsePlan(canonicalJson({ ...hashed, createdAt, planId: digestOf(hashed) }));
    });
    await memory.journal.append(
      THREAD,
      committed(plan, sha256(canonicalJson(planDiff(emptyPlan(THREAD, "none"), plan).patches))),
      START,
    );
    const text = await exported(memory);
    expect([(await check(text)).problem, independentCheck(Buffer.from(text))]).toEqual([null, 0]);
    const line = text
      .split("\n")
      .slice(0, -1)
      .map((one) => JSON.parse(one))
      .find(({ type }) => type === "plan");
    expect([line.spans, JSON.parse(line.text).drops[0].span.messageIds]).toEqual([undefined, ids]);
  });

  it("stays valid after rehydrated content expires and is swept, but not when permanent content is missing", async () => {
    let now = Date.parse(START);
    const clock = { now: () => now };
    const memory = createMemoryStore({ clock });
    await memory.threads.append(THREAD, transcript(8), { expectedVersion: 0 });
    const keep = async (content: string, ttlSeconds: number | null): Promise<RecordedArtifact> => {
      const { createdAt, sensitivity, mediaType } = metadata();
      const artifactId = await memory.artifacts.store(content, metadata({ ttlSeconds }));
      return { artifactId, createdAt, ttlSeconds, sensitivity, mediaType };
    };
    const [frame, brought, lasting] = [
      await keep("frame", null),
      await keep("brought back", 3_600),
      await keep("for good", null),
    ];
    const rehydrated = [brought, lasting].map(({ artifactId }) => ({
      ...{ artifactId, content: artifactId, tokens: 3, truncated: false },
    }));
    await memory.journal.append(THREAD, { type: "artifacts-stored", artifacts: [frame, brought] }, START);
    await memory.journal.append(THREAD, { ...request(8, 0), rehydrated }, START);
    const before = await exported(memory);
    now += 40 * 86_400_000;
    expect(await sweepExpired(memory, now)).toBe(1);
    const after = await exported(memory);
    expect(before.split("\n").length - after.split("\n").length).toBe(1);
    expect(await verifyStore(memory, THREAD)).toEqual([]);
    for (const text of [before, after]) {
      expect((await check(text)).problem).toBeNull();
      expect(independentCheck(Buffer.from(text))).toBe(0);
    }
    const isOf = (artifactId: string, { type, ...line }: { type: string; artifactId?: string }): boolean =>
      type === "artifact" && line.artifactId === artifactId;
    const left = after.split("\n").slice(0, -1);
    for (const { artifactId } of [frame, lasting]) {
      const text = sealedAnew(left.filter((line) => !isOf(artifactId, JSON.parse(line))));
      expect(text.split("\n").length).toBe(after.split("\n").length - 1);
      const { problem } = await check(text);
      expect(problem?.problem).toBe("it refers to an artifact that does not exist");
      expect(independentCheck(Buffer.from(text))).toBe(problem?.line);
    }
  });

  it("shows whether it grew from a checkpoint that was kept elsewhere", async () => {
    const text = await exported(store);
    const unsigned = (changes: Partial<Checkpoint>): Checkpoint => {
      const { signature: _signature, ...rest } = { ...checkpoint, ...changes };
      return rest;
    };
    expect((await check(text, { since: unsigned({}) })).problem).toBeNull();
    for (const changes of [
      { size: checkpoint.size + 2 },
      { size: checkpoint.size - 1 },
      { rootHash: sha256("other") },
      { threadVersion: 13 },
      { threadVersion: 11 },
      { threadDigest: sha256("other") },
      { planVersion: 4 },
    ])
      expect((await check(text, { since: unsigned(changes) })).problem?.line).toBe(lines.length);
    expect((await check(text, { since: { ...checkpoint, size: 1 } })).problem?.problem).toContain("signature");
    // The checkpoint in the middle is not signed: it adds nothing, and takes nothing away.
    const trusted = { problem: null, checkpoints: 2, signed: 1, signedEntries: checkpoint.size };
    expect(await check(text, { publicKey: PUBLIC })).toMatchObject(trusted);
    expect((await check(text, { publicKey: PUBLIC, since: unsigned({}) })).problem?.problem).toContain("not signed");
  });

  it("with checkpoints of several keys is vouched for by each key up to that key's newest checkpoint", async () => {
    const memory = createMemoryStore();
    const signOther = ed25519Signer(OTHER_KEYS.privateKey);
    await memory.threads.append(THREAD, transcript(4), { expectedVersion: 0 });
    await makeCheckpoint(memory, THREAD, { at: START });
    await makeCheckpoint(memory, THREAD, { at: START, sign: signOther });
    const newest = await makeCheckpoint(memory, THREAD, { at: START, sign });
    const other = await makeCheckpoint(memory, THREAD, { at: START, sign: signOther });
    // What whoever can write to the store adds later is not vouched for.
    await memory.threads.append(THREAD, [entry(5)], { expectedVersion: 4 });
    await makeCheckpoint(memory, THREAD, { at: START, sign: ed25519Signer(generateKeyPairSync("ed25519").privateKey) });
    await makeCheckpoint(memory, THREAD, { at: START });
    const text = await exported(memory);
    const sound = { problem: null, checkpoints: 6 };
    expect(await check(text)).toMatchObject({ ...sound, signed: 4 });
    expect(await check(text, { publicKey: PUBLIC })).toMatchObject({ ...sound, signed: 1, signedEntries: newest.size });
    expect(await check(text, { publicKey: OTHER_PUBLIC })).toMatchObject({
      ...sound,
      signed: 2,
      signedEntries: other.size,
    });
    for (const key of [undefined, PUBLIC, OTHER_PUBLIC]) expect(independentCheck(Buffer.from(text), key)).toBe(0);
    // A signature that does not verify is a finding, whoever is said to have made it.
    const signature = { ...(newest.signature as CheckpointSignature), value: Buffer.alloc(64).toString("base64") };
    await memory.journal.append(THREAD, { type: "checkpoint-made", checkpoint: { ...newest, signature } }, START);
    const forged = await exported(memory);
    for (const publicKey of [PUBLIC, OTHER_PUBLIC])
      expect((await check(forged, { publicKey })).problem?.problem).toContain("signature does not verify");
    expect(independentCheck(Buffer.from(forged), OTHER_PUBLIC)).toBeGreaterThan(0);
  });

  it("is refused by a reader who trusts one key when no checkpoint in it is signed with that key", async () => {
    const memory = createMemoryStore();
    await memory.threads.append(THREAD, transcript(4), { expectedVersion: 0 });
    await makeCheckpoint(memory, THREAD, { at: START, sign: ed25519Signer(OTHER_KEYS.privateKey) });
    const text = await exported(memory);
    expect((await check(text)).problem).toBeNull();
    expect((await check(text, { publicKey: PUBLIC })).problem?.problem).toBe(
      "no checkpoint in it is signed with this key",
    );
    expect(independentCheck(Buffer.from(text), PUBLIC)).toBeGreaterThan(0);
    // One that leaves checkpoints out is refused as well.
    const bare = createMemoryStore();
    await bare.threads.append(THREAD, transcript(4), { expectedVersion: 0 });
    expect((await check(await exported(bare))).problem).toBeNull();
    expect((await check(await exported(bare), { publicKey: PUBLIC })).problem?.problem).toBe(
      "no checkpoint in it is signed with this key",
    );
  });

  it("is written line by line, and ends with ABORTED when its signal aborts", async () => {
    const controller = new AbortController();
    const written = exportAudit(store, THREAD, { at: START, signal: controller.signal });
    expect((await written.next()).done).toBe(false);
    controller.abort();
    await expect(written.next()).rejects.toMatchObject({ code: "ABORTED" });
  });
});

/** What an attacker does to a file. Each gives the file and the line from which on it does not hold. */
interface Mutation {
  readonly kind: "bit" | "swap" | "drop" | "duplicate" | "truncate" | "byte-in" | "byte-out";
  readonly at: number;
  readonly with: number;
  readonly place: number;
}
const LINE_FEED = 10;
const mutations: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom<Mutation["kind"]>("bit", "swap", "drop", "duplicate", "truncate", "byte-in", "byte-out"),
  at: fc.nat(),
  with: fc.nat(),
  place: fc.nat(),
});

function mutate(mutation: Mutation): { readonly file: Buffer; readonly firstBad: number } | null {
  const at = mutation.at % lines.length;
  const other = mutation.with % lines.length;
  const joined = (changed: readonly string[]): Buffer => Buffer.from(changed.map((line) => `${line}\n`).join(""));
  switch (mutation.kind) {
    case "swap":
      if (at === other) return null;
      return {
        file: joined(lines.with(at, lines[other]!).with(other, lines[at]!)),
        firstBad: Math.min(at, other) + 1,
      };
    case "drop":
      return { file: joined(lines.toSpliced(at, 1)), firstBad: at + 1 };
    case "duplicate":
      return { file: joined(lines.toSpliced(at, 0, lines[at]!)), firstBad: at + 2 };
    default: {
      const bytes = Buffer.from(`${lines[at]}\n`);
      const place = mutation.place % bytes.length;
      const before = joined(lines.slice(0, at));
      const after = joined(lines.slice(at + 1));
      if (mutation.kind === "truncate")
        return { file: Buffer.concat([before, bytes.subarray(0, place)]), firstBad: at + 1 };
      if (mutation.kind === "bit") bytes[place]! ^= 1 << (mutation.with % 8);
      const changed =
        mutation.kind === "bit"
          ? bytes
          : mutation.kind === "byte-in"
            ? Buffer.concat([bytes.subarray(0, place), Buffer.of(mutation.with % 256), bytes.subarray(place)])
            : Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
      // The line itself is whole when all that came in is an empty line behind it.
      const isWhole = changed.toString().startsWith(`${lines[at]}\n`);
      return { file: Buffer.concat([before, changed, after]), firstBad: isWhole ? at + 2 : at + 1 };
    }
  }
}

describe("R11 a tampered audit file", () => {
  it("is refused at its first bad line, whatever the change (1,000 mutations), by both checkers", async () => {
    const found: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(mutations, async (mutation) => {
        const mutated = mutate(mutation);
        if (mutated === null || mutated.file.equals(Buffer.from(lines.map((line) => `${line}\n`).join("")))) return;
        const { problem } = await check(mutated.file);
        expect(problem?.line, JSON.stringify(mutation)).toBe(mutated.firstBad);
        const independent = independentCheck(mutated.file);
        if (independent !== -1) expect(independent, JSON.stringify(mutation)).toBe(mutated.firstBad);
        found[mutation.kind] = (found[mutation.kind] ?? 0) + 1;
      }),
      {
        ...runs(1_000),
        // A line feed put in before the one that ends a line is an empty line behind it.
        examples: [[{ kind: "byte-in", at: 0, with: LINE_FEED, place: Buffer.from(lines[0]!).length }]],
      },
    );
    expect(Object.keys(found)).toHaveLength(7);
  });

  /** Changes one value of one line and seals every line anew, as somebody would who knows the format. */
  const resealed = (at: number, change: (line: Record<string, unknown>) => void): string =>
    sealedAnew(lines, (line, index) => {
      if (index === at) change(line);
    });
  const flipped = (text: string, at: number): string => {
    const place = at % text.length;
    return text.slice(0, place) + (text[place] === "0" ? "1" : "0") + text.slice(place + 1);
  };

  it("is refused even with recomputed seals: hashes, links, proofs and ids depend on each other", async () => {
    const HASHED = ["body", "digest", "link", "text", "hash", "planId", "diff", "content", "artifactId", "rootHash"];
    let changes = 0;
    for (const [index, text] of lines.entries()) {
      const line = JSON.parse(text);
      for (const field of HASHED.filter((name) => typeof line[name] === "string")) {
        for (let time = 0; time < 4; time++) {
          const mutated = resealed(index, (target) => {
            target[field] = flipped(String(target[field]), changes * 7 + time);
          });
          if (mutated === lines.map((one) => `${one}\n`).join("")) continue;
          const { problem } = await check(mutated);
          expect(problem, `${line.type}.${field} of line ${index + 1}`).not.toBeNull();
          // A plan's diff is held against the journal's digest of it, which comes later.
          if (field !== "diff") expect(problem?.line).toBe(index + 1);
          changes++;
        }
      }
      if (Array.isArray(line.proof) && line.proof.length > 0) {
        const mutated = resealed(index, (target) => {
          target["proof"] = (target["proof"] as string[]).with(0, sha256("other"));
        });
        expect((await check(mutated)).problem?.line).toBe(index + 1);
      }
    }
    expect(changes).toBeGreaterThan(150);
  });

  it("is refused even with recomputed seals when an artifact that the journal names was left out", async () => {
    const isNamed = ({ type, prefix }: { type: string; prefix?: string }) =>
      type === "artifact" && prefix === artifactIdPrefix(THREAD, null);
    const named = lines.flatMap((text, index) => (isNamed(JSON.parse(text)) ? [index] : []));
    expect(named).toHaveLength(3);
    for (const without of named) {
      const text = sealedAnew(lines.filter((_, index) => index !== without));
      const { problem } = await check(text);
      expect(problem?.problem).toBe("it refers to an artifact that does not exist");
      expect(independentCheck(Buffer.from(text))).toBe(problem?.line);
    }
  });

  it("is refused by a checkpoint kept elsewhere when the whole file was forged", async () => {
    const memory = createMemoryStore();
    await memory.threads.append(THREAD, [...transcript(8), pin("p1"), entry(21), entry(22), entry(23)], {
      expectedVersion: 0,
    });
    for (let count = 0; count < 20; count++)
      await memory.journal.append(
        THREAD,
        { type: "usage-reported", requestSequence: 1, usage: { inputTokens: 1, outputTokens: 1 } },
        START,
      );
    const forged = await exported(memory);
    expect((await check(forged)).problem).toBeNull();
    expect((await check(forged, { since: checkpoint })).problem?.problem).toBe("the journal was a different one");
  });
});

describe("a checkpoint", () => {
  /** A copy of the store, after somebody worked on it past its guards. */
  async function onCopy(sql: string, work: (copy: ThreadfoldStore) => Promise<void>): Promise<void> {
    const copyPath = join(folder, "copy.db");
    rmSync(copyPath, { force: true });
    const raw = new DatabaseSync(path);
    raw.exec(`VACUUM INTO '${copyPath}'`);
    raw.close();
    const copy = new DatabaseSync(copyPath, { enableForeignKeyConstraints: false });
    withoutGuards(copy, () => copy.exec(sql));
    copy.close();
    const opened = await openSqliteStore(copyPath);
    try {
      await work(opened);
    } finally {
      await opened.close();
    }
  }

  it.each([
    ["DELETE FROM journal WHERE sequence = 3"],
    ["UPDATE journal SET record = 'null' WHERE sequence = 3"],
    ["UPDATE journal SET record = '[[' WHERE sequence = 3"],
    ['UPDATE journal SET record = \'{"type":"checkpoint-made"}\' WHERE sequence = 3'],
    [
      `UPDATE journal SET record = json_replace(record, '$.checkpoint.size', 900) WHERE record LIKE '%"checkpoint-made"%'`,
    ],
  ])("and the journal around it are called damaged by an export, however they were damaged: %s", async (sql) => {
    await onCopy(sql, async (copy) => {
      await expect(exported(copy)).rejects.toMatchObject({
        code: "STORE_CORRUPT",
        message: expect.stringContaining("Journal entry"),
      });
    });
  });

  it("reveals a cut-off end, which the hash chain alone cannot", async () => {
    const cut =
      "DELETE FROM journal WHERE sequence > 4; DELETE FROM entries WHERE version > 10; DELETE FROM plans WHERE version > 1;";
    await onCopy(cut, async (copy) => {
      expect(await verifyStore(copy, THREAD)).toEqual([]);
      expect(await verifySince(copy, checkpoint, PUBLIC)).toEqual([
        expect.objectContaining({ family: "journal", at: 5 }),
        expect.objectContaining({ family: "entries", at: 11 }),
        expect.objectContaining({ family: "plans", at: 2 }),
      ]);
    });
    await onCopy("", async (copy) => {
      expect(await verifySince(copy, checkpoint, PUBLIC)).toEqual([]);
      await copy.threads.append(THREAD, [entry(40)], { expectedVersion: 12 });
      await makeCheckpoint(copy, THREAD, { at: START });
      expect(await verifySince(copy, checkpoint, PUBLIC)).toEqual([]);
      expect(await verifyStore(copy, THREAD)).toEqual([]);
    });
  });

  it("is refused when it was changed or is not signed with a trusted key", async () => {
    const { signature: _signature, ...unsigned } = checkpoint;
    for (const [given, key] of [
      [{ ...checkpoint, size: 3 }, undefined],
      [{ ...checkpoint, at: "2026-01-01T00:00:00.000Z" }, undefined],
      [checkpoint, ed25519PublicKey(OTHER_KEYS.publicKey.export({ type: "spki", format: "pem" }).toString())],
      [unsigned, PUBLIC],
    ] as const)
      await expect(verifySince(store, given, key)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    for (const key of ["no key", undefined, null, {}, KEYS.publicKey])
      expect(() => ed25519Signer(key as string)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    const { privateKey } = generateKeyPairSync("x25519");
    expect(() => ed25519Signer(privateKey)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  it("needs a valid time in the option at, as does an audit export", async () => {
    const memory = createMemoryStore();
    await memory.threads.append(THREAD, transcript(4), { expectedVersion: 0 });
    const refusal = { code: "INVALID_CONFIG", details: { name: "at" } };
    for (const at of [undefined, "tomorrow", "2026-01-01 12:00", START_MS]) {
      await expect(makeCheckpoint(memory, THREAD, { at } as never)).rejects.toMatchObject(refusal);
      await expect(exportAudit(memory, THREAD, { at } as never).next()).rejects.toMatchObject(refusal);
    }
    expect(await memory.journal.read(THREAD)).toEqual([]);
  });

  it("is verified together with the journal that holds it", async () => {
    const memory = createMemoryStore();
    await memory.threads.append(THREAD, transcript(4), { expectedVersion: 0 });
    const made = await makeCheckpoint(memory, THREAD, { at: START });
    expect(made.size).toBe(0);
    expect(await verifyStore(memory, THREAD)).toEqual([]);
    await memory.journal.append(THREAD, { type: "checkpoint-made", checkpoint: { ...made, size: 1 } }, START);
    expect(await verifyStore(memory, THREAD)).toEqual([expect.objectContaining({ family: "journal", at: 2 })]);
  });
});
