const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";
const HEX = "0123456789abcdef";
const WORD = LETTERS + DIGITS;
const BASE64 = `${WORD}+/`;
const CRYPT = `${WORD}./`;

/** Draws random characters; the same seed gives the same ones, so that a failing run can be repeated. */
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

/** Generates a secret of each kind. All are random; nothing here is or was a real secret. */
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

/** A password of letters, digits and a special character, as people make them up. */
const password = (d: Draw): string => `${d.of(LETTERS, 6)}${d.of(DIGITS, 2)}!${d.of(LETTERS, 3)}`;
/** A made-up password of 8 or 10 letters only. */
const word = (d: Draw): string =>
  Array.from({ length: 4 + d.below(2) }, () => d.of("bdfgklmrtvz", 1) + d.of("aeiou", 1)).join("");
/** A random key with a digit, upper-case and lower-case letters, as all but very few keys of that length have. */
const key = (d: Draw, length: number): string => `${d.of(LETTERS, 2)}7a4Q${d.of(WORD, length - 6)}`;

/** Kinds recognized by their context, with the value between « and », and keys whose format changed or is recent. */
const MORE_KINDS: Readonly<Record<string, (draw: Draw) => string>> = {
  "password-variable": (d) => `DB_PASSWORD=«${password(d)}»`,
  "password-property": (d) => `password: "«${password(d)}»"`,
  "password-in-json": (d) => `{"user":"app","password":"«${password(d)}»"}`,
  "postgres-password-variable": (d) => `PGPASSWORD=«${password(d)}» psql -h db`,
  "password-of-ado": (d) => `Server=db;Database=shop;User Id=sa;Password=«${password(d)}»;`,
  "password-of-jdbc": (d) => `jdbc:postgresql://db/shop?user=app&password=«${password(d)}»`,
  "password-of-curl": (d) => `curl -sS -u admin:«${password(d)}» https://api.example.org/v1`,
  "password-of-mysql": (d) => `mysql -u root -p «${password(d)}» shop`,
  "password-flag": (d) => `deploy --password «${password(d)}» --now`,
  "password-of-netrc": (d) => `machine git.example.org login ci password «${password(d)}»`,
  "redis-url": (d) => `redis://:«${password(d)}»@cache.example.org:6379/0`,
  "amqp-url": (d) => `amqp://svc:«${password(d)}»@queue.example.org:5672/`,
  "api-key-variable": (d) => `API_KEY=«${key(d, 32)}»`,
  "api-key-property": (d) => `{"apiKey":"«${key(d, 30)}»"}`,
  "api-key-header": (d) => `x-api-key: «${key(d, 40)}»`,
  "api-key-in-address": (d) => `https://api.example.org/v1?api_key=«${key(d, 32)}»`,
  "client-secret": (d) => `client_secret=«${key(d, 40)}»`,
  "secret-key": (d) => `SECRET_KEY='«${key(d, 50)}»'`,
  "access-token-variable": (d) => `export ACCESS_TOKEN=«${key(d, 40)}»`,
  "token-flag": (d) => `deploy --token=«${key(d, 30)}»`,
  "bearer-alone": (d) => `Bearer «${key(d, 40)}»`,
  cookie: (d) => `Cookie: session=«${key(d, 32)}»; theme=dark`,
  "cookie-behind-others": (d) => `Cookie: theme=dark; lang=en; sessionid=«${key(d, 32)}»`,
  "token-of-address": (d) => `git clone https://«${key(d, 40)}»@git.example.org/a/b.git`,
  "openai-project-key": (d) => `sk-proj-«${key(d, 48)}»`,
  "set-cookie": (d) => `Set-Cookie: sid=««${key(d, 32)}»»; Path=/; HttpOnly`,
  "signed-azure-address": (d) => `https://acc.blob.core.windows.net/c?sv=2022-11-02&sig=${key(d, 43)}%3D`,
  "signed-amazon-address": (d) => `https://b.s3.amazonaws.com/k?X-Amz-Signature=${d.of(HEX, 64)}`,
  "atlassian-token": (d) => `ATATT3xFfGF0${d.of(WORD, 180)}`,
  "bitbucket-token": (d) => `ATBB${key(d, 32)}`,
  "notion-integration": (d) => `secret_${key(d, 43)}`,
  "new-relic-key": (d) => `NRAK-7${d.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 26)}`,
  "postman-key": (d) => `PMAK-${d.of(HEX, 24)}-${d.of(HEX, 34)}`,
  "doppler-token": (d) => `dp.pt.${key(d, 43)}`,
  "replicate-token": (d) => `r8_${key(d, 37)}`,
  "discord-bot": (d) => `MT${d.of(WORD, 24)}.${key(d, 6)}.${key(d, 38)}`,
  "discord-webhook": (d) => `https://discord.com/api/webhooks/1${d.of(DIGITS, 17)}/${key(d, 68)}`,
  "airtable-token": (d) => `pat${d.of(WORD, 14)}.${d.of(HEX, 64)}`,
  "planetscale-token": (d) => `pscale_tkn_${key(d, 43)}`,
  "supabase-token": (d) => `sbp_${d.of(HEX, 40)}`,
  "netlify-token": (d) => `nfp_${key(d, 40)}`,
  "circleci-token": (d) => `CCIPAT_${key(d, 22)}_${d.of(HEX, 40)}`,
  "sentry-token": (d) => `sntrys_eyJ${key(d, 100)}`,
  "dynatrace-token": (d) => `dt0c01.${d.of("ABCDEFGHIJ234567", 24)}.${d.of("ABCDEFGHIJ234567", 64)}`,
  "datadog-key": (d) => `DD_API_KEY=${d.of(HEX, 32)}`,
  "pinecone-key": (d) => `pcsk_${key(d, 70)}`,
  "xai-key": (d) => `xai-${key(d, 80)}`,
  "perplexity-key": (d) => `pplx-${key(d, 48)}`,
  "deepseek-key": (d) => `sk-${d.of(HEX, 32)}`,
  "elevenlabs-key": (d) => `sk_${d.of(HEX, 48)}`,
  "nvidia-key": (d) => `nvapi-${key(d, 64)}`,
  "langsmith-key": (d) => `lsv2_pt_${d.of(HEX, 32)}_${d.of(HEX, 10)}`,
  "tavily-key": (d) => `tvly-${key(d, 32)}`,
  "square-token": (d) => `EAAA${key(d, 60)}`,
  "paypal-token": (d) => `access_token$production$${d.of("abcdefgh12345678", 16)}$${d.of(HEX, 32)}`,
  "mailchimp-key": (d) => `${d.of(HEX, 32)}-us21`,
  "brevo-key": (d) => `xkeysib-${d.of(HEX, 64)}-${d.of(WORD, 16)}`,
  "resend-key": (d) => `re_${d.of(WORD, 8)}_${key(d, 24)}`,
  "terraform-token": (d) => `${d.of(WORD, 14)}.atlasv1.${key(d, 67)}`,
  "rubygems-key": (d) => `rubygems_${d.of(HEX, 48)}`,
  "gitlab-runner": (d) => `glrt-${key(d, 20)}`,
  "google-oauth-secret": (d) => `GOCSPX-${key(d, 28)}`,
  "google-access-token": (d) => `ya29.${key(d, 80)}`,
  "azure-client-secret": (d) => `${d.of(WORD, 3)}8Q~${d.of(WORD, 34)}`,
  "registry-auth": (d) => `{"auths":{"r.example.org":{"auth":"«${btoa(`ci:${key(d, 20)}`)}»"}}}`,
  "buildkite-token": (d) => `bkua_${d.of(HEX, 40)}`,
  "voyage-key": (d) => `pa-${key(d, 43)}`,
  "e2b-key": (d) => `e2b_${d.of(HEX, 40)}`,
  "pulumi-token": (d) => `pul-${d.of(HEX, 40)}`,
  "contentful-token": (d) => `CFPAT-${key(d, 43)}`,
  "password-set-by-call": (d) => `setenv('DB_PASSWORD', '«${password(d)}»', 1);`,
  "key-set-by-call": (d) => `os.environ.setdefault("API_TOKEN", "«${key(d, 40)}»")`,
  "password-as-default": (d) => `'password' => env('DB_PASSWORD', '«${password(d)}»'),`,
  "password-defined": (d) => `define('PASSWORD', '«${password(d)}»');`,
  "token-set-by-call": (d) => `headers.set("token", "«${key(d, 32)}»");`,
  "password-of-docker": (d) => `ENV PASSWORD «${password(d)}»`,
  "key-defined": (d) => `define( 'AUTH_KEY',         '«${key(d, 64)}»' );`,
  "password-property-of-java": (d) => `System.setProperty("db.password", "«${password(d)}»");`,
  "password-of-c": (d) => `#define WIFI_PASSWORD "«${password(d)}»"`,
  "password-of-csh": (d) => `setenv DB_PASSWORD «${password(d)}»`,
  "key-of-docker": (d) => `ENV API_TOKEN «${key(d, 32)}»`,
  "key-of-fish": (d) => `set -gx API_TOKEN «${key(d, 32)}»`,
  "key-of-ruby": (d) => `ENV["SECRET_KEY_BASE"] ||= "«${key(d, 64)}»"`,
  "password-field": (d) => `- name: DB_PASSWORD\n  value: "«${password(d)}»"`,
  "key-field": (d) => `{"name": "API_SECRET", "value": "«${key(d, 32)}»"}`,
  "password-attribute": (d) => `<add key="DbPassword" value="«${password(d)}»" />`,
  "password-element": (d) => `<password>«${password(d)}»</password>`,
  "password-of-sql": (d) => `CREATE USER 'app'@'%' IDENTIFIED BY '«${password(d)}»';`,
  "password-of-ansible": (d) => `ansible_ssh_pass=«${password(d)}»`,
  "cookie-of-curl": (d) => `curl --cookie "sid=«${key(d, 32)}»" https://api.example.org`,
  "password-of-redis-cli": (d) => `redis-cli -h cache -a «${password(d)}» ping`,
  "private-key-variable": (d) => `PRIVATE_KEY=«0x${d.of(HEX, 64)}»`,
  "together-key": (d) => `tgp_v1_${key(d, 43)}`,
  "firecrawl-key": (d) => `fc-${d.of(HEX, 32)}`,
  "posthog-key": (d) => `phx_${key(d, 43)}`,
  "stripe-webhook": (d) => `whsec_${key(d, 32)}`,
  "anthropic-admin-key": (d) => `sk-ant-admin01-${key(d, 95)}`,
  "google-auth-key": (d) => `AQ.Ab8${key(d, 45)}`,
  "bcrypt-hash": (d) => `$2${d.pick(["a", "b", "y"])}$12$${d.of(CRYPT, 53)}`,
  "bcrypt-hash-in-compose": (d) => `traefik.users=ops:$$2y$$05$$«${d.of(CRYPT, 53)}»`,
  "argon2-hash": (d) => `$argon2${d.pick(["id", "i"])}$v=19$m=65536,t=3,p=4$${d.of(WORD, 22)}$«${d.of(BASE64, 43)}»`,
  "sha512-crypt": (d) =>
    `root:$6$${d.pick(["", "rounds=5000$"])}${d.of(CRYPT, 16)}$«${d.of(CRYPT, 86)}»:19700:0:99999:7:::`,
  "sha256-crypt": (d) => `$5$${d.of(CRYPT, 16)}$${d.of(CRYPT, 43)}`,
  yescrypt: (d) => `ubuntu:$y$j9T$${d.of(CRYPT, 22)}$«${d.of(CRYPT, 43)}»:19700:0:99999:7:::`,
  "htpasswd-hash": (d) => `deploy:$apr1$${d.of(CRYPT, 8)}$«${d.of(CRYPT, 22)}»`,
  "django-hash": (d) => `pbkdf2_sha256$600000$${d.of(WORD, 22)}$«${d.of(BASE64, 43)}»=`,
  "postgres-hash": (d) => `SCRAM-SHA-256$4096:${d.of(BASE64, 22)}==$«${d.of(BASE64, 43)}»=:${d.of(BASE64, 43)}=`,
  "ldap-hash": (d) => `userPassword: {SSHA}${d.of(BASE64, 32)}`,
  pgpass: (d) => `db.example.org:5432:shop:app:«${word(d)}»`,
  "pgpass-for-all": (d) => `*:*:*:postgres:«${password(d)}»`,
  "password-with-signs": (d) => `password: «${word(d)}${d.pick([..."!#%^*~"])}${word(d)}»`,
  "password-of-capitals": (d) =>
    `db_password = "«${Array.from({ length: 5 }, () => d.of("BCDFG", 1) + d.of("vxyz", 1)).join("")}»"`,
  "password-alone": (d) => `password: «${word(d)}»\nhost: db`,
  "password-of-environment": (d) => `export DB_PASSWORD=«${word(d)}»\nexport DB_HOST=db`,
  "password-below-user": (d) => `db:\n  username: app\n  password: «${word(d)}»`,
  "password-beside-user": (d) => `{"user": "app", "password": "«${word(d)}»"}`,
  "password-in-prose": (d) => `The password is «${password(d)}» for now.`,
  "word-in-element": (d) => `<server><id>a</id><password>«${word(d)}»</password></server>`,
  "word-in-cdata": (d) => `<db:Password type="text"><![CDATA[«${word(d)}»]]></db:Password>`,
  "word-in-attribute": (d) => `<datasource url="jdbc:x" user="app" password="«${word(d)}»" pool="4"/>`,
  "password-in-entry": (d) => `<property name="connection.password">«${word(d)}»</property>`,
  "word-of-curl": (d) => `curl -sku "admin:«${word(d)}»" https://api.example.org`,
  "word-of-httpie": (d) => `http --auth ops:«${word(d)}» POST api.example.org/v1`,
  "word-of-mysql": (d) => `mysqldump -h db -uroot -p«${word(d)}» shop`,
  "word-of-psql": (d) => `PGPASSWORD=«${word(d)}» psql -h db shop`,
  "word-of-docker": (d) => `docker login -u ci -p «${word(d)}» registry.example.org`,
  "word-of-docker-in-list": (d) => `["docker", "login", "-u", "ci", "-p", "«${word(d)}»"]`,
  "word-of-powershell": (d) => `$pw = ConvertTo-SecureString "«${word(d)}»" -AsPlainText -Force`,
  "word-told-to-docker": (d) => `echo «${word(d)}» | docker login -u ci --password-stdin`,
  "word-told-to-sudo": (d) => `echo '«${word(d)}»' | sudo -S apt-get update`,
  "word-of-container": (d) => `docker run -e POSTGRES_PASSWORD=«${word(d)}» -p 5432:5432 postgres:17`,
  "word-of-export": (d) => `export SMTP_PASS="«${word(d)}»"; ./send-mail`,
  "word-of-sshpass": (d) => `sshpass -p '«${word(d)}»' ssh ops@host`,
  "word-of-sshpass-in-list": (d) => `["sshpass", "-p", "«${word(d)}»", "ssh", "ops@host"]`,
  "word-flag": (d) => `deploy --password «${word(d)}» --now`,
  "word-flag-assigned": (d) => `deploy --db-password=«${word(d)}» now`,
  "word-of-redis": (d) => `mongosh -u root -p admin; redis-cli -h cache -a «${word(d)}» ping`,
  "word-of-openssl": (d) => `openssl pkcs12 -in a.p12 -passin pass:«${word(d)}» -nodes`,
  "word-of-htpasswd": (d) => `htpasswd -bc .htpasswd ops «${word(d)}»`,
  "word-in-address": (d) => `git clone https://ci:«${d.of("bdfglmr", 4)}»@git.example.org/a.git`,
  "okta-token": (d) => `SSWS 00${key(d, 40)}`,
};

