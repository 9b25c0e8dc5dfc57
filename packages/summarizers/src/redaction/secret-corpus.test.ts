import { describe, expect, it } from "vitest";
import { benignCorpus, type SecretSample, secretCorpus } from "../testing/secret-corpus.ts";
import { redactJson } from "./redact-json.ts";
import { redactSecrets } from "./redact-secrets.ts";

const PER_KIND = 8;
const BENIGN = 2_000;
const samples = secretCorpus(PER_KIND);

/** The shapes in which a secret comes along, each with what must be gone from what is left. */
const FORMS: Readonly<Record<string, (sample: SecretSample) => Promise<readonly [left: string, gone: string]>>> = {
  "as it is": async ({ secret, value }) => [await cleaned(`before it ${secret}\nafter it`), value],
  "quoted in code": async ({ secret, value }) => [await cleaned(`const it = "${secret}";`), value],
  "in JSON": async ({ secret, value }) => [await cleaned(JSON.stringify({ env: { it: secret } })), escaped(value)],
  "in JSON in JSON": async ({ secret, value }) => [
    await cleaned(JSON.stringify({ body: JSON.stringify({ it: secret, also: 1 }) })),
    escaped(escaped(value)),
  ],
  "in the colours of a terminal": async ({ secret, value }) => [
    await cleaned(`got \u001b[1;32m${secret}\u001b[0m here`),
    value,
  ],
  "in colours in JSON": async ({ secret, value }) => [
    await cleaned(JSON.stringify({ out: `\u001b[33m${secret}\u001b[0m\n` })),
    escaped(value),
  ],
  "in base64": async ({ secret }) => [await cleaned(`data:\n  it: ${btoa(secret)}\n`), btoa(secret)],
  "in base64 in JSON": async ({ secret }) => [
    await cleaned(JSON.stringify({ out: `it:\n${btoa(secret)}` })),
    btoa(secret),
  ],
  "split over the parts of a message": async ({ secret, value }) => {
    const middle = Math.floor(secret.length / 2);
    const parts = [`it is ${secret.slice(0, middle)}`, `${secret.slice(middle)} and no more`];
    const left = await redactJson(parts.map((text) => ({ type: "text", text })));
    return [left.map(({ text }) => text).join(""), value];
  },
};

const cleaned = async (text: string): Promise<string> => (await redactSecrets(text)).text;
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

async function missedOf(form: keyof typeof FORMS): Promise<readonly SecretSample[]> {
  const missed: SecretSample[] = [];
  for (const sample of samples) {
    const [left, gone] = await (FORMS[form] as (typeof FORMS)[string])(sample);
    if (left.includes(gone)) missed.push(sample);
  }
  return missed;
}

describe("R26: a corpus of secrets of every kind and of texts without any", () => {
  it("has at least 300 different secrets of at least 30 kinds", () => {
    expect(samples.length).toBeGreaterThanOrEqual(300);
    expect(new Set(samples.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(30);
    expect(new Set(samples.map(({ secret }) => secret)).size).toBe(samples.length);
  });

  it.for(Object.keys(FORMS))("R26: has at least 99 of 100 secrets redacted, %s", async (form, { task }) => {
    const missed = await missedOf(form);
    expect(missed.length / samples.length, missed.map(({ kind }) => kind).join(", ")).toBeLessThanOrEqual(0.01);
    const wholly = new Set(samples.map(({ kind }) => kind));
    for (const { kind } of missed) wholly.delete(kind);
    const kinds = new Set(samples.map(({ kind }) => kind)).size;
    const figures = { kinds, "kinds found": wholly.size, secrets: samples.length, missed: missed.length };
    Object.assign(task.meta, { figures });
  });

  it("R26: has at most 1 % of its texts without a secret changed by redaction", async ({ task }) => {
    const touched: string[] = [];
    for (const text of benignCorpus(BENIGN)) {
      const { kinds } = await redactSecrets(text);
      if (kinds.length > 0) touched.push(`${kinds[0]} in ${text}`);
    }
    expect(touched.length / BENIGN, touched.slice(0, 5).join("\n")).toBeLessThanOrEqual(0.01);
    Object.assign(task.meta, { figures: { texts: BENIGN, touched: touched.length } });
  });
});
