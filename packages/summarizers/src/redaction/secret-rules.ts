import type { rules as presetRules } from "@secretlint/secretlint-rule-preset-recommend";
import { ASSIGNED_SECRET_RULES } from "./assigned-secrets.ts";
import { type Anchor, type FoundSecret, inAnyCase, rule, type SecretRule } from "./secret-rule.ts";

/** The shortest text in which a rule can find a secret, in UTF-16 code units. */
export const MIN_SECRET = 8;

let loaded: Promise<readonly SecretRule[]> | undefined;

/**
 * Returns all rules. Secretlint's are loaded on first use, so that a program that never folds does not pay for them.
 */
export function secretRules(): Promise<readonly SecretRule[]> {
  loaded ??= loadSecretlintRules().then((rules) => [
    ...MORE_SECRET_RULES,
    ...VENDOR_KEY_RULES,
    ...ASSIGNED_SECRET_RULES,
    ...rules,
  ]);
  return loaded;
}

/** Anchors for an assignment with `:`, `=` or `=>`, by what comes before and after it. */
const assigned = (before: string, after: string): readonly Anchor[] =>
  ([":", "="] as const).map((sign) => ({ before: `(?:${before})["']?\\s*`, sign, after: `>?\\s*["']?(?:${after})` }));

const AUTHORIZATION: readonly Anchor[] = ([":", "="] as const).map((sign) => ({
  before: `${inAnyCase("authorization")}\\\\{0,3}["']?\\s{0,4}`,
  sign,
  after: `\\s{0,4}\\\\{0,3}["']?(?:${["bearer", "basic", "token"].map(inAnyCase).join("|")})\\s`,
}));

/** A dollar sign: doubled in compose files, and preceded by backslashes in shells and JSON. */
const DOLLAR = "\\\\{0,3}[$]{1,2}";
const SALT = "[A-Za-z0-9+/]{8,128}";

/** A password hash in the format of crypt: kind, settings, salt and hash, separated by dollar signs. */
const hashed = (kind: string, ...fields: readonly string[]): SecretRule =>
  rule("PASSWORD_HASH", new RegExp(`(?<![\\w$])${["", kind, ...fields].join(DOLLAR)}(?!\\w)`, "g"), [
    { sign: "$", after: `${kind}${DOLLAR}` },
  ]);

/**
 * Rules for kinds that secretlint's recommended rules do not cover, by the formats that their issuers document. Every
 * pattern begins at a word boundary or with fixed text and has bounded parts, so that hostile text costs no more than
 * any other.
 */