/** A generated secret, and the part of it that must not occur anywhere after redaction. */
export interface SecretSample {
  readonly kind: string;
  readonly secret: string;
  /** The value of the secret without the text around it: the part that nobody must read. */
  readonly value: string;
}

/** Returns this many secrets of every kind. */
export function secretCorpus(perKind: number, seed = 26): readonly SecretSample[] {
  const draw = new Draw(seed);
  return Object.entries({ ...KINDS, ...MORE_KINDS }).flatMap(([kind, make]) =>
    Array.from({ length: perKind }, () => sampleOf(kind, make(draw))),
  );
}

function sampleOf(kind: string, drawn: string): SecretSample {
  const marked = /«(.*)»/.exec(drawn)?.[1];
  const secret = drawn.replace(/[«»]/g, "");
  return { kind, secret, value: marked ?? longestOf(secret.split(/[=:/@\s]/)) };
}

const longestOf = (pieces: readonly string[]): string => pieces.reduce((a, b) => (b.length > a.length ? b : a), "");

const WORDS =
  "build test index parser session thread render cache token secret key password user config deploy server route query table column value error warn retry limit budget plan fold summary message".split(
    " ",
  );

const SAID_OF_PASSWORDS = [
  ...["Contraseña", "Wachtwoord", "Kennwort", "Contrasenya", "Adgangskode", "Lösenordet", "Salasana", "erforderlich"],
  ...["required", "string", "String!", "str | None", "incorrect", "optional", "(hidden)", "null", "z.string().min(8)"],
  ...["hashedPassword", "encrypted", "********", "must be changed", "unchanged", "SecretStr", "user.password", "&str"],
  ...[
    "Optional[str] = None",
    "attribute for it",
    "expected bytes, got",
    "function () {",
    "$password",
    "%s",
    "Invalid!",
  ],
];

