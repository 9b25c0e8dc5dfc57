import { type Anchor, assigned, inAnyCase } from "./anchor.ts";

const URL_WITH_PASSWORD: Anchor = { before: "://[^:/\\s]{1,256}:[^@/\\s]{1,256}", sign: "@" };

/** The anchors of secretlint's rules by the end of their ids, read from their patterns. A rule that is not here always looks. */
export const SECRETLINT_ANCHORS: Readonly<Record<string, readonly Anchor[]>> = {
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
