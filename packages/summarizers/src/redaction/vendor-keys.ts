import { type Anchor, rule, type SecretRule } from "./secret-rule.ts";

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
export const VENDOR_KEY_RULES: readonly SecretRule[] = [
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
