import type { FoundSecret } from "./found-secret.ts";

/**
 * Kinds that secretlint's recommended rules do not know, by the shapes that their issuers document. Every pattern begins
 * at the start of a word and has bounded parts, so that hostile text costs no more than any other.
 */
const KINDS: readonly (readonly [messageId: string, pattern: RegExp])[] = [
  // Whole or cut off, with real line breaks or with escaped ones, however often.
  [
    "PRIVATE_KEY",
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\]{64,16384}(?:-----END [A-Z0-9 ]{1,40}-----)?/g,
  ],
  ["NPMRC_AUTH_TOKEN", /(?<!\w)_(?:authToken|auth|password)\s{0,2}=\s{0,2}["']?[\w.~+/=-]{16,400}/g],
  ["GOOGLE_API_KEY", /(?<![\w-])AIza[\w-]{35}(?![\w-])/g],
  ["JSON_WEB_TOKEN", /(?<![\w.-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.[\w-]{20,1000}/g],
  [
    "AUTHORIZATION_HEADER",
    /\bauthorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?:bearer|basic|token)\s{1,4}[\w.~+/=-]{16,4000}/gi,
  ],
  ["PYPI_TOKEN", /(?<![\w-])pypi-AgEIcHlwaS5vcmc[\w-]{50,400}/g],
  ["DIGITALOCEAN_TOKEN", /(?<![\w-])do[oprt]_v1_[a-f0-9]{64}(?!\w)/g],
  ["AZURE_STORAGE_KEY", /(?<!\w)AccountKey=[A-Za-z0-9+/]{86}==/g],
  ["TWILIO_API_KEY", /(?<![\w-])SK[0-9a-f]{32}(?!\w)/g],
  ["TELEGRAM_BOT_TOKEN", /(?<![\w-])\d{8,10}:AA[\w-]{33}(?![\w-])/g],
  ["MAILGUN_KEY", /(?<![\w-])key-[0-9a-f]{32}(?!\w)/g],
  ["OPENROUTER_KEY", /(?<![\w-])sk-or-v1-[0-9a-f]{64}(?!\w)/g],
  ["AGE_SECRET_KEY", /(?<![\w-])AGE-SECRET-KEY-1[A-Z0-9]{58}(?!\w)/g],
];

/** What stands in a text of the kinds that secretlint does not know. */
export function findMoreSecrets(text: string): readonly FoundSecret[] {
  return KINDS.flatMap(([messageId, pattern]) =>
    [...text.matchAll(pattern)].map(({ index, 0: match }) => ({ start: index, end: index + match.length, messageId })),
  );
}
