import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretCorpus } from "../testing/secret-corpus.ts";
import { findPlainSecrets } from "./find-secrets.ts";
import type { FoundSecret, SecretRule } from "./secret-rule.ts";
import { secretRules } from "./secret-rules.ts";

const rules = await secretRules();

/** What the rules find when every one of them looks. */
async function foundByAll(text: string): Promise<readonly FoundSecret[]> {
  return (await Promise.all(rules.map((rule) => rule.find(text)))).flat();
}

/** The patterns that a rule looks for, as it shows them to a text. */
async function patternsOf(rule: SecretRule): Promise<readonly RegExp[]> {
  const patterns: RegExp[] = [];
  const text = { matchAll: (pattern: RegExp) => (patterns.push(pattern), []) };
  await rule.find(text as unknown as string);
  return patterns;
}

/** What must not stand beside a match says nothing of the match itself, and no generator reads it. */
const withoutLooks = (source: string): string =>
  source.replace(/\(\?<?[!=](?:\[[^\]]*\]|\\.|[^()[\]\\])*\)|\\b/g, "").replace(/\(\?<\w+>/g, "(?:");

function matching({ source, flags }: RegExp): fc.Arbitrary<string> {
  const plain = fc.stringMatching(new RegExp(withoutLooks(source).replace(/\{(\d+),\d{3,}\}/g, "{$1,200}")));
  if (!flags.includes("i")) return plain;
  return fc.tuple(plain, fc.boolean()).map(([text, loud]) => (loud ? text.toUpperCase() : text));
}

const patterns = (await Promise.all(rules.map(patternsOf))).flat();
const corpus = secretCorpus(2).map(({ secret }) => secret);
const ONE_PASSWORD = `ops_${btoa(JSON.stringify({ signInAddress: "x".repeat(131) }))}`;
const form = fc.constantFrom(
  (text: string) => text,
  (text: string) => JSON.stringify(text),
  (text: string) => JSON.stringify({ body: JSON.stringify({ it: text }) }),
);
const secret = fc
  .tuple(form, fc.oneof(...patterns.map(matching), fc.constantFrom(...corpus, ONE_PASSWORD)))
  .map(([formed, text]) => formed(text));
const around = fc.oneof(
  fc.constantFrom("", " ", "\n", '"', "_", "-", ".", "=", "npm_auth", "key: ", "account = ", "sk-", "https://a:", "…"),
  fc.string({ maxLength: 12 }),
);

describe("the anchors of the rules", () => {
  it("law: what is found is what all rules find, whatever stands around secrets", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(around, secret), { minLength: 1, maxLength: 3 }),
        around,
        async (parts, end) => {
          const text = parts.flat().join("") + end;
          expect(await findPlainSecrets(text)).toEqual(await foundByAll(text));
        },
      ),
      runs(600),
    );
  });

  it("the samples of the law hold what every rule with anchors looks for", async () => {
    const samples = [
      ...corpus,
      ONE_PASSWORD,
      ...patterns.flatMap((pattern) => fc.sample(matching(pattern), { numRuns: 10, seed: 26 })),
    ];
    const silent: string[] = [];
    for (const rule of rules.filter(({ anchors }) => anchors !== undefined)) {
      const found = await Promise.all(samples.map(async (sample) => (await rule.find(sample)).length));
      if (found.every((count) => count === 0)) silent.push(JSON.stringify(rule.anchors));
    }
    expect(silent).toEqual([]);
  });
});