const MORE_SECRET_RULES: readonly SecretRule[] = [
  // Complete or cut off, with real or escaped line breaks, escaped any number of times.
  rule(
    "PRIVATE_KEY",
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\]{64,16384}(?:-----END [A-Z0-9 ]{1,40}-----)?/g,
    [{ before: "PRIVATE KEY(?: BLOCK)?", sign: "-" }],
  ),
  rule("NPMRC_AUTH_TOKEN", /(?<!\w)_(?:authToken|auth|password)\s{0,2}=\s{0,2}["']?[\w.~+/=-]{16,400}/g, [
    {
      sign: "_",
      after: "(?:authToken|auth|password)\\s{0,2}=",
    },
  ]),
  rule("GOOGLE_API_KEY", /(?<![\w-])AIza[\w-]{35}(?![\w-])/g, [{ sign: "A", after: "Iza" }]),
  rule("JSON_WEB_TOKEN", /(?<![\w.-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.[\w-]{20,1000}/g, [
    {
      sign: ".",
      after: "eyJ",
    },
  ]),
  rule(
    "AUTHORIZATION_HEADER",
    /\bauthorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?:bearer|basic|token)\s{1,4}[\w.~+/=-]{16,4000}/gi,
    AUTHORIZATION,
  ),
  rule("PYPI_TOKEN", /(?<![\w-])pypi-AgEIcHlwaS5vcmc[\w-]{50,400}/g, [{ before: "pypi", sign: "-" }]),
  rule("DIGITALOCEAN_TOKEN", /(?<![\w-])do[oprt]_v1_[a-f0-9]{64}(?!\w)/g, [{ before: "do[oprt]_v1", sign: "_" }]),
  rule("AZURE_STORAGE_KEY", /(?<!\w)AccountKey=[A-Za-z0-9+/]{86}==/g, [{ before: "AccountKey", sign: "=" }]),
  rule("TWILIO_API_KEY", /(?<![\w-])SK[0-9a-f]{32}(?!\w)/g, [{ sign: "S", after: "K[0-9a-f]{32}" }]),
  rule("TELEGRAM_BOT_TOKEN", /(?<![\w-])\d{8,10}:AA[\w-]{33}(?![\w-])/g, [
    { before: "\\d{8}", sign: ":", after: "AA" },
  ]),
  rule("MAILGUN_KEY", /(?<![\w-])key-[0-9a-f]{32}(?!\w)/g, [{ before: "key", sign: "-", after: "[0-9a-f]{32}" }]),
  rule("OPENROUTER_KEY", /(?<![\w-])sk-or-v1-[0-9a-f]{64}(?!\w)/g, [{ before: "sk-or-v1", sign: "-" }]),
  hashed("2[abxy]?", "\\d\\d", "[./A-Za-z0-9]{53}"),
  hashed("argon2(?:id|i|d)", `(?:v=\\d{1,3}${DOLLAR})?m=\\d{1,9},t=\\d{1,6},p=\\d{1,4}`, SALT, "[A-Za-z0-9+/]{16,256}"),
  hashed("scrypt", "ln=\\d{1,2},r=\\d{1,4},p=\\d{1,4}", `${SALT}={0,2}`, "[A-Za-z0-9+/]{16,256}"),
  hashed("6", `(?:rounds=\\d{1,9}${DOLLAR})?[./A-Za-z0-9]{1,16}`, "[./A-Za-z0-9]{86}"),
  hashed("5", `(?:rounds=\\d{1,9}${DOLLAR})?[./A-Za-z0-9]{1,16}`, "[./A-Za-z0-9]{43}"),
  hashed("g?y", "[./A-Za-z0-9]{1,32}", "[./A-Za-z0-9]{1,86}", "[./A-Za-z0-9]{43}"),
  hashed("(?:1|apr1)", "[./A-Za-z0-9]{1,8}", "[./A-Za-z0-9]{22}"),
  rule("PASSWORD_HASH", /\bpbkdf2_sha(?:1|256|512)\$\d{1,9}\$[\w./+-]{1,128}\$[A-Za-z0-9+/]{20,100}={0,2}/g, [
    { before: "pbkdf2", sign: "_", after: "sha" },
  ]),
  rule(
    "PASSWORD_HASH",
    /\bSCRAM-SHA-(?:1|256|512)\$\d{1,9}:[A-Za-z0-9+/]{8,128}={0,2}\$[A-Za-z0-9+/]{24,100}={0,2}:[A-Za-z0-9+/]{24,100}={0,2}/g,
    [{ before: "SCRAM", sign: "-", after: "SHA-" }],
  ),
  rule("PASSWORD_HASH", /\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{27,200}={0,2}/g, [
    { sign: "S", after: "HA(?:256|512)?\\}" },
  ]),
  rule("AGE_SECRET_KEY", /(?<![\w-])AGE-SECRET-KEY-1[A-Z0-9]{58}(?!\w)/g, [{ before: "AGE-SECRET-KEY", sign: "-" }]),
];

const ID_START = "@secretlint/secretlint-rule-";
/** This rule obeys comments in the text that turn rules off, which an attacker could put into the texts here. */
const COMMENT_RULE = "filter-comments";
/** Its scan for access key ids is turned on: they are half of a secret and worth the occasional false positive. */
const AWS_RULE = "aws";

/**
 * Loads secretlint's recommended rules. They are run without its engine, which puts a mark for every rule of every run
 * on the process's performance timeline and never removes it.
 */
