import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretCorpus } from "../testing/secret-corpus.ts";
import { findPlainSecrets, findSecrets } from "./find-secrets.ts";
import { type Anchor, AnchorSearch, type FoundSecret, type SecretRule } from "./secret-rule.ts";
import { secretRules } from "./secret-rules.ts";

const rules = await secretRules();

/** What the rules find when every one of them looks. */
async function foundByAll(text: string): Promise<readonly FoundSecret[]> {
  return (await Promise.all(rules.map((rule) => rule.find(text)))).flat();
}

/** The patterns that a rule looks for, as it shows them to a text. */
async function patternsOf(rule: SecretRule): Promise<readonly RegExp[]> {
  const patterns: RegExp[] = [];
  const text = { matchAll: (pattern: RegExp) => (patterns.push(pattern), []), includes: () => true };
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

/** Anchors with every construct that the real ones have, and some that are hard to tell from each other. */
const ANCHORS: readonly Anchor[] = [
  ...rules.flatMap(({ anchors = [] }) => anchors),
  { sign: "_" },
  { before: "a?", sign: "_", after: "b*c" },
  { before: "(?:a|b{0,2})-?", sign: "_", after: "(?:\\d|[^\\w-]|)" },
  { before: "(?:x(?:y|z){2}|[\\]a-c])", sign: "-", after: "\\[+\\\\" },
  { before: "^", sign: "-" },
  { before: "[ a][\\s:]", sign: "=" },
  { before: "k\\s{0,2}[^b]", sign: "=", after: "\\s" },
];
const anchorSearch = new AnchorSearch(new Map(ANCHORS.map((anchor, index) => [index, [anchor]])));

/** The anchors of which a plain pattern finds one. */
function standingIn(text: string): readonly number[] {
  return [...ANCHORS.entries()].flatMap(([index, anchor]) => {
    const { before = "", after = "" } = anchor;
    const sign = anchor.sign.replace(/[.$]/, "\\$&");
    return new RegExp(`(?<=${before === "" ? "" : `(?:${before})`})${sign}(?=${after})`).test(text) ? [index] : [];
  });
}

describe("AnchorSearch", () => {
  const beside = fc.constantFrom(..."_-.:=@$AS", ..." \t\n'\"\\\\]|/?", ..."abcxyzkeps0123456789", "\u00a0", "字");
  const piece = fc.oneof(fc.string({ unit: beside, maxLength: 12 }), secret);

  it("law: finds the kinds whose anchors a plain pattern finds, in the whole text and in its parts", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), fc.nat(), (pieces, cut) => {
        const text = pieces.join("");
        const middle = cut % (text.length + 1);
        const parts = [anchorSearch.kindsIn(text, 0, middle), anchorSearch.kindsIn(text, middle)];
        expect([...anchorSearch.kindsIn(text)].toSorted((a, b) => a - b)).toEqual(standingIn(text));
        expect(new Set(parts.flatMap((part) => [...part]))).toEqual(anchorSearch.kindsIn(text));
      }),
      runs(600),
    );
  });

  it("refuses an anchor that it cannot read and names it", () => {
    expect(() => new AnchorSearch(new Map([[0, [{ before: "a(?=b)", sign: "_" as const }]]]))).toThrow("a(?=b)");
  });
});

describe("findSecrets", () => {
  const colour = fc
    .tuple(fc.nat(20), fc.constantFrom("\u001b", "u001b", "u001B", "x1b", "033", "e", "u001", ""))
    .map(([backslashes, begin]) => `${"\\".repeat(backslashes)}${begin}[1;32m`);

  const plain = /(?:\u001b|\\{1,8}(?:u001[bB]|x1[bB]|033|e))\[[\d;?]{0,24}[A-Za-z]/g;
  const betweenWords = /(?<=\w)(?:\u001b|\\{1,8}(?:u001[bB]|x1[bB]|033|e))\[[\d;?]{0,24}[A-Za-z](?=\w)/g;
  const uncoloured = (text: string): string => text.replace(betweenWords, "\n").replace(plain, "");

  it("law: finds the same secrets with terminal colours as without them", async () => {
    const coloured = fc
      .tuple(colour, fc.constantFrom(...corpus), colour, fc.nat())
      .map(([before, it, inside, place]) => {
        const at = place % it.length;
        return `${before}${it.slice(0, at)}${inside}${it.slice(at)} `;
      });
    await fc.assert(
      fc.asyncProperty(fc.array(coloured, { maxLength: 4 }), async (parts) => {
        const text = parts.join("");
        // A colour in the midst of another one's escape makes a new one when it goes, which a terminal would not show.
        fc.pre(uncoloured(uncoloured(text)) === uncoloured(text));
        const found = await findSecrets(text);
        const shown = (from: string, some: readonly FoundSecret[]): readonly string[] =>
          some.map(({ start, end, messageId }) => `${messageId} ${uncoloured(from.slice(start, end))}`);
        expect(shown(text, found)).toEqual(shown(uncoloured(text), await findSecrets(uncoloured(text))));
      }),
      runs(400),
    );
  });
});

describe("the anchors of the rules", () => {
  it("law: lose no secret that running all rules would find, whatever stands around it", async () => {
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

  it("are each tested: the samples of the law contain a match for every rule with anchors", async () => {
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
