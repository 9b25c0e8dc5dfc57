import {
  type Anchor,
  inAnyCase,
  isGiven,
  isGivenPassword,
  isKey,
  isMadeUp,
  isOneWord,
  isPassword,
  PLACEHOLDER,
  rule,
  type SecretRule,
} from "./secret-rule.ts";

const PASSWORD_NAMES = ["password", "passwd", "passphrase", "pwd", "passwort", "_pass"];
const KEY_NAMES = ["apikey", "api_key", "api-key", "secret", "secret_key", "secret-key", "secretkey", "access_key"];
const MORE_KEY_NAMES = ["access-key", "accesskey", "token", "credential", "credentials", "auth_key", "encryption_key"];
const ALL_KEY_NAMES = [...KEY_NAMES, ...MORE_KEY_NAMES, "private_key", "secret_key_base"];

const namedBy = (names: readonly string[]): string => `(?:${names.map(inAnyCase).join("|")})`;

/** Between a name and its sign: a quote and its escapes, the bracket of a subscript, spaces, the bars of `||=`. */
const BEHIND_NAME = `\\\\{0,3}["']?\\]?\\s{0,3}(?:\\|\\|)?`;

/** Between a name and its value: {@link BEHIND_NAME}, the sign, spaces, and a quote and its escapes. */
const SIGN = `${BEHIND_NAME}(?::=|=>|[:=])\\s{0,3}\\\\{0,3}["']?`;

/** Anchors on the sign between a name and its value. */
const signsBehind = (names: string): readonly Anchor[] =>
  ([":", "="] as const).map((sign) => ({ before: `${names}${BEHIND_NAME}`, sign }));

/** A value: anything but quotes after an opening quote, or a word. */
const valuePattern = (least: number): string =>
  `(?:(?<=["'])[^"'\\\\\\r\\n]{${least},400}|(?<!["'])[^\\s"'\`,;<>\\\\)\\]}&]{${least},4000})`;

function assigned(
  messageId: string,
  names: readonly string[],
  least: number,
  isSecret: (value: string) => boolean,
  notBehind = "",
): SecretRule {
  const name = namedBy(names);
  return rule(
    messageId,
    new RegExp(`(?<name>${notBehind}${name}${SIGN})${valuePattern(least)}`, "g"),
    signsBehind(name),
    isSecret,
  );
}

/**
 * Prefixes of tokens for pagination or of a model's vocabulary, which are not secrets and which the agent still needs.
 */
const PAGES = ["next", "page", "continuation", "sync", "delta", "cursor", "pad", "eos", "bos", "stop"];
const NO_PAGE = `(?<!${PAGES.flatMap((word) => ["", "_", "-"].map((sign) => inAnyCase(word) + sign)).join("|")})`;

const QUOTE = `\\\\{0,3}["']`;
/** The beginning of a name in a program or an environment, up to its last word. */
const NAME_BEGINS = "(?!\\w*next_|\\w*page_|\\w*cursor_|\\w*sync_|\\w*continuation_)[\\w.-]{0,80}";

/** A quoted name and value as arguments, as in calls that set a variable, define a constant or give a default. */
function besideName(messageId: string, names: readonly string[], isSecret: (value: string) => boolean): SecretRule {
  const name = namedBy(names);
  const between = `${QUOTE}\\s{0,4},\\s{0,12}${QUOTE}`;
  return rule(
    messageId,
    new RegExp(`(?<name>["']${NAME_BEGINS}${name}${between})[^"'\\\\\\r\\n]{8,400}(?=\\\\{0,3}["'])`, "g"),
    [],
    isSecret,
  );
}

/** Directives of shells, C and Docker that assign a value to a name without a sign in between. */
const DIRECTIVES = "setenv|setx|ENV|ARG|#define|set -g?x|set -Ux|configure set|secret set";

function inDirective(messageId: string, names: readonly string[], isSecret: (value: string) => boolean): SecretRule {
  const name = namedBy(names);
  const between = `[ \\t]{1,12}(?:--body[= ])?(?:${QUOTE})?`;
  return rule(
    messageId,
    new RegExp(
      `(?<name>(?:^|[^\\w])(?:${DIRECTIVES})[ \\t]{1,4}${NAME_BEGINS}${name}${between})[^\\s"'\\\\]{8,400}`,
      "gm",
    ),
    [],
    isSecret,
  );
}