async function loadSecretlintRules(): Promise<readonly SecretRule[]> {
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  return rules
    .map((rule) => ({ rule, name: rule.meta.id.replace(ID_START, "") }))
    .filter(({ name }) => name !== COMMENT_RULE)
    .map(({ rule, name }) => {
      const anchors = Object.hasOwn(SECRETLINT_ANCHORS, name) ? SECRETLINT_ANCHORS[name] : undefined;
      const options = name === AWS_RULE ? { enableIDScanRule: true } : {};
      const word = SECRETLINT_WORDS.get(name) ?? "";
      return {
        ...(anchors !== undefined && { anchors }),
        find: (text) =>
          text.includes(word) ? runSecretlint(rule, options as Parameters<Rule["create"]>[1], text) : [],
      };
    });
}

type Rule = (typeof presetRules)[number];
type RuleContext = Parameters<Rule["create"]>[0];
type RuleSource = Parameters<NonNullable<ReturnType<Rule["create"]>["file"]>>[0];

async function runSecretlint(
  rule: Rule,
  options: Parameters<Rule["create"]>[1],
  text: string,
): Promise<readonly FoundSecret[]> {
  const found: FoundSecret[] = [];
  await rule.create(secretlintContext(found), options).file?.(secretlintSource(text));
  return found;
}

function secretlintContext(found: FoundSecret[]): RuleContext {
  const context = {
    sharedOptions: {},
    createTranslator: () => (messageId: string) => ({ message: "", messageId }),
    report: ({ range, message }: Parameters<RuleContext["report"]>[0]) =>
      found.push({ start: range[0], end: range[1], messageId: message.messageId }),
    ignore: () => undefined,
  };
  return context as unknown as RuleContext;
}

function secretlintSource(text: string): RuleSource {
  const source = {
    hasBOM: false,
    content: text,
    filePath: "text.txt",
    ext: ".txt",
    contentType: "text",
    getFilePath: () => "text.txt",
    getPhysicalFilePath: () => undefined,
  };
  return source as unknown as RuleSource;
}

/** Words in everything that a rule finds, but too far from its anchors to be part of them. */
const SECRETLINT_WORDS: ReadonlyMap<string, string> = new Map([["openai", "T3BlbkFJ"]]);

const URL_WITH_PASSWORD: Anchor = { before: "://[^:/\\s]{1,256}:[^@/\\s]{1,256}", sign: "@" };

/**
 * The anchors of secretlint's rules, by the end of their ids, taken from their patterns. A rule not listed always runs.
 */
const SECRETLINT_ANCHORS: Readonly<Record<string, readonly Anchor[]>> = {
  aws: [
    { sign: "A", after: "(?:3T[A-Z0-9]|KIA|GPA|IDA|ROA|IPA|NPA|NVA|SIA)[A-Z0-9]{16}" },
    ...assigned("(?:ACCOUNT|[aA]ccount)_?(?:ID|[iI]d)?", "\\d{4}-?\\d{4}"),
    ...assigned("(?:ACCESS|[aA]ccess)_?(?:KEY|[kK]ey)", "[A-Za-z0-9/+=]{40}"),
  ],
  privatekey: [{ before: "PRIVATE KEY(?: BLOCK)?", sign: "-" }],
  npm: [{ before: "npm", sign: "_" }],
  basicauth: [URL_WITH_PASSWORD],
  slack: [
    { before: "xox[abopr]|xapp", sign: "-" },
    { before: inAnyCase("hooks"), sign: ".", after: `${inAnyCase("slack")}\\.` },
  ],
  sendgrid: [{ before: "SG", sign: "." }],
  shopify: [{ before: "shp(?:pa|ca|at|ss)", sign: "_" }],
  stripe: [{ before: "[rs]k_(?:live|test)", sign: "_" }],
  github: [{ before: "gh[oprsu]|github_pat", sign: "_" }],
  gitlab: [{ before: "glpat", sign: "-" }],
  grafana: [{ before: "glc|glsa", sign: "_" }],
  openai: [{ before: "sk", sign: "-", after: "(?:proj|svcacct|admin)-|[a-zA-Z0-9]{20}" }],
  anthropic: [{ before: "sk-ant", sign: "-" }],
  groq: [{ before: "gsk", sign: "_" }],
  huggingface: [{ before: "hf", sign: "_" }],
  linear: [{ before: "lin_api", sign: "_" }],
  notion: [{ before: "ntn", sign: "_" }],
  "1password": [{ before: "ops", sign: "_" }],
  "database-connection-string": [URL_WITH_PASSWORD],
  "hashicorp-vault": [{ before: "hv[brs]", sign: "." }],
  vercel: [{ before: "vc[aikpr]", sign: "_" }],
  docker: [{ before: "dckr_pat", sign: "_" }],
  figma: [{ before: "figd", sign: "_" }],
  cloudflare: [{ before: "cfk|cfut|cfat", sign: "_" }],
  tailscale: [{ before: "tskey", sign: "-" }],
};

