import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretCorpus } from "../testing/secret-corpus.ts";
import { findEncodedSecrets } from "./find-secrets.ts";

const corpus = secretCorpus(2).map(({ secret }) => secret);
const plain = fc.string({ unit: fc.constantFrom(..."azAZ09 ~!{}:/\t\n\r"), maxLength: 40 });

describe("findEncodedSecrets", () => {
  it("law: finds base64 of any text that contains a secret as one whole run, in either alphabet", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(plain, fc.constantFrom(...corpus), plain),
        fc.boolean(),
        fc.constantFrom("", " ", "\n", '"', "\\n", "\\r", "it=", "é"),
        fc.constantFrom("", " ", "\\n", '"', ".", "字"),
        async ([before, secret, after], forUrls, left, right) => {
          const base64 = btoa(`${before} ${secret} ${after}`);
          const run = forUrls ? base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") : base64;
          const found = await findEncodedSecrets(`x ${left}${run}${right} y`);
          expect(new Set(found.map(({ start, end }) => `${start} ${end}`))).toEqual(
            new Set([`${2 + left.length} ${2 + left.length + run.length}`]),
          );
        },
      ),
      runs(300),
    );
  });

  it("finds nothing in names, paths and encoded bytes that are not text", async () => {
    for (const text of [
      "packages/summarizers/src/redaction/find-encoded-secrets.test.ts",
      "IAmALongNameThatBeginsAsTextWouldInBase64",
      btoa("\u0001\u0002\u00ffAKIAIOSFODNN7ABCDEFG"),
      btoa("short"),
      "a".repeat(70_000),
    ])
      expect(await findEncodedSecrets(text)).toEqual([]);
  });
});
