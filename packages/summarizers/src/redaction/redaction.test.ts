import { applySummaryChanges, type Message, renderSummary, type Summarizer, ThreadfoldError } from "@threadfold/core";
import { brokenLaws, cpuTimeMs, growthOnQuadrupling, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExtractiveSummarizer } from "../extractive/extractive-summarizer.ts";
import { summarizerLaws } from "../laws/summarizer-laws.ts";
import { LLMSummarizer } from "../llm/llm-summarizer.ts";
import { Conversation, requestFor } from "../testing/conversation.ts";
import { factAnswer, ScriptedModel } from "../testing/scripted-model.ts";
import { redactJson } from "./redact-json.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { redactingSummarizer } from "./redacting-summarizer.ts";

/** Put together here, so that no scanner takes this file for a leak. */
const SECRETS: readonly (readonly [kind: string, secret: string])[] = [
  ["github-token", `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`],
  ["anthropic-api-key", `sk-ant-api03-${"a".repeat(93)}AA`],
  ["slack-token", `xoxb-${"1".repeat(12)}-${"2".repeat(13)}-abcdefghijklmnopqrstuvwx`],
  ["aws-access-key-id", `AKIA${"IOSFODNN7ABCDEFG"}`],
  ["postgre-sql-connection", `postgres://user:${"hunter22secret"}@db.example.net/x`],
  ["private-key", `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA".repeat(30)}\n-----END RSA PRIVATE KEY-----`],
];

