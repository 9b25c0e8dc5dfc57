import { type Anchor, inAnyCase } from "./anchor.ts";
import type { SecretRule } from "./secret-rule.ts";

const AUTHORIZATION: readonly Anchor[] = ([":", "="] as const).map((sign) => ({
  before: `${inAnyCase("authorization")}\\\\{0,3}["']?\\s{0,4}`,
  sign,
  after: `\\s{0,4}\\\\{0,3}["']?(?:${["bearer", "basic", "token"].map(inAnyCase).join("|")})\\s`,
}));

/**
 * Kinds that secretlint's recommended rules do not know, by the shapes that their issuers document. Every pattern begins
 * at the start of a word and has bounded parts, so that hostile text costs no more than any other.
 */
export const MORE_SECRET_RULES: readonly SecretRule[] = [
  // Whole or cut off, with real line breaks or with escaped ones, however often.
  rule(
    "PRIVATE_KEY",
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\]{64,16384}(?:-----END [A-Z0-9 ]{1,40}-----)?/g,
    { before: "PRIVATE KEY(?: BLOCK)?", sign: "-" },
  ),
  rule("NPMRC_AUTH_TOKEN", /(?<!\w)_(?:authToken|auth|password)\s{0,2}=\s{0,2}["']?[\w.~+/=-]{16,400}/g, {
    sign: "_",
    after: "(?:authToken|auth|password)\\s{0,2}=",
  }),
  rule("GOOGLE_API_KEY", /(?<![\w-])AIza[\w-]{35}(?![\w-])/g, { sign: "A", after: "Iza" }),
  rule("JSON_WEB_TOKEN", /(?<![\w.-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.[\w-]{20,1000}/g, {
    sign: ".",
    after: "eyJ",
  }),
  rule(
    "AUTHORIZATION_HEADER",
    /\bauthorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?:bearer|basic|token)\s{1,4}[\w.~+/=-]{16,4000}/gi,
    ...AUTHORIZATION,
  ),
  rule("PYPI_TOKEN", /(?<![\w-])pypi-AgEIcHlwaS5vcmc[\w-]{50,400}/g, { before: "pypi", sign: "-" }),
  rule("DIGITALOCEAN_TOKEN", /(?<![\w-])do[oprt]_v1_[a-f0-9]{64}(?!\w)/g, { before: "do[oprt]_v1", sign: "_" }),
  rule("AZURE_STORAGE_KEY", /(?<!\w)AccountKey=[A-Za-z0-9+/]{86}==/g, { before: "AccountKey", sign: "=" }),
  rule("TWILIO_API_KEY", /(?<![\w-])SK[0-9a-f]{32}(?!\w)/g, { sign: "S", after: "K[0-9a-f]{32}" }),
  rule("TELEGRAM_BOT_TOKEN", /(?<![\w-])\d{8,10}:AA[\w-]{33}(?![\w-])/g, { before: "\\d{8}", sign: ":", after: "AA" }),
  rule("MAILGUN_KEY", /(?<![\w-])key-[0-9a-f]{32}(?!\w)/g, { before: "key", sign: "-", after: "[0-9a-f]{32}" }),
  rule("OPENROUTER_KEY", /(?<![\w-])sk-or-v1-[0-9a-f]{64}(?!\w)/g, { before: "sk-or-v1", sign: "-" }),
  rule("AGE_SECRET_KEY", /(?<![\w-])AGE-SECRET-KEY-1[A-Z0-9]{58}(?!\w)/g, { before: "AGE-SECRET-KEY", sign: "-" }),
];

function rule(messageId: string, pattern: RegExp, ...anchors: readonly Anchor[]): SecretRule {
  return {
    anchors,
    find: (text) =>
      [...text.matchAll(pattern)].map(({ index, 0: match }) => ({
        start: index,
        end: index + match.length,
        messageId,
      })),
  };
}