/** Variables whose name and value are two fields, as in the configuration of orchestrators. */
function inFields(messageId: string, names: readonly string[], isSecret: (value: string) => boolean): SecretRule {
  const name = namedBy(names);
  const sign = `(?:${QUOTE})?\\s?[:=]\\s?(?:${QUOTE})?`;
  const between = `(?:${QUOTE})?(?:,|\\s|\\\\{1,7}n)\\s{0,40}(?:${QUOTE})?`;
  return rule(
    messageId,
    new RegExp(`(?<name>\\b(?:name|key)${sign}${NAME_BEGINS}${name}${between}value${sign})[^\\s"'\\\\<>]{8,400}`, "g"),
    ([":", "="] as const).map((one) => ({ before: `value(?:${QUOTE})?\\s?`, sign: one })),
    isSecret,
  );
}

/** A line break, raw or escaped in JSON, and the indentation after it. */
const LINE_BREAK = "(?:\\r?\\n|(?:\\\\{1,7}r)?\\\\{1,7}n)[ \\t]{0,40}";
const USER_NAMES = ["user", "username", "login", "user_name", "email"];

/** A password after its user name, as in configurations, where it may be any word. */
function belowUser(messageId: string): SecretRule {
  const name = namedBy(PASSWORD_NAMES);
  const sign = (quote: string): string => `\\\\{0,3}${quote}[ \\t]{0,3}[:=][ \\t]{0,3}\\\\{0,3}${quote}`;
  const user = (quote: string): string => `${namedBy(USER_NAMES)}${sign(quote)}[^\\s"'\\\\,;]{1,100}\\\\{0,3}${quote}`;
  const pair = (quote: string, between: string): string =>
    `${user(quote)}${between}\\\\{0,3}${quote}[\\w.-]{0,40}${name}${sign(quote)}`;
  const inLines = pair("", `[ \\t]{0,3}${LINE_BREAK}`);
  const inJson = pair('"', `[ \\t]{0,3},(?:${LINE_BREAK}|[ \\t]{0,3})`);
  return rule(
    messageId,
    new RegExp(`(?<name>(?:${inLines}|${inJson}))[^\\s"'\`,;<>\\\\()\\[\\]{}&|]{6,200}(?![\\w(\\[.,;])`, "g"),
    signsBehind(name),
    isGivenPassword,
  );
}

/** A password that is a single word, not followed by anything that would continue prose or code. */
function aloneAsWord(messageId: string): SecretRule {
  const name = namedBy(PASSWORD_NAMES);
  return rule(
    messageId,
    new RegExp(
      `(?<name>(?<![\\w$.])[\\w.-]{0,40}${name}(?::[ \\t]{1,3}|=))[A-Za-z][a-z_-]{6,60}(?![ \\t]{0,3}[\\w([{.;:=/?)<>|&+*\\u0080-\\uffff])`,
      "g",
    ),
    signsBehind(name),
    isOneWord,
  );
}

/** A password in XML: in an element with such a name, an entry with such a key, or an attribute. */
function inXml(messageId: string): SecretRule {
  const name = namedBy(PASSWORD_NAMES);
  const quote = `\\\\{0,3}["']`;
  const element = `[\\w.:-]{0,60}${name}(?:\\s[^<>]{0,200})?`;
  const entry = `[\\w.:-]{1,60}\\s[^<>]{0,200}?\\b(?:[nN]ame|[kK]ey|id)=${quote}[\\w.:-]{0,60}${name}${quote}[^<>]{0,100}`;
  const attribute = `[\\w.:-]{1,60}\\s(?:[^<>]{0,300}?\\s)?[\\w.-]{0,60}${name}=${quote}`;
  return rule(
    messageId,
    new RegExp(
      `(?<name><(?:(?:${element}|${entry})>(?:<!\\[CDATA\\[)?|${attribute}))[^\\s"'<>\\\\\\]]{6,200}(?=\\]\\]>|<\\\\{0,3}/|\\\\{0,3}["'])`,
      "g",
    ),
    [],
    isGivenPassword,
  );
}