describe("redactSecrets", () => {
  it.each([undefined, null, {}, 42])("refuses %o, which is no text", async (text) => {
    await expect(redactSecrets(text as never)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      details: { name: "text" },
    });
  });

  it.each(SECRETS)("replaces a %s by a marker that names its kind", async (kind, secret) => {
    const { text, kinds } = await redactSecrets(`before ${secret} after`);
    expect(kinds).toEqual([kind]);
    expect(text).toContain(`[redacted ${kind}]`);
    expect(text).toMatch(/^before .* after$/s);
  });

  it.each(SECRETS)("finds a %s once, wherever it stands in a long text", async (kind, secret) => {
    const filler = "a line of a log that says nothing much\n".repeat(12_000);
    for (const at of [0, 131_072, 131_072 + 32_768, 262_144, filler.length]) {
      for (const shift of [-secret.length, -secret.length / 2, 0, 1]) {
        const place = Math.max(0, Math.min(filler.length, Math.floor(at + shift)));
        const text = `${filler.slice(0, place)} ${secret} ${filler.slice(place)}`;
        const redacted = await redactSecrets(text);
        expect(redacted.kinds, `at ${place}`).toEqual([kind]);
        expect(redacted.text.length).toBe(text.length - secret.length + `[redacted ${kind}]`.length);
      }
    }
  });

  /** So long that this, and what it decodes to, is read in windows, which takes more time for each character. */
  const LONG = 400_000;

  it.each([
    ["runs of base64 that hold a secret each", `${btoa(`token ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)} and more`)} `],
    ["secrets without a break", `AKIA${"IOSFODNN7ABCDEFG"}`],
    ["anchors of secrets", "sk-proj-"],
    ["signs that anchors turn on", "_"],
    ["names of secrets", "password="],
    ["names of secrets in quotes", 'password="'],
    ["names of secrets in brackets", '["password"]  '],
    ["cookies", "cookie:a=b1234567;"],
    ["commands", "curl "],
    ["addresses", "a://b:c"],
    ["signs behind addresses", "://a:b:c@"],
    ["elements", "<password "],
    ["attributes", "<a b name='password"],
    ["elements of many words", `<a ${"b.c ".repeat(60)}`],
    ["users and passwords", "user: a\npassword: "],
    ["users", "password=user=user="],
    ["hashes begun", "$6$rounds=5$a"],
    ["fields of .pgpass", "a:5432:b:c:"],
    ["dollar signs", "$"],
    ["commands with a password", "mysql -p"],
    ["commands without an option", "docker login "],
    ["commands over many lines", "curl \\\n -u "],
    ["options without a command", ' -p "'],
    ["options named in full", "--password "],
    ["what is said to a command", 'echo "a" |'],
    ["variables of a command", "export A_PASSWORD="],
  ])("R29 takes linear time on text of %s", async (_, unit) => {
    const textOf = (size: number): string => unit.repeat(size / unit.length);
    expect(await growthOnQuadrupling(textOf, redactSecrets, LONG)).toBeLessThan(10);
  });

  it("R29 takes linear time on a long value that ends like a call", async () => {
    const textOf = (size: number): string => `password=a1${"b".repeat(size)}(`;
    expect(await growthOnQuadrupling(textOf, redactSecrets, LONG)).toBeLessThan(10);
  });

  it.each([
    ['DB_PASSWORD="open-Sesame7" next', 'DB_PASSWORD="[redacted password]" next'],
    [`os.environ["DB_PASSWORD"] = "open-Sesame7"`, `os.environ["DB_PASSWORD"] = "[redacted password]"`],
    [`$config['api_key']  =  'a7Q4b8R5c9S6d0T7e1U8';`, `$config['api_key']  =  '[redacted assigned-key]';`],
    [`form["password"] = form["password2"]`, null],
    [`if (row["token"] == rows2["token"]) {`, null],
    ["password: str = Field(min_length=12)", null],
    ["PASSWORD=<your password 1>", null],
    ["token = response2.next_token1", null],
    ['"nextPageToken": "CAUQAA0123456789abcdefXYZ"', null],
    ["Cookie: sid=a1b2c3d4e5f6; theme=dark", "Cookie: [redacted cookie]"],
    ["redis://:open7Sesame@cache:6379/0", "redis://:[redacted url-password]"],
    ["secret: /srv/app2/secrets/key.pem", null],
    ["db:\n  user: app\n  password: moonharbor\n", "db:\n  user: app\n  password: [redacted password]\n"],
    ["username: string\npassword: string\n", null],
    ["nl:\n  password: Wachtwoord\n  login: Inloggen\n", null],
    ["password: Contraseña\n", null],
    ["Passwort: erforderlich\n", null],
    ["password: Moon!Harbor", "password: [redacted password]"],
    ["password: String! email: String!", null],
    ["Password: choose one that nobody guesses", null],
    ["login(user=name, password=chosen)", null],
    ["PGPASSWORD=moonharbor\n", "PGPASSWORD=[redacted password]\n"],
    ["the password is moon7harbor, not moon", "the password is [redacted password] not moon"],
    ["*:5432:*:app:moonharbor\n", "*:5432:*:app:[redacted password]\n"],
    ["src/db.py:5432:class:Session:", null],
    ["<db:password>moonharbor</db:password>", "<db:password>[redacted password]</db:password>"],
    [`<a b="c" password='moonharbor'/>`, `<a b="c" password='[redacted password]'/>`],
    [`<input type="password" autocomplete="new-password">`, null],
    ["<password>string</password>", null],
    ['curl -u "admin:admin" https://h', 'curl -u "admin:[redacted password]" https://h'],
    ["curl -s \\\n  -u admin:x \\\n  https://h", "curl -s \\\n  -u admin:[redacted password] \\\n  https://h"],
    ["curl https://h; sudo -u a:b", null],
    ["mysql -psecret", "mysql -p[redacted password]"],
    ["mysql -p secret", null],
    ["PGPASSWORD=x psql", "PGPASSWORD=[redacted password] psql"],
    ['PGPASSWORD="$PW" psql', null],
    ["docker login -p x && docker run -p 8080:80 a", "docker login -p [redacted password] && docker run -p 8080:80 a"],
    ['["docker", "login", "-p", "x"]', '["docker", "login", "-p", "[redacted password]"]'],
    ['["az","acr","login","-p","x"]', '["az","acr","login","-p","[redacted password]"]'],
    ["ConvertTo-SecureString 'moonharbor' -AsPlainText", "ConvertTo-SecureString '[redacted password]' -AsPlainText"],
    ['ConvertTo-SecureString -String "x" -Force', 'ConvertTo-SecureString -String "[redacted password]" -Force'],
    ["ConvertTo-SecureString $pw -AsPlainText; ConvertTo-SecureString '$pw'", null],
    ["docker logs login; docker run -p 8080:80 a", null],
    ["tool --password x", "tool --password [redacted password]"],
    ["tool --password '<yours>' --now", null],
    ["sshpass -p x ssh h", "sshpass -p [redacted password] ssh h"],
    ["https://admin:admin@host", "https://admin:[redacted url-password]"],
    [`users: ops:$$2y$$05$$${"aB./9".repeat(11).slice(0, 53)}`, "users: ops:[redacted password-hash]"],
    [`root:$6$salt$${"aB./9".repeat(18).slice(0, 86)}:19700:0:`, "root:[redacted password-hash]"],
    ["$2b$12$ is how bcrypt begins, $6$ is SHA-512 and $argon2id$v=19$m=65536,t=3,p=4$ is Argon2", null],
  ])("keeps the name of an assigned secret, and anything that only looks like a secret: %s", async (text, clean) => {
    expect((await redactSecrets(text)).text).toBe(clean ?? text);
  });

  it("finds a value whose name stands in the previous part", async () => {
    const clean = await redactJson([{ text: "the x-api-key: " }, { text: "a7Q4b8R5c9S6d0T7e1U8" }]);
    expect(clean).toEqual([{ text: "the x-api-key: " }, { text: "[redacted assigned-key]" }]);
  });

  it("R29 takes linear time on a secret that is split over thousands of parts", async () => {
    const part = { text: `AKIA${"IOSFODNN7ABCDEFG"} postgres://user:${"hunter22secret"}@db.` };
    const parts = Array.from({ length: 20_000 }, () => part);
    const clean = await redactJson(parts);
    expect(JSON.stringify(clean)).not.toContain("hunter22secret");
  });

  it("R29 takes linear time on two parts that hold many secrets each", async () => {
    const partsOf = (size: number): string => `AKIA${"IOSFODNN7ABCDEFG"} `.repeat(size / 42);
    const redacted = (text: string): Promise<unknown> => redactJson([{ text }, { text }]);
    expect(await growthOnQuadrupling(partsOf, redacted, 500_000)).toBeLessThan(10);
  });

  it("lets the event loop run while it reads a long text", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await redactSecrets("some_name_of_something = value; ".repeat(100_000));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it("redacts the whole value even where a rule finds only part of it", async () => {
    const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYABCDEFGKEY";
    const { text } = await redactSecrets(`aws_secret_access_key = ${secret}\nregion = eu-west-1`);
    expect(text).not.toContain("MDENG");
    expect(text).not.toContain("FGKEY");
    expect(text).toContain("region = eu-west-1");
  });

  it("law: removes a secret whatever stands around it, even comments that switch scanners off", async () => {
    const around = fc.oneof(
      fc.constantFrom(
        "",
        "/* secretlint-disable */",
        "// secretlint-disable-next-line",
        "# secretlint-disable",
        "\n\n",
        "{}",
        "…",
      ),
      fc.string({ maxLength: 30 }).map((text) => text.replace(/[^ -~\n]/g, "")),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(around, fc.constantFrom(...SECRETS)), { minLength: 1, maxLength: 4 }),
        async (parts) => {
          const text = parts.map(([before, [, secret]]) => `${before}\n ${secret} `).join("\n");
          const { text: redacted, kinds } = await redactSecrets(text);
          for (const [, [, secret]] of parts) expect(redacted).not.toContain(secret);
          expect(kinds.length).toBeGreaterThanOrEqual(parts.length);
          expect(await redactSecrets(redacted)).toEqual({ text: redacted, kinds: [] });
        },
      ),
      runs(150),
    );
  });

  it("leaves no performance entries in the process, however often it runs", async () => {
    const before = performance.getEntries().length;
    for (let round = 0; round < 20; round++) await redactSecrets(`some text ${round}`);
    expect(performance.getEntries().length).toBe(before);
  });

  it("leaves a text without secrets unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.lorem({ maxCount: 40 }), async (text) => {
        expect(await redactSecrets(text)).toEqual({ text, kinds: [] });
      }),
      runs(60),
    );
  });

  it("R29 takes time that grows no faster than the text, even a hostile one", async () => {
    const timeOf = async (text: string): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 3; round++) {
        const start = cpuTimeMs();
        await redactSecrets(text);
        times.push(cpuTimeMs() - start);
      }
      return Math.min(...times);
    };
    for (const piece of [
      "a",
      "password=",
      "-----BEGIN RSA PRIVATE KEY-----\n",
      "http://a:",
      "sk-",
      "QUJDabc/+",
      "aws_secret_access_key=",
      "npm_",
      "://a:b@",
      `secretAccessKey${" ".repeat(200)}=`,
      `://${"a".repeat(250)}:${"b".repeat(250)}@`,
    ]) {
      const text = piece.repeat(Math.ceil(400_000 / piece.length));
      // Four times the text takes four times as long, or sixteen times where something walks back: ten tells them apart.
      const quarter = await timeOf(text.slice(0, text.length / 4));
      expect(await timeOf(text), piece.slice(0, 40)).toBeLessThan(Math.max(60, quarter * 10));
    }
  });
});