/** Generated keys have digits; names that only begin like a key mostly have none. */
const hasDigit = (key: string): boolean => /\d/.test(key.slice(3));
/**
 * For short prefixes that words of a program have too: a key has digits, lower-case and upper-case letters after it.
 */
const isMixed = (key: string): boolean => hasDigit(key) && /[a-z]/.test(key.slice(3)) && /[A-Z]/.test(key.slice(3));

/** A rule for keys that are a whole word: a prefix, followed by a fixed class of characters and length. */
function prefixed(
  messageId: string,
  prefix: string,
  rest: string,
  anchor: Anchor,
  isSecret: (key: string) => boolean = hasDigit,
): SecretRule {
  return rule(messageId, new RegExp(`(?<![\\w-])${prefix}${rest}(?![\\w-])`, "g"), [anchor], isSecret);
}

const underscore = (before: string): Anchor => ({ before, sign: "_" });
const hyphen = (before: string): Anchor => ({ before, sign: "-" });

/**
 * Rules for keys and tokens by the prefixes and lengths that their issuers document, except those already covered by
 * secretlint's recommended rules or by our rules for older kinds.
 */
const VENDOR_KEY_RULES: readonly SecretRule[] = [
  prefixed("ATLASSIAN_TOKEN", "ATATT3", "[\\w=-]{60,300}", { sign: "A", after: "TATT3" }),
  prefixed("BITBUCKET_TOKEN", "ATBB", "\\w{28,40}", { sign: "A", after: "TBB" }),
  prefixed("NOTION_TOKEN", "secret_", "[A-Za-z0-9]{43}", underscore("secret")),
  prefixed("NEW_RELIC_KEY", "NRAK-", "[A-Z0-9]{27}", hyphen("NRAK")),
  prefixed("NEW_RELIC_KEY", "[0-9a-f]{32,36}", "(?:FFFF)?NRAL", { before: "NR", sign: "A", after: "L" }),
  prefixed("POSTMAN_KEY", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}", hyphen("PMAK")),
  prefixed("DOPPLER_TOKEN", "dp\\.(?:pt|st|sa|ct|scim|audit)\\.", "[\\w.-]{40,64}", { before: "dp", sign: "." }),
  prefixed("REPLICATE_TOKEN", "r8_", "[A-Za-z0-9]{37}", underscore("r8")),
  prefixed("DISCORD_BOT_TOKEN", "[MNO][\\w-]{23,27}\\.", "[\\w-]{6}\\.[\\w-]{27,40}", {
    sign: ".",
    after: "[\\w-]{6}\\.[\\w-]{27}",
  }),
  rule("DISCORD_WEBHOOK", /(?<name>discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{17,20}\/)[\w-]{60,80}/g, [
    { before: "discord(?:app)?", sign: ".", after: "com/api/" },
  ]),
  prefixed("AIRTABLE_TOKEN", "pat[A-Za-z0-9]{14}\\.", "[0-9a-f]{64}", { sign: ".", after: "[0-9a-f]{64}" }),
  prefixed("HEROKU_KEY", "HRKU-", "[\\w-]{36,64}", hyphen("HRKU")),
  prefixed("PLANETSCALE_TOKEN", "pscale_(?:tkn|pw|oauth)_", "[\\w.-]{32,64}", underscore("pscale")),
  prefixed("SUPABASE_TOKEN", "(?:sbp|sb_secret)_", "[\\w-]{28,60}", underscore("sbp|sb")),
  prefixed("FLY_TOKEN", "(?:fm[12][a-z]?|fo1)_", "[\\w+/=,-]{40,4000}", underscore("fm[12][a-z]?|fo1")),
  prefixed("RENDER_KEY", "rnd_", "[A-Za-z0-9]{28,40}", underscore("rnd"), isMixed),
  prefixed("NETLIFY_TOKEN", "nf[pcoub]_", "[A-Za-z0-9]{36,44}", underscore("nf[pcoub]")),
  prefixed("CIRCLECI_TOKEN", "CCI(?:PAT|PRJ)_", "[A-Za-z0-9]{22}_[0-9a-f]{40}", underscore("CCI(?:PAT|PRJ)")),
  prefixed("BUILDKITE_TOKEN", "bk[au]a_", "[0-9a-f]{40}", underscore("bk[au]a")),
  prefixed("SENTRY_TOKEN", "sntry[su]_", "[\\w+/=-]{40,400}", underscore("sntry[su]")),
  prefixed("DYNATRACE_TOKEN", "dt0[a-z]\\d{2}\\.", "[A-Z0-9]{24}\\.[A-Z0-9]{60,64}", {
    before: "dt0[a-z]\\d{2}",
    sign: ".",
  }),
  prefixed("PINECONE_KEY", "pcsk_", "\\w{40,80}", underscore("pcsk")),
  prefixed("XAI_KEY", "xai-", "[A-Za-z0-9]{60,100}", hyphen("xai")),
  prefixed("PERPLEXITY_KEY", "pplx-", "[A-Za-z0-9]{40,64}", hyphen("pplx")),
  prefixed("FIREWORKS_KEY", "fw_", "[A-Za-z0-9]{22,24}", underscore("fw"), isMixed),
  prefixed("OPENAI_KEY", "sk-(?:proj|svcacct|admin)-", "[\\w-]{40,220}", hyphen("sk-(?:proj|svcacct|admin)")),
  prefixed("DEEPSEEK_KEY", "sk-", "[0-9a-f]{32}", hyphen("sk")),
  prefixed("ELEVENLABS_KEY", "sk_", "[0-9a-f]{48}", underscore("sk")),
  prefixed("CEREBRAS_KEY", "csk-", "[A-Za-z0-9]{48}", hyphen("csk")),
  prefixed("TOGETHER_KEY", "tgp_v1_", "[\\w-]{40,48}", underscore("tgp")),
  prefixed("FIRECRAWL_KEY", "fc-", "[0-9a-f]{32}", hyphen("fc")),
  prefixed("POSTHOG_KEY", "ph[xs]_", "[A-Za-z0-9]{40,48}", underscore("ph[xs]"), isMixed),
  prefixed("STRIPE_WEBHOOK_SECRET", "whsec_", "[A-Za-z0-9+/]{32,64}={0,2}", underscore("whsec")),
  prefixed("ANTHROPIC_ADMIN_KEY", "sk-ant-admin\\d{2}-", "[\\w-]{80,120}", hyphen("sk-ant")),
  prefixed("GOOGLE_AUTH_KEY", "AQ\\.Ab8", "[\\w-]{40,60}", { before: "AQ", sign: ".", after: "Ab8" }),
  prefixed("NVIDIA_KEY", "nvapi-", "[\\w-]{60,80}", hyphen("nvapi")),
  prefixed("JINA_KEY", "jina_", "[\\w-]{50,70}", underscore("jina")),
  prefixed("VOYAGE_KEY", "pa-", "[\\w-]{43}", hyphen("pa"), isMixed),
  prefixed("TAVILY_KEY", "tvly-", "[\\w-]{28,48}", hyphen("tvly")),
  prefixed("E2B_KEY", "e2b_", "[0-9a-f]{40}", underscore("e2b")),
  prefixed("LANGSMITH_KEY", "lsv2_(?:pt|sk)_", "[0-9a-f]{32}_[0-9a-f]{10}", underscore("lsv2")),
  prefixed("LANGFUSE_KEY", "sk-lf-", "[0-9a-f-]{36}", hyphen("sk-lf")),
  prefixed("SQUARE_TOKEN", "sq0(?:csp|atp|idp)-", "[\\w-]{22,64}", hyphen("sq0(?:csp|atp|idp)")),
  prefixed("SQUARE_TOKEN", "EAAA", "[\\w-]{56,64}", { before: "E", sign: "A", after: "AA" }, isMixed),
  prefixed("PAYPAL_TOKEN", "access_token\\$(?:production|sandbox)\\$", "[a-z0-9]{16}\\$[0-9a-f]{32}", {
    before: "access",
    sign: "_",
    after: "token\\$",
  }),
  prefixed("MAILCHIMP_KEY", "[0-9a-f]{32}-", "us\\d{1,2}", { before: "[0-9a-f]{32}", sign: "-", after: "us\\d" }),
  prefixed("BREVO_KEY", "xkeysib-", "[0-9a-f]{64}-\\w{16}", hyphen("xkeysib")),
  prefixed("RESEND_KEY", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", underscore("re"), isMixed),
  prefixed("TERRAFORM_TOKEN", "[A-Za-z0-9]{14}\\.atlasv1\\.", "[\\w=-]{60,70}", { sign: ".", after: "atlasv1\\." }),
  prefixed("PULUMI_TOKEN", "pul-", "[0-9a-f]{40}", hyphen("pul")),
  prefixed("RUBYGEMS_KEY", "rubygems_", "[0-9a-f]{48}", underscore("rubygems")),
  prefixed("CLOJARS_TOKEN", "CLOJARS_", "[0-9a-f]{60}", underscore("CLOJARS")),
  rule("CRATES_TOKEN", /(?<![\w-])cio[A-Za-z0-9]{32}(?![\w-])/g, [], isMixed),
  prefixed("GITLAB_TOKEN", "gl(?:rt|ptt|dt|cbt|ft|soat|imt|agent|oas|ffct)-", "[\\w.-]{20,60}", hyphen("gl[a-z]{2,5}")),
  prefixed("GOOGLE_OAUTH_SECRET", "GOCSPX-", "[\\w-]{28}", hyphen("GOCSPX")),
  prefixed("GOOGLE_ACCESS_TOKEN", "ya29\\.", "[\\w-]{40,500}", { before: "ya29", sign: "." }),
  prefixed("FCM_SERVER_KEY", "AAAA[\\w-]{7}:", "[\\w-]{140}", { before: "AAAA[\\w-]{7}", sign: ":" }),
  // No anchor and no prefix: such a secret has three arbitrary characters before the digit.
  rule("AZURE_CLIENT_SECRET", /\dQ~[\w.~-]{31,34}(?![\w.~-])/g, []),
  prefixed("CONTENTFUL_TOKEN", "CFPAT-", "[\\w-]{43}", hyphen("CFPAT")),
  prefixed("TYPEFORM_TOKEN", "tfp_", "[\\w.=-]{40,70}", underscore("tfp"), isMixed),
  prefixed("MAPBOX_TOKEN", "sk\\.eyJ", "[\\w-]{40,200}\\.[\\w-]{20,24}", { before: "sk", sign: ".", after: "eyJ" }),
  prefixed("DENO_TOKEN", "dd[pw]_", "[A-Za-z0-9]{36,40}", underscore("dd[pw]")),
  prefixed("NEON_KEY", "napi_", "[a-zA-Z0-9]{56,70}", underscore("napi")),
  rule("OKTA_TOKEN", /(?<name>\bSSWS\s{1,4})00[\w-]{36,44}/g, []),
];
