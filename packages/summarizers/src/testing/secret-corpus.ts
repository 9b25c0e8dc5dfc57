const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";
const HEX = "0123456789abcdef";
const WORD = LETTERS + DIGITS;
const BASE64 = `${WORD}+/`;

/** Draws letters: the same for the same seed, so that a run that fails fails again. */
class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to below `limit` (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  of(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join("");
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

/** How a secret of each kind looks, drawn anew each time: nothing here is or was a secret of anybody. */
const KINDS: Readonly<Record<string, (draw: Draw) => string>> = {
  "aws-access-key-id": (d) => `AKIA${d.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`,
  "aws-secret-access-key": (d) => `aws_secret_access_key=${d.of(WORD, 40)}`,
  "private-key": (d) =>
    `-----BEGIN RSA PRIVATE KEY-----\nMII${Array.from({ length: 12 }, () => d.of(BASE64, 64)).join("\n")}\n-----END RSA PRIVATE KEY-----`,
  "ec-private-key": (d) =>
    `-----BEGIN EC PRIVATE KEY-----\nMII${Array.from({ length: 4 }, () => d.of(BASE64, 64)).join("\n")}\n-----END EC PRIVATE KEY-----`,
  "npm-token": (d) => `npm_${d.of(WORD, 36)}`,
  "npmrc-auth-token": (d) => `//registry.example.org/:_authToken=${d.of(HEX, 36)}`,
  "basic-auth-url": (d) => `https://deploy:${d.of(WORD, 20)}@git.example.org/team/repo.git`,
  "slack-bot-token": (d) => `xoxb-${d.of(DIGITS, 12)}-${d.of(DIGITS, 13)}-${d.of(WORD, 24)}`,
  "slack-webhook": (d) => `https://hooks.slack.com/services/T${d.of(WORD, 8)}/B${d.of(WORD, 8)}/${d.of(WORD, 24)}`,
  "sendgrid-key": (d) => `SG.${d.of(WORD, 22)}.${d.of(WORD, 43)}`,
  "shopify-key": (d) => `shpat_${d.of(HEX, 32)}`,
  "stripe-live-key": (d) => `sk_live_${d.of(WORD, 24)}`,
  "stripe-restricted-key": (d) => `rk_live_${d.of(WORD, 24)}`,
  "github-token": (d) => `${d.pick(["ghp", "gho", "ghu", "ghs", "ghr"])}_${d.of(WORD, 36)}`,
  "github-fine-grained": (d) => `github_pat_${d.of(WORD, 82)}`,
  "gitlab-token": (d) => `glpat-${d.of(WORD, 20)}`,
  "grafana-cloud": (d) => `glc_${d.of(WORD, 100)}`,
  "grafana-service-account": (d) => `glsa_${d.of(WORD, 32)}_${d.of(HEX, 8)}`,
  "openai-key": (d) => `sk-${d.of(WORD, 20)}T3BlbkFJ${d.of(WORD, 20)}`,
  "openai-project-key": (d) => `sk-proj-${d.of(WORD, 74)}T3BlbkFJ${d.of(WORD, 74)}`,
  "anthropic-key": (d) => `sk-ant-api03-${d.of(WORD, 93)}AA`,
  "groq-key": (d) => `gsk_${d.of(WORD, 52)}`,
  "hugging-face-token": (d) => `hf_${d.of(LETTERS, 34)}`,
  "linear-key": (d) => `lin_api_${d.of(WORD, 40)}`,
  "notion-token": (d) => `ntn_${d.of(DIGITS, 11)}${d.of(WORD, 35)}`,
  "mongodb-url": (d) => `mongodb+srv://app:${d.of(WORD, 16)}@cluster0.example.net/orders`,
  "mysql-url": (d) => `mysql://root:${d.of(WORD, 16)}@db.internal.example:3306/shop`,
  "postgres-url": (d) => `postgres://svc:${d.of(WORD, 18)}@10.0.4.12:5432/ledger`,
  "vault-service-token": (d) => `hvs.${d.of(WORD, 95)}`,
  "vercel-token": (d) => `vcp_${d.of(WORD, 40)}`,
  "databricks-token": (d) => `dapi${d.of(HEX, 32)}`,
  "docker-token": (d) => `dckr_pat_${d.of(WORD, 27)}`,
  "figma-token": (d) => `figd_${d.of(WORD, 43)}`,
  "cloudflare-token": (d) => `cfut_${d.of(WORD, 40)}${d.of(HEX, 8)}`,
  "tailscale-key": (d) => `tskey-auth-${d.of(WORD, 12)}-${d.of(WORD, 32)}`,
  "google-api-key": (d) => `AIza${d.of(WORD, 35)}`,
  "json-web-token": (d) => `eyJ${d.of(WORD, 34)}.eyJ${d.of(WORD, 120)}.${d.of(WORD, 43)}`,
  "authorization-header": (d) => `Authorization: Bearer ${d.of(WORD, 40)}`,
  "pypi-token": (d) => `pypi-AgEIcHlwaS5vcmc${d.of(WORD, 120)}`,
  "digitalocean-token": (d) => `dop_v1_${d.of(HEX, 64)}`,
  "azure-storage-key": (d) => `AccountKey=${d.of(BASE64, 86)}==`,
  "twilio-key": (d) => `SK${d.of(HEX, 32)}`,
  "telegram-bot-token": (d) => `${d.of("123456789", 1)}${d.of(DIGITS, 9)}:AA${d.of(WORD, 33)}`,
  "mailgun-key": (d) => `key-${d.of(HEX, 32)}`,
  "openrouter-key": (d) => `sk-or-v1-${d.of(HEX, 64)}`,
  "age-key": (d) => `AGE-SECRET-KEY-1${d.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 58)}`,
};

/** A secret in the middle of a text, and the part of it that must be nowhere afterwards. */
export interface SecretSample {
  readonly kind: string;
  readonly secret: string;
}

/** So many secrets of every kind. */
export function secretCorpus(perKind: number, seed = 26): readonly SecretSample[] {
  const draw = new Draw(seed);
  return Object.entries(KINDS).flatMap(([kind, make]) =>
    Array.from({ length: perKind }, () => ({ kind, secret: make(draw) })),
  );
}

const WORDS =
  "build test index parser session thread render cache token secret key password user config deploy server route query table column value error warn retry limit budget plan fold summary message".split(
    " ",
  );

/** Texts as they stand in sessions and hold no secret, some of them with the looks of one. */
const BENIGN: readonly ((draw: Draw) => string)[] = [
  (d) => `commit ${d.of(HEX, 40)} by ${d.pick(WORDS)}@example.org`,
  (d) => `${d.of(HEX, 8)}-${d.of(HEX, 4)}-4${d.of(HEX, 3)}-a${d.of(HEX, 3)}-${d.of(HEX, 12)}`,
  (d) => `"integrity": "sha512-${d.of(BASE64, 86)}=="`,
  (d) => `sha256:${d.of(HEX, 64)} docker.io/library/${d.pick(WORDS)}:1.${d.below(40)}`,
  (d) => `const ${d.pick(WORDS)}${d.below(1000)} = process.env.${d.pick(WORDS).toUpperCase()}_API_KEY ?? "";`,
  (d) => `export function ${d.pick(WORDS)}${d.pick(WORDS)}(${d.pick(WORDS)}: string): void {}`,
  (d) => `src/${d.pick(WORDS)}/${d.pick(WORDS)}-${d.pick(WORDS)}.test.ts:${d.below(900)}:${d.below(80)}`,
  (d) => `password: str = Field(..., min_length=${8 + d.below(9)})  # never log the ${d.pick(WORDS)}`,
  (d) => `API_KEY=<your key here>  TOKEN=\${${d.pick(WORDS).toUpperCase()}_TOKEN}`,
  (d) => `https://${d.pick(WORDS)}.example.org/${d.pick(WORDS)}?page=${d.below(99)}&id=${d.of(DIGITS, 9)}`,
  (d) => `data:image/png;base64,iVBORw0KGgoAAAANSUhEUg${d.of(BASE64, 120)}`,
  (d) =>
    `The ${d.pick(WORDS)} of the ${d.pick(WORDS)} is ${d.below(9999)} ms; see the ${d.pick(WORDS)} for the secret of its speed.`,
  (d) => `${btoa(`${d.pick(WORDS)} ${d.pick(WORDS)} ${d.pick(WORDS)} ${d.pick(WORDS)} ${d.below(10_000)}`)}`,
  (d) => `at ${d.pick(WORDS)} (file:///srv/app/${d.pick(WORDS)}/${d.pick(WORDS)}.js:${d.below(900)}:${d.below(90)})`,
  (d) => `msg_${d.of(WORD, 24)} toolu_${d.of(WORD, 24)} call_${d.of(WORD, 24)}`,
  (d) => `artifact_${d.of(HEX, 24)} resp_${d.of(HEX, 48)}`,
  (d) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${d.of(BASE64, 43)} ${d.pick(WORDS)}@host`,
  (d) => `-----BEGIN PUBLIC KEY-----\n${d.of(BASE64, 64)}\n-----END PUBLIC KEY-----`,
  (d) => `SELECT ${d.pick(WORDS)} FROM ${d.pick(WORDS)} WHERE api_key_id = ${d.below(99_999)};`,
  (d) =>
    `2026-01-${10 + d.below(18)}T0${d.below(9)}:00:00.${d.of(DIGITS, 3)}Z INFO [${d.of(HEX, 16)}] ${d.pick(WORDS)} done`,
];

/** So many texts without a secret. */
export function benignCorpus(count: number, seed = 62): readonly string[] {
  const draw = new Draw(seed);
  return Array.from({ length: count }, (_, index) => (BENIGN[index % BENIGN.length] as (draw: Draw) => string)(draw));
}