describe("redactJson", () => {
  it("redacts strings at any depth except keys and ids, and returns the same value when nothing is found", async () => {
    const [, secret] = SECRETS[0] as readonly [string, string];
    const clean = { a: ["x", { b: 1 }], c: null };
    expect(await redactJson(clean)).toBe(clean);
    expect(await redactJson({ [secret]: { list: ["x", secret, 7, true] } })).toEqual({
      [secret]: { list: ["x", "[redacted github-token]", 7, true] },
    });
    expect(await redactJson([secret, `${secret} !`], new Set([secret]))).toEqual([secret, "[redacted github-token] !"]);
  });

  it("law: redacts a password among the arguments of a command, wherever the list is", async () => {
    const programs = [
      ["mysql", "-p"],
      ["sshpass", "-p", ""],
      ["docker", "login", "-p", ""],
      ["tool", "--password", ""],
    ];
    const words = fc.array(fc.constantFrom("-v", "db", "--user=app"), { maxLength: 3 });
    const password = fc.nat({ max: 9_999 }).map((digits) => `Moon${digits}harbor`);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...programs),
        words,
        password,
        fc.boolean(),
        async (program, rest, word, deep) => {
          const written = (told: string) => [...program.slice(0, -1), `${program.at(-1)}${told}`, ...rest];
          const held = (list: readonly string[]) => (deep ? { input: [{ command: list, text: "run" }] } : [...list]);
          expect(await redactJson(held(written(word)))).toEqual(held(written("[redacted password]")));
        },
      ),
      runs(60),
    );
  });

  it("leaves lists of words without an option apart, and options without a secret", async () => {
    for (const list of [
      ["mysql -u", "app", "the password: ", "Moon42harbor"],
      ["mysql", "-p", "docs", "-e", "SELECT 1"],
    ])
      expect(await redactJson(list)).toBe(list);
  });

  it("finds the secret in each of many texts, wherever they are divided for scanning", async () => {
    const [, secret] = SECRETS[0] as readonly [string, string];
    const words = fc.nat({ max: 12_000 }).map((count) => "plain words ".repeat(count / 12));
    const text = fc.tuple(words, fc.boolean(), words).map(([before, held, after]) => ({ before, held, after }));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 60 }), async (texts) => {
        const written = (told: string) =>
          texts.map(({ before, held, after }) => `${before}${held ? told : ""} ${after}`);
        expect(await redactJson(written(secret))).toEqual(written("[redacted github-token]"));
      }),
      runs(10),
    );
  });
});