/** A line of `.pgpass`: host, port, database, user and password; a star matches anything. */
const PGPASS =
  /(?<name>(?<![\w.*:/-])(?:[\w-]{1,63}(?:\.[\w-]{1,63}){0,6}|\*):(?:5\d{3}|6432|6543|250[56]\d|\*):(?:[\w.-]{1,63}|\*):(?:[\w.@-]{1,63}|\*):)(?:[^\s:"'<>\\]|\\{1,4}[:\\]){6,200}(?![\w:])/g;

/** Last words of names that hold a secret. A plain `key` is not included: it is more often a key in a map. */
const PASSWORD_WORDS = ["password", "passwd", "passphrase", "pwd", "pass"];
const KEY_WORDS = ["_key", "apikey", "secret", "token", "credentials"];

const FLAGS = "(?:password|passwd|pass|passphrase|token|api-key|apikey|secret|access-token|auth-token)[= ]";

const COOKIE_ATTRIBUTE = /^\s*(?:expires|path|domain|max-age|samesite)$/i;

/** True when a cookie of a header is more than a setting or an attribute. */
function isCookieSecret(cookie: string): boolean {
  const sign = cookie.indexOf("=");
  const value = cookie.slice(sign + 1);
  if (sign < 0 || value.length < 8 || COOKIE_ATTRIBUTE.test(cookie.slice(0, sign))) return false;
  return /\d/.test(value) && !PLACEHOLDER.test(value);
}

/** From a command to one of its options: the rest of its line, and the lines that a backslash continues it on. */
const UP_TO_OPTION = `(?:\\\\\\r?\\n|&(?!&)|[^\\r\\n;&|]){0,300}?[\\s"']`;
/** Between an option and its value: nothing, a space, an equals sign, or the gap of a list; and a quote. */
const TO_VALUE = `(?:[ =]|${QUOTE},\\s?)?(?:${QUOTE})?`;

/** A password as an option of these commands, where whatever stands there is one. */
function inCommand(commands: string, option: string, toValue = TO_VALUE, isSecret = isGiven): SecretRule {
  return rule(
    "PASSWORD",
    new RegExp(`(?<name>\\b(?:${commands})${UP_TO_OPTION}-${option}${toValue})${valuePattern(1)}`, "g"),
    [{ before: "[\\s\"']", sign: "-", after: `${option}${toValue}` }],
    isSecret,
  );
}

/** A password directly behind such words, where whatever stands there is one. */
const givenBehind = (words: string, anchors: readonly Anchor[]): SecretRule =>
  rule("PASSWORD", new RegExp(`(?<name>${words})${valuePattern(1)}`, "g"), anchors, isGiven);

const ATTACHED = `(?:${QUOTE})?`;
const SPACED = `(?:[ =]|${QUOTE},\\s?)(?:${QUOTE})?`;
const MYSQL = "m(?:ysql(?:dump|admin|import|check|show|slap|sh|pump)?|ariadb(?:-dump|-admin)?|ycli)\\b";
const USER_OPTION = "(?:[A-Za-z]{0,6}[uU]|-user|-proxy-user|a|-auth)";
/** Two slashes are those of an address, and "user:password" is what documentation says. */
const isGivenBehindUser = (value: string): boolean => isGiven(value) && !/^(?:\/\/|pass(?:word|wd)?$)/.test(value);
/** Between two words of a command, also of one that is given as a list. */
const GAP = `(?:[ \\t]|${QUOTE},\\s?${QUOTE})`;
const REGISTRIES = "docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc|cf|argocd";
const PASSWORD_OPTION = "-(?:[a-z]{1,12}-)?(?:password|passwd|passphrase)";
/** Variables from which a command takes its password, set before it, for it alone. */
const PASSWORD_VARIABLES = "PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|RESTIC_PASSWORD|BORG_PASSPHRASE|SUDO_PASSWORD";
const VARIABLE = "[A-Z][A-Z0-9_]{0,60}";
const VARIABLE_ENDS = "(?:PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD)";

/** Rules for passwords in the arguments and the environment of commands; most of them may be any word. */
const COMMAND_SECRET_RULES: readonly SecretRule[] = [
  inCommand("curl\\b|https?(?![\\w:/.-])", USER_OPTION, `${TO_VALUE}[^\\s:"'\\\\]{0,100}:`, isGivenBehindUser),
  inCommand(MYSQL, "p", ATTACHED),
  inCommand(MYSQL, "p", SPACED, isPassword),
  inCommand("sshpass\\b", "p"),
  inCommand(`(?:${REGISTRIES})${GAP}(?:[a-z]{1,12}${GAP})?login\\b`, "p", SPACED),
  inCommand("mongo(?:sh|dump|restore|export|import)?\\b", "p", SPACED),
  inCommand("redis-cli\\b", "a", SPACED),
  inCommand("(?:un)?zip\\b|sqlcmd\\b|bcp\\b|ipmitool\\b", "P", SPACED),
  inCommand("7za?\\b|unrar\\b", "p", ATTACHED),
  inCommand("ldap(?:search|add|modify|delete|passwd|whoami)\\b", "w", SPACED),
  inCommand("(?:smb|rpc)client\\b", "U", `${TO_VALUE}[^\\s%"'\\\\]{1,100}%`),
  inCommand("openssl\\b", "pass(?:in|out)?", `${SPACED}pass:`),
  inCommand("htpasswd\\b", "[a-zA-Z]{0,6}b[a-zA-Z]{0,3}", `[ ]\\S{1,200}[ ]\\S{1,100}[ ](?:${QUOTE})?`),
  givenBehind(`(?<![\\w-])-(?:src|dest)?(?:store|key)pass${SPACED}`, [
    { sign: "-", after: `(?:src|dest)?(?:store|key)pass${SPACED}` },
  ]),
  givenBehind(`(?<![\\w-])-${PASSWORD_OPTION}=(?:${QUOTE})?`, [{ sign: "-", after: `${PASSWORD_OPTION}=` }]),
  // A word behind the option's name is a password if the command ends or goes on with an option; else it may be prose.
  rule(
    "PASSWORD",
    new RegExp(
      `(?<name>(?<![\\w-])-${PASSWORD_OPTION}[ ](?:${QUOTE})?)${valuePattern(1)}(?=[\\\\"'\`]{0,4}[ \\t]{0,4}$|[\\\\"'\`]{0,4}[ \\t]{0,4}[;&|>]|[\\\\"']{0,4}[ \\t]{1,4}-)`,
      "gm",
    ),
    [{ sign: "-", after: `${PASSWORD_OPTION}[ ]` }],
    isGiven,
  ),
  rule(
    "PASSWORD",
    new RegExp(`(?<name>(?<![\\w$.-])(?:${PASSWORD_VARIABLES})=(?:${QUOTE})?)${valuePattern(1)}`, "g"),
    [{ before: PASSWORD_VARIABLES, sign: "=" }],
    isGiven,
  ),
  givenBehind(`(?<![\\w$.-])(?:export |env |-e |--env[ =])(?:${QUOTE})?${VARIABLE}${VARIABLE_ENDS}=(?:${QUOTE})?`, [
    { before: VARIABLE_ENDS, sign: "=" },
  ]),
  givenBehind(`\\bConvertTo-SecureString[ ](?:-String[ ])?${QUOTE}`, [
    { before: "ConvertTo", sign: "-", after: "SecureString" },
  ]),
  // What is said to a command that reads a password.
  rule(
    "PASSWORD",
    new RegExp(
      `(?<name>\\b(?:echo|printf)[ ](?:-n[ ])?(?:${QUOTE})?)${valuePattern(1)}(?=[\\\\"']{0,4}[ ]?\\|[^\\r\\n|;&]{0,120}--password-stdin|[\\\\"']{0,4}[ ]?\\|[ ]?sudo[ ][^\\r\\n|;&]{0,20}-S\\b)`,
      "g",
    ),
    [
      { sign: "-", after: "-password-stdin" },
      { before: "sudo[ ][^\\r\\n|;&]{0,20}", sign: "-", after: "S" },
    ],
    isGiven,
  ),
];

/**
 * Rules for secrets that are recognized by the text before them rather than by their format: assignments, headers,
 * command line flags, URLs. The name is kept and only the value is redacted. A value that looks like a placeholder, a
 * variable or a path is kept.
 */
export const ASSIGNED_SECRET_RULES: readonly SecretRule[] = [
  ...COMMAND_SECRET_RULES,
  assigned("PASSWORD", PASSWORD_NAMES, 8, isPassword),
  assigned("ASSIGNED_KEY", ALL_KEY_NAMES, 16, isKey, NO_PAGE),
  rule(
    "COOKIE",
    /(?<name>\b(?:set-)?cookie\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?)[\w.~%+*$-]{1,100}=[^\s;"'\\,<>]{1,4096}(?:; ?[^\r\n;"'\\]{1,4096}){0,60}/gi,
    ([":", "="] as const).map((sign) => ({ before: `${inAnyCase("cookie")}\\\\{0,3}["']?\\s{0,4}`, sign })),
    (cookies) => cookies.split(";").some(isCookieSecret),
  ),
  rule(
    "PASSWORD",
    new RegExp(`(?<name>(?<![\\w-])--?${FLAGS}["']?)[^\\s"']{8,400}`, "g"),
    [{ sign: "-", after: FLAGS }],
    isPassword,
  ),
  besideName("PASSWORD", PASSWORD_WORDS, isPassword),
  besideName("ASSIGNED_KEY", KEY_WORDS, isKey),
  inDirective("PASSWORD", PASSWORD_WORDS, isPassword),
  inDirective("ASSIGNED_KEY", KEY_WORDS, isKey),
  inFields("PASSWORD", PASSWORD_WORDS, isPassword),
  inFields("ASSIGNED_KEY", KEY_WORDS, isKey),
  rule(
    "COOKIE",
    /(?<name>\bcurl\b[^\r\n]{0,300}?\s(?:-b|--cookie)[ =]?\\{0,3}["'][\w.-]{1,100}=)[^\s"';\\]{8,4096}/g,
    [{ sign: "-", after: "(?:b|-cookie)[ =]?\\\\{0,3}[\"'][\\w.-]{1,100}=" }],
    isMadeUp,
  ),
  rule(
    "PASSWORD",
    /(?<name>\b(?:identified (?:with \w{1,40} )?by|password)\s{1,4}'|^requirepass[ \t]{1,4}|\bpassword (?:is|was):? ["'`]?)[^\s"'`<>\\]{8,200}/gim,
    [],
    isPassword,
  ),
  belowUser("PASSWORD"),
  aloneAsWord("PASSWORD"),
  inXml("PASSWORD"),
  rule(
    "PASSWORD",
    PGPASS,
    [{ sign: ":", after: "(?:5\\d{3}|6432|6543|250[56]\\d|\\*):" }],
    (value) => !PLACEHOLDER.test(value),
  ),
  rule(
    "PASSWORD",
    /(?<name>\bmachine\s{1,4}\S{1,200}\s{1,4}login\s{1,4}\S{1,100}\s{1,4}password\s{1,4})\S{4,200}/g,
    [],
  ),
  rule(
    "URL_PASSWORD",
    // The scheme is matched by a lookbehind: few places have what follows it, and any word could be a scheme.
    /(?<name>(?<=\b[a-z][a-z0-9+.-]{1,20}):\/\/[^\s:@/"'<>]{0,200}:)[^\s@/"'<>]{1,200}(?=@[\w[])/gi,
    [{ before: "://[^\\s:@/\"'<>]{0,200}:[^\\s@/\"'<>]{1,200}", sign: "@" }],
    (value) => !PLACEHOLDER.test(value) && !/^\d{1,5}$/.test(value),
  ),
  rule("URL_TOKEN", /(?<name>:\/\/)[\w-]{20,255}(?=@[\w[])/g, [{ before: "://[\\w-]{20,255}", sign: "@" }], isKey),
  rule(
    "URL_SIGNATURE",
    /(?<name>[?&](?:sig|X-Amz-Signature|X-Goog-Signature|X-Amz-Security-Token)=)[\w%+/.=-]{40,4000}/g,
    [{ before: "sig|Signature|Security-Token", sign: "=" }],
  ),
  rule(
    "REGISTRY_AUTH",
    /(?<name>\\{0,3}"auth\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}")[A-Za-z0-9+/]{12,400}={0,2}(?=\\{0,3}")/g,
    [{ before: 'auth\\\\{0,3}"\\s{0,4}', sign: ":" }],
    isMadeUp,
  ),
  rule("BEARER_TOKEN", /(?<name>\bBearer\s{1,4})[\w.~+/=-]{20,4000}/g, [], isKey),
];