/** Texts as found in sessions that contain no secret, although some of them look like one. */
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
  (d) => `const token = get${d.pick(WORDS)}(${d.pick(WORDS)}2); this.password = options.password2;`,
  (d) => `{"nextPageToken":"${d.of(WORD, 40)}","page_token": "${d.of(WORD, 32)}"}`,
  (d) => `PWD: /home/${d.pick(WORDS)}2/${d.pick(WORDS)}-bench/.work/${d.pick(WORDS)}${d.below(99)}`,
  (d) => `token: ${d.of(DIGITS, 6)} secret: process.env.${d.pick(WORDS).toUpperCase()}_V2 password=$PASS${d.below(9)}`,
  (d) =>
    `expect(body).toHaveProperty("api_key", "${d.pick(WORDS)}-${d.pick(WORDS)}"); map.set("key", "${d.of(HEX, 8)}-${d.of(HEX, 4)}-4${d.of(HEX, 3)}-a${d.of(HEX, 3)}-${d.of(HEX, 12)}")`,
  (d) => `params.append("next_page_token", "${d.of(WORD, 40)}"); env('DB_PASSWORD', 'password1')`,
  (d) =>
    `#define MAX_KEY ${d.below(99_999_999)}  the password 'secret1' is an example; <password>password12</password>`,
  (d) => `- name: ${d.pick(WORDS)}_key\n  value: ${d.pick(WORDS)}-${d.pick(WORDS)}/${d.pick(WORDS)}`,
  (d) => `password: ${d.pick(SAID_OF_PASSWORDS)}`,
  (d) => `username: ${d.pick(SAID_OF_PASSWORDS)}\n  password: ${d.pick(SAID_OF_PASSWORDS)}`,
  (d) => `{"username": "string", "password": "${d.pick(["string", "required", "********", "<password>"])}"}`,
  (d) => `type ${d.pick(WORDS)} { user: String! password: String! } input { user: ID!, password: NonEmptyString! }`,
  (d) => `login({ username: ${d.pick(WORDS)}.name, password: ${d.pick(WORDS)}Value }); f(user=name, password=chosen)`,
  (d) =>
    `<input type="password" name="password" placeholder="Password" autocomplete="new-password" id="${d.pick(WORDS)}">`,
  (d) => `<password>${d.pick(["string", "********", "<!-- yours -->", "{{password}}", ""])}</password>`,
  (d) => `<Field v-model:password="form.password" toggle-password="#${d.pick(WORDS)}" />`,
  (d) => `src/${d.pick(WORDS)}.py:5${d.of(DIGITS, 3)}:class:${d.pick(WORDS)}: pass`,
  (d) => `2001:5${d.of(DIGITS, 3)}:${d.of(HEX, 4)}:${d.of(HEX, 4)}:${d.of(HEX, 4)}:${d.of(HEX, 4)}`,
  (d) => `hostname:port:database:username:password, e.g. localhost:5432:*:*:<password ${d.below(9)}>`,
  (d) =>
    `awk '{print $${d.below(9)}$2}' | sed 's/a/$6$/'; a hash begins with $2b$1${d.below(9)}$ or $6$ or $argon2id$v=19$`,
  (d) => `The password is ${d.pick(SAID_OF_PASSWORDS)}, the ${d.pick(WORDS)} is not.`,
  (d) =>
    `Set-Cookie: theme=${d.pick(WORDS)}; Expires=Wed, 21 Oct 20${10 + d.below(80)} 07:28:00 GMT; Max-Age=${d.below(1e9)}`,
  (d) =>
    `https://${d.pick(WORDS)}@${d.pick(WORDS)}.example.org/${d.pick(WORDS)} git+ssh://git@example.org/${d.pick(WORDS)}`,
  (d) => `Cookie: name=value; see postgres://user:password@localhost:54${d.below(99)}/${d.pick(WORDS)}`,
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
  (d) =>
    `docker run -p 80${d.of(DIGITS, 2)}:80 -u root ${d.pick(WORDS)}; mkdir -p a; git push -u origin b; ssh -p 22 a`,
  (d) => `mysql -u root -p ${d.pick(WORDS)}; mysql -p"$PASSWORD" -e "select 1"; run("mysql -u root -p", shell=True)`,
  (d) => `Use --password instead of --user: --password options\n -p, --password string   Password of ${d.pick(WORDS)}`,
  (d) => `curl -u "$API_USER:$API_KEY" https://h:8443/${d.pick(WORDS)}; curl -u user:password https://example.org`,
  (d) =>
    `export X_PASS=${d.below(9)}; export Y_PASS=/run/${d.pick(WORDS)}/pass; sshpass -e ssh; option("--password", "-p")`,
  (d) => `http://127.0.0.1:${d.below(9)}080@v2 http://user:pass@host/ https://oauth2:\${GITLAB_TOKEN}@h`,
  (d) => `SELECT ${d.pick(WORDS)} FROM ${d.pick(WORDS)} WHERE api_key_id = ${d.below(99_999)};`,
  (d) =>
    `2026-01-${10 + d.below(18)}T0${d.below(9)}:00:00.${d.of(DIGITS, 3)}Z INFO [${d.of(HEX, 16)}] ${d.pick(WORDS)} done`,
];

/** Returns this many texts without a secret. */
export function benignCorpus(count: number, seed = 62): readonly string[] {
  const draw = new Draw(seed);
  return Array.from({ length: count }, (_, index) => (BENIGN[index % BENIGN.length] as (draw: Draw) => string)(draw));
}