describe("redactingSummarizer", () => {
  const [, secret] = SECRETS[0] as readonly [string, string];
  const messages = new Conversation()
    .user(`Deploy with the token ${secret} and never print it.`)
    .tool("write", { path: ".env", content: `TOKEN=${secret}` }, `wrote TOKEN=${secret}`)
    .agent(`Done: ${secret} is in .env.`).messages;
  const request = requestFor(messages, { instructions: `mind ${secret}` });

  it("shows no secret to the model, and redacts secrets in the model's own changes", async () => {
    const model = new ScriptedModel((asked) => factAnswer(asked, `The token is ${secret}.`.replace(secret, "in .env")));
    const summarizer = redactingSummarizer(new LLMSummarizer({ model }));
    const { changes } = await summarizer.summarize(request);
    expect(JSON.stringify(model.requests)).not.toContain(secret);
    const text = renderSummary(applySummaryChanges(null, request.span, changes).summary);
    expect(text).not.toContain(secret);
    expect(text).toContain("Deploy with the token [redacted github-token] and never print it.");
    const leaking = {
      id: "leaking",
      summarize: async () => ({ changes: [{ op: "set-current-task", task: secret }] as const }),
    };
    expect((await redactingSummarizer(leaking).summarize(request)).changes).toEqual([
      { op: "set-current-task", task: "[redacted github-token]" },
    ]);
  });

  it("copies only the messages with a secret, however many there are", async () => {
    const long = new Conversation();
    for (let turn = 0; turn < 1_500; turn++) long.user(`Step ${turn}.`).agent(turn === 900 ? secret : `Did ${turn}.`);
    let seen: readonly Message[] = [];
    const inner: Summarizer = {
      id: "inner",
      summarize: async (asked) => ((seen = asked.messages), { changes: [] }),
    };
    const asked = requestFor(long.messages);
    await redactingSummarizer(inner).summarize(asked);
    expect(seen.length).toBe(3_000);
    const copied = seen.flatMap((message, index) => (message === asked.messages[index] ? [] : [index]));
    expect(copied).toEqual([1_801]);
    expect(JSON.stringify(seen)).not.toContain(secret);
  });

  it("ends with the signal's reason in the middle of a long span", async () => {
    const long = new Conversation();
    for (let turn = 0; turn < 3_000; turn++) long.user(`Step ${turn}: ${"what to do ".repeat(200)}${turn}`);
    const controller = new AbortController();
    let asked = 0;
    const inner: Summarizer = { id: "inner", summarize: async () => (asked++, { changes: [] }) };
    setImmediate(() => controller.abort(new Error("stopped")));
    const summary = redactingSummarizer(inner).summarize({ ...requestFor(long.messages), signal: controller.signal });
    await expect(summary).rejects.toThrow("stopped");
    expect(asked).toBe(0);
  });

  it("redacts secrets in an error, and keeps its code, hint, details and whether it may be retried", async () => {
    const error = new ThreadfoldError("MODEL_CALL_FAILED", `The model refused ${secret} today.`, {
      ...{ hint: `Ask again without ${secret} in it.`, details: { kind: "rejected" }, retryable: false },
    });
    const failing = { id: "failing", summarize: () => Promise.reject(error) };
    await expect(redactingSummarizer(failing).summarize(request)).rejects.toMatchObject({
      ...{ code: "MODEL_CALL_FAILED", message: "The model refused [redacted github-token] today." },
      ...{ hint: "Ask again without [redacted github-token] in it.", details: { kind: "rejected" }, retryable: false },
    });
  });

  it("keeps the summarizer laws", async () => {
    const laws = summarizerLaws(redactingSummarizer(new ExtractiveSummarizer()), {
      inputs: fc.constant({ request }),
      times: 1,
    });
    expect(await brokenLaws(laws)).toEqual([]);
  });
});
