import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileTexts, patience, runs } from "../laws/index.ts";
import { finishSteps } from "../time/steps.ts";
import { LANGUAGES } from "./languages/languages.ts";
import { smallLetters } from "./languages/rule-language.ts";
import { LONGEST_RULE, readRules } from "./read-rules.ts";
import { type Statement, statementsOf } from "./statements.ts";

const rulesIn = (text: string): readonly string[] =>
  readRules(text).flatMap((reading) => (reading.kind === "rule" ? [reading.text] : []));
const doubtsIn = (text: string): readonly string[] =>
  readRules(text).flatMap((reading) => (reading.kind === "candidate" ? [reading.doubt] : []));

describe("rules without a verb, about the language or the tools of what is written", () => {
  it.each([
    "commit 信息用中文",
    "commit message 用英文，代码注释也用英文",
    "PR 描述用中文。",
    "git 提交信息请用英文写",
    "提交訊息用英文",
    "所有注释用中文",
    "变量名用英文",
    "用 pnpm，不用 npm",
    "commit 前跑测试",
    "Los comentarios siempre en inglés",
    "Comentarios en inglés, por favor.",
    "Los mensajes de commit en español",
    "Todo el código y los comentarios en inglés",
    "Los tests siempre con pytest",
    "Os comentários sempre em inglês",
    "Mensagens de commit em português, por favor",
    "Respostas só em português",
    "Les commentaires toujours en anglais",
    "Les messages de commit en français, s'il te plaît",
    "Tous les commentaires en anglais",
    "Kommentare immer auf Englisch",
    "Commit-Nachrichten bitte auf Deutsch.",
    "Alle Variablennamen auf Englisch",
    "コメントは英語で",
    "commit メッセージは日本語で",
    "PR の説明は日本語でお願いします。",
    "Comments always in English",
    "Commit messages in English, please",
    "Все комментарии на английском",
    "commit сообщения на русском, пожалуйста",
    "주석은 항상 영어로",
    "commit 메시지는 한국어로 작성",
  ])("%s", (text) => expect(rulesIn(text)).toEqual([text]));

  it.each([
    "commit 信息用中文还是英文？",
    "commit 信息用中文写错了",
    "为什么 commit 信息用中文",
    "这个项目的注释用中文写的",
    "README 用英文写的，帮我翻译",
    "他的 commit 信息用中文",
    "commit 信息用中文会报错",
    "用了 pnpm，不用 npm 也行",
    "Los comentarios están siempre en inglés",
    "Los comentarios en inglés no compilan",
    "El error sale siempre en inglés",
    "Los tests siempre con errores",
    "Los mensajes de error en inglés me confunden",
    "¿Los comentarios siempre en inglés?",
    "Os comentários estão sempre em inglês",
    "O erro aparece sempre em inglês",
    "Les commentaires sont toujours en anglais",
    "Les logs toujours en anglais me gênent",
    "Die Kommentare sind immer auf Englisch",
    "Kommentare auf Englisch gefallen mir nicht",
    "コメントは英語で書かれています",
    "コメントは英語ですか？",
    "エラーは英語で出ます",
    "The comments are always in English",
    "Comments in English are missing",
    "Ошибки на английском не понятны",
    "주석은 영어로 되어 있습니다",
  ])("are not in: %s", (text) => expect(rulesIn(text)).toEqual([]));
});

describe("rules in what people write", () => {
  it.each([
    "Do not send any emails.",
    "Don't merge.",
    "do not deploy",
    "Do not drop the table.",
    "Do not call the payment API.",
    "Could you please not touch the tests?",
    "Leave the parser alone.",
    "Leave config.ts as it is.",
    "No new dependencies!",
    "Use pnpm from now on",
    "Whatever you do, don't push.",
    "keep the old code around for reference",
    "no console logs",
    "only e2e tests",
    "Bitte fass die Tests nicht an.",
    "Ne touche pas aux tests.",
    "No toques los tests.",
    "Não mexa nos testes.",
    "Nao altere o icecast.xml.",
    "Nao quero que voce execute nenhuma mudança no codigo",
    "Не трогай тесты.",
    "不要修改测试文件。",
    "在我下载完之前不要改动cache.py",
    "我没确认之前别改数据库。",
    "代码注释一律用中文",
    "所有改动都要先跟我确认",
    "Hasta que termine la descarga no modifiques cache.py",
    "テストファイルは変更しないでください。",
  ])("%s", (text) => expect(rulesIn(text)).toEqual([text]));

  it.each([
    "Never mind, I fixed it.",
    "在修复之前不能运行测试。",
    "代码里一律用的是旧接口。",
    "为什么注释一律用英文？",
    "Hasta que reinicio no funciona el servidor.",
    "It always fails on my machine when I run it with node 22.",
    "This must be a bug in zod.",
    "I've never seen this error before.",
    'TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string. Received undefined',
    "> Never trust user input",
    "The docs say: Never trust user input.",
    'He wrote "never deploy on fridays" on the wall.',
    "function load() {\n  // Never call this twice\n  must(not, be, null);\n}",
    "2026-01-01T10:00:00Z ERROR never received an answer\n  at connect (client.ts:10:3)",
    "| rule | text |\n| 1 | Never push |",
    "<file_content>\nNever push to main.\n</file_content>",
    "The button must be blue.",
    "This must be done today.",
  ])("are not in: %s", (text) => expect(rulesIn(text)).toEqual([]));

  it.each([
    ["Don't push yet.", "one-off"],
    ["Never do that again.", "unclear"],
    ["You must rename the table.", "weak"],
    ["You must not:", "incomplete"],
    ["Do not run migrations vs.", "incomplete"],
    [`Never use ${"one of the many options, ".repeat(100)}please.`, "too-long"],
  ])("are doubtful in: %.60s", (text, doubt) => {
    expect(rulesIn(text)).toEqual([]);
    expect(doubtsIn(text)).toEqual([doubt]);
  });
});

describe("what is said to an agent of a service", () => {
  it.each([
    "Only exchange the thermostat then.",
    "Then only exchange the thermostat.",
    "In that case, only return the keyboard.",
    "If that's not possible, only change the address.",
    "If not, stick with the original order.",
    "If that's not achievable, can we just stick with economy for the return flight?",
    "Alright, then just stick with the window seats.",
    "Ok, then only change the address.",
    "Dann tausche nur das Thermostat um.",
    "Gut, dann ändere nur das Datum.",
    "Alors modifie seulement l'adresse.",
    "Entonces cambia solo el termostato.",
    "Então altere só o endereço.",
    "Тогда обменяйте только термостат.",
    "それなら、サーモスタットだけ交換してください。",
    "では、住所だけ変更してください。",
  ])("is done with once it is done, where it follows from the turn before: %s", (text) =>
    expect(rulesIn(text)).toEqual([]),
  );

  it.each([
    ["Only cancel reservation Q69X3R.", "weak"],
    ["Only book the outbound flight.", "weak"],
    ["Only upgrade passenger Noah.", "weak"],
    ["Let's stick with the first option.", "unclear"],
    ["I prefer flights departing after 8am, so I'd like to choose the later one.", "weak"],
  ])("is doubtful where it is about one thing: %s", (text, doubt) => expect(doubtsIn(text)).toEqual([doubt]));

  it.each([
    "I only want to exchange the shirt.",
    "I'd prefer a refund to my credit card.",
    "They went through hardships, but always maintained a positive attitude.",
    "At the same time, it made me appreciate and respect our culture.",
    "However, I always feel that my work is not liked in the market.",
    "I always go running in the morning.",
    "We always have breakfast in the garden.",
    "I never felt so happy in the city.",
    "Besides, I always listen to music in the evening.",
  ])("is no rule where it tells of oneself: %s", (text) => expect(readRules(text)).toEqual([]));

  it.each([
    "Then never deploy on Fridays.",
    "Then only use pnpm.",
    "Then keep the rest as it is.",
    "In that case, never push without asking me.",
    "In that case never edit generated files, only templates.",
    "In that case only ever book direct flights from now on.",
    "If a file is generated, then only edit its template.",
    "If the build fails, never push.",
    "Only book direct flights.",
    "Only upgrade patch versions.",
    "Only order by primary key.",
    "Only return JSON.",
    "Stick with vitest.",
    "Let's stick with pnpm.",
    "I only want to see diffs, not whole files.",
    "I prefer tabs to spaces.",
    "I'd prefer small commits to one big one.",
    "We never mock in the integration tests.",
    "I always commit in the feature branch.",
    "However, never touch the generated code.",
    "Dann pushe nie ohne Rückfrage.",
    "Dann verwende nur pnpm.",
    "Alors utilise seulement pnpm.",
    "Entonces usa solo pnpm.",
    "Então use apenas pnpm.",
    "Тогда никогда не пушь в main.",
    "Тогда используй только pnpm.",
    "では、今後はpnpmだけを使ってください。",
  ])("is a rule where it lasts: %s", (text) => expect(rulesIn(text)).toEqual([text]));
});

describe("how long a rule is", () => {
  const never = (length: number): string => `Never ${"x".repeat(length - 7)}.`;

  it("is 1 600 code units at the most: a longer one is doubtful, and never cut", () => {
    expect(rulesIn(never(1_600))).toEqual([never(1_600)]);
    expect(readRules(never(1_601))).toEqual([
      { start: 0, end: 1_601, text: never(1_601), kind: "candidate", doubt: "too-long" },
    ]);
  });

  it("is four code units at the least", () => {
    expect(rulesIn("no x")).toEqual(["no x"]);
    expect(rulesIn("no!")).toEqual([]);
  });

  it("is 120 code units at the most where it has no verb", () => {
    const short = `No new dependencies ${"x".repeat(99)}!`;
    expect(rulesIn(short)).toEqual([short]);
    expect(rulesIn(`No new dependencies ${"x".repeat(100)}!`)).toEqual([]);
  });
});

describe("questions and exclamations", () => {
  it.each([
    "Can you never push to main?",
    "Careful, no new files!",
    "Leave the parser alone, ok?",
    "No toques los tests, ¿vale?",
    "以这个表格为准，主批次不要动，你觉得如何？",
    "主批次不要动",
  ])("are rules: %s", (text) => expect(rulesIn(text)).toEqual([text]));

  it.each([
    "Should I never push to main?",
    "Never push to main?",
    "You never push to main, right?",
    "为什么主批次不要动？",
    "You must rename it?",
    "Careful, no new files.",
  ])("are none, nor doubtful: %s", (text) => expect(readRules(text)).toEqual([]));
});

describe("somebody else's words", () => {
  const RULE = "Never push to main.";
  const handedOver = [
    ["Translate this into French:", "Never leave it alone."],
    ["Could you please summarize the following text:", "Badges must always be worn. Never lend yours."],
    ["What does this sentence mean:", "Always prefer composition over inheritance."],
    ["Übersetze das ins Englische:", "Lass das Gerät nie unbeaufsichtigt."],
    ["Traduis ceci en anglais :", "Ne laissez jamais un enfant seul."],
    ["Traduce esto al inglés:", "Nunca deje el aparato sin vigilancia."],
    ["Traduza isto para o inglês:", "Nunca deixe o aparelho sem vigilância."],
    ["Переведи на английский:", "Никогда не оставляйте прибор без присмотра."],
    ["把这句话翻译成英文：", "切勿让儿童独自使用本产品。"],
    ["次の文を英語に翻訳して：", "お子様だけで使用しないでください。"],
  ] as const;

  it.each(handedOver)("that are handed over make no rule, and what stands behind them does: %s", (lead, text) => {
    for (const between of [" ", "\n", "\n\n"]) {
      expect(rulesIn(`${lead}${between}${text}`)).toEqual([]);
      expect(doubtsIn(`${lead}${between}${text}`)).toEqual([]);
    }
    expect(rulesIn(`${lead} ${text}\n\n${RULE}`)).toEqual([RULE]);
    expect(rulesIn(`${lead} "${text}" ${RULE}`)).toEqual([RULE]);
    expect(rulesIn(`${lead}\n- ${text}\n- ${text}\n\n${RULE}`)).toEqual([RULE]);
    expect(rulesIn(`${lead}\n\n\`\`\`\n${text}\n\`\`\`\n\n${RULE}`)).toEqual([RULE]);
  });

  it("of several passages are in doubt, since nothing says where they end", () => {
    const text = `Proofread this:\n\nNever leave it alone.\n\n${RULE}`;
    expect(rulesIn(text)).toEqual([]);
    expect(doubtsIn(text)).toEqual(["unclear"]);
    expect(doubtsIn("From: Ann\nSubject: Doors\n\nAlways lock the door.")).toEqual(["unclear"]);
    expect(doubtsIn(`Bob wrote:\n- never touch billing\n- ask me first\n\n${RULE}`)).toEqual(["unclear", "unclear"]);
  });

  it("are a mail's from the second line of its head on, and those of a report for as long as its list", () => {
    expect(rulesIn(`From: Ann\n\n${RULE}`)).toEqual([RULE]);
    expect(rulesIn(`From: Ann\nHello.\nSubject: Doors\n\n${RULE}`)).toEqual([RULE]);
    expect(rulesIn(`From: Ann\nSubject: Doors\n\n${RULE}`)).toEqual([]);
    const reported = `Bob wrote:\n- never touch billing\n\n${RULE}`;
    expect([rulesIn(reported), doubtsIn(reported)]).toEqual([[RULE], ["unclear"]]);
  });

  it("that were handed over go on behind the lead of a list, and end where somebody is asked", () => {
    const behind = (line: string) => `Translate this:\n\nHello.\n\n${line}\n\n${RULE}`;
    expect([rulesIn(behind("Instructions:")), doubtsIn(behind("Instructions:"))]).toEqual([[], ["unclear"]]);
    expect(rulesIn(behind("Please note:"))).toEqual([RULE]);
    expect(rulesIn(behind("Please never push."))).toEqual(["Please never push.", RULE]);
  });

  it.each([
    "Bob told me: never touch the billing module.",
    "eslint says: Do not use 'any'.",
    "Mein Chef hat gesagt: Niemals am Freitag deployen.",
    "In der Doku steht, man soll nie eval benutzen.",
    "Mon collègue m'a dit : ne jamais toucher au module de paie.",
    "Mi jefe me dijo: nunca despliegues un viernes.",
    "Meu chefe me disse: nunca faça deploy na sexta.",
    "Коллега сказал мне: никогда не трогай модуль оплаты.",
    "同事跟我说：千万不要碰支付模块。",
    "ドキュメントには、このメソッドを直接呼んではいけないと書いてあります。",
    'She wrote "Never push. Always ask. Do not touch it." on the wall.',
  ])("that are reported make no rule: %s", (text) => expect(rulesIn(text)).toEqual([]));

  it.each([
    "As I said: never touch the billing module.",
    "I have one rule: never push to main.",
    "When you translate the strings, remember: never touch the placeholders.",
    "Translate the strings with these rules: never touch the placeholders.",
    "Summarize each finding in one line, and never include secrets.",
    "Übersetze die Texte, aber ändere nie die Platzhalter.",
    "翻译这些文案，但不要改动占位符。",
    "Tom is right: never log the token.",
  ])("are not: %s", (text) => expect(rulesIn(text)).toEqual([text]));

  it.each([
    `"Read docs/plan.md. ${RULE} Write a memo."`,
    `Here is the issue text:\n\nIt fails at times.\n\nInstructions:\n\n${RULE}`,
    `Proofread this:\n\nAlways wear a badge.\n\nThanks!\n${RULE}`,
    `${"Some context that says nothing. ".repeat(400)}\n\nTranslate this: Never lend it.\n\n${RULE}\n\n${"And more. ".repeat(1_200)}`,
  ])("end where the writer speaks again: %.40s", (text) => expect(rulesIn(text)).toEqual([RULE]));
});

describe("letters that look otherwise", () => {
  it.each([
    "ＮＥＶＥＲ push to ｍａｉｎ.",
    "Ne\u200bver push to main.",
    "\u202eNever push to main.",
    "N\u0435ver push to main.",
    "\u{1d40d}\u{1d41e}\u{1d42f}\u{1d41e}\u{1d42b} push to main.",
    "Don’t push to main.",
    "Don`t push to main.",
    "Don´t push to “main”.",
    "禁止推送到 ｍａｉｎ！",
    "ｍａｉｎ には絶対にプッシュしないでください。",
  ])("say the same: %s", (text) => expect(rulesIn(text)).toEqual([text]));
});

describe("a rule is kept whole", () => {
  const long = "Some background on how the build works, which nobody needs to keep in mind. ".repeat(400);

  it("wherever it stands in a text, also across what was once a border", () => {
    const rule = "Never delete the users table unless I confirm it in writing first.";
    for (const before of [long.slice(0, 19_970), long.slice(0, 40_000), long])
      expect(rulesIn(`${before}\n\n${rule}\n\n${long}`)).toEqual([rule]);
  });

  it.each([
    "Never edit generated files, e.g. dist/ or the bundled schema.",
    "Do not run migrations vs. production.",
    "Never delete the users table. Unless I confirm it in writing first.",
    "Bitte ändere nie Dateien, z. B. in dist/ oder build/.",
    "You must not:\n- push to main\n- deploy\n  - not even to staging\n- install anything",
    "Never edit generated files, e.g.\n- dist/\n- build/",
    "Never run this:\n```\nrm -rf /\n```",
    "Never delete the users table, not even in development, and not\nwithout a backup of it.",
    `Never use ${"any of the old options, ".repeat(25)}please.`,
  ])("%.80s", (rule) => {
    expect(rulesIn(`Some context first.\n\n${rule}\n\nNow go on with the work.`)).toEqual([rule]);
  });

  it.each([
    ["a comment that never ends", "<!--\nA note.\n\n"],
    ["a comment of a program that never ends", "/*\nA note.\n\n"],
    ["a comment that ends on its line", "<!-- A note. --> "],
    ["a comment that ended", "<!--\nA note.\n-->\n"],
    ["a document that speaks of its own tag", "<doc>\nThe <doc> tag is good.\n</doc>\n"],
    ["two documents in each other", "<doc>\n<doc>\nA note.\n</doc>\nAnother.\n</doc>\n"],
    ["an element without content", "<doc />\n\n"],
  ])("behind %s", (_, before) => {
    expect(rulesIn(`${before}Never push to main.`)).toEqual(["Never push to main."]);
  });

  it("in an item that begins with a number that is greater", () => {
    expect(rulesIn("You must keep these:\n- > 80% of the lines covered\n- no new warnings\n\nGo on.")).toEqual([
      "You must keep these:\n- > 80% of the lines covered\n- no new warnings",
    ]);
  });

  it("in a line of any length and behind a code block that never ends", () => {
    const line = `${"A sentence of some length that says nothing. ".repeat(60)}Never push to main. And so on.`;
    expect(rulesIn(line)).toEqual(["Never push to main."]);
    expect(rulesIn("Look:\n```ts\nconst a = 1;\n\nNever push to main.")).toEqual(["Never push to main."]);
  });

  it("and items under a heading of rules are rules, each for itself", () => {
    expect(rulesIn("## Rules\n- tabs for indentation\n- Named exports\n\nNow add a button.")).toEqual([
      "tabs for indentation",
      "Named exports",
    ]);
  });

  it("behind what a harness put before it on the same line", () => {
    expect(rulesIn("<system-reminder>Never say so.</system-reminder>Never push to main.\nGo on.")).toEqual([
      "Never push to main.",
    ]);
  });

  it("and a heading that is a rule keeps its list, a line in bold letters is a sentence", () => {
    expect(rulesIn("## Target files (ONLY modify these)\n- src/a.ts\n- src/b.ts\n\nGo on.")).toEqual([
      "Target files (ONLY modify these)\n- src/a.ts\n- src/b.ts",
    ]);
    expect(rulesIn("Hello.\n\n**Never push to main.**\n\n# Overview\n\nGo on.")).toEqual(["Never push to main."]);
  });
});

describe("laws", () => {
  const rule = "Never drop the users table.";
  const lines = fc.array(
    fc.constantFrom(
      "",
      "text",
      "- item",
      "1. point",
      "Lead:",
      "```",
      "~~~",
      "> quote",
      "<a>",
      "</a>",
      rule,
      "e.g.",
      "  - deeper",
      "x".repeat(300),
      "Never. ".repeat(30),
    ),
    { maxLength: 40 },
  );
  const texts = fc.oneof(
    hostileTexts,
    lines.map((parts) => parts.join("\n")),
  );

  it("a reading is what stands at its place, and no reading is longer than a rule may be", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const reading of readRules(text)) {
          expect(text.slice(reading.start, reading.end)).toBe(reading.text);
          if (reading.kind === "rule") expect(reading.text.length).toBeLessThanOrEqual(LONGEST_RULE);
        }
      }),
      runs(300),
    );
  });

  it("a rule in closed fences, quotes, logs or pasted documents is none", () => {
    const wrapped = fc.constantFrom(
      (text: string) => `\`\`\`\n${text}\n\`\`\``,
      (text: string) => `> ${text}`,
      (text: string) => `[ERROR] ${text}`,
      (text: string) => `<document>\n${text}\n</document>`,
      (text: string) => `// ${text}`,
      (text: string) => `<!--\nA note.\n${text}\n-->`,
      (text: string) => `/*\n * A note.\n\n * ${text}\n */`,
      (text: string) => `- > ${text}`,
      (text: string) => `1. >> ${text}`,
      (text: string) => `${" ".repeat(20)}\`\`\`\n${" ".repeat(20)}${text}\n${" ".repeat(20)}\`\`\``,
      (text: string) => `<doc>\n<doc id="2">\nA note.\n</doc>\n\n${text}\n</doc>`,
    );
    fc.assert(
      fc.property(wrapped, fc.constantFrom("", "Look at this.\n", "Hello:\n\n"), (wrap, before) => {
        expect(rulesIn(before + wrap(rule))).toEqual([]);
      }),
      runs(50),
    );
  });

  it.each([
    "Never ",
    "never, ",
    "Lead:\n",
    "You must not:\n",
    "- a:\n",
    "<a>\n",
    "<a></b>\n",
    "<a><a></a>\n",
    "<!--\n",
    "/*\n*/ a\n",
    "```\n",
    "```x\n~~~~y\n",
    "` ",
    '" ',
    "x",
    " ",
    "\n",
    "and then ",
    ". ",
    "e.g. ",
    "Never use it.\n",
    "Forget the rule about x. ",
    "(",
    "**a** ",
    "# a\n",
    "# a  ",
    "不要修改测试，",
    "変更しないで",
    "не трогай это ",
    "لا تحذف ",
    "قبل كل تعديل ",
    "수정하지 마",
    "앞으로는 항상 ",
    "라고 하는 전에 꼭 ",
    "그럼 테스트만 ",
    "إذن غيّر العنوان فقط ",
    "then only ",
    "only a then ",
    "only\n",
    "however, ",
    "if a, ",
    "a  \t  ",
    "\r",
    "1. ",
  ])(
    "a text of any length is read: %j over and over",
    (unit) => {
      const text = unit.repeat(Math.ceil(100_000 / unit.length));
      for (const { start, end } of readRules(text)) expect(end).toBeGreaterThan(start);
    },
    patience(20_000),
  );

  it("every character is read once: top statements are ordered and apart, and items lie within their lead's range", () => {
    const check = (statements: readonly Statement[], from: number, to: number): number => {
      let end = from;
      let read = 0;
      for (const statement of statements) {
        expect(statement.start).toBeGreaterThanOrEqual(end);
        expect(statement.end).toBeLessThanOrEqual(to);
        end = statement.end;
        read += statement.leadEnd - statement.start + check(statement.items, statement.leadEnd, statement.end);
      }
      return read;
    };
    fc.assert(
      fc.property(texts, (text) => {
        expect(check(finishSteps(statementsOf(text)), 0, text.length)).toBeLessThanOrEqual(text.length);
      }),
      runs(300),
    );
  });
});

describe("small letters", () => {
  it("stand where the letters of the text stand", () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[aİIıßẞς\u212a]{0,12}$/u));
    const hasLength = (text: string): boolean => smallLetters(text).length === text.length;
    fc.assert(fc.property(texts, hasLength), runs(200));
    expect(smallLetters("NEVER Push İ")).toBe("never push İ");
  });

  it("are the only ones in which rules are written down", () => {
    const entries = LANGUAGES.flatMap((language) => Object.values(language).flat());
    const written = entries.map((entry) => entry.replaceAll(/\\p\{(?:L|N|Script=\w+)\}|\\[A-Z]/gu, ""));
    expect(written.filter((entry) => entry !== smallLetters(entry)).sort()).toEqual(
      LANGUAGES.map(({ name }) => name).sort(),
    );
  });

  it("are read like capital ones", () => {
    for (const text of [
      "NEVER push to main.",
      "Never Push To Main.",
      "ПРОШУ НЕ ТРОГАТЬ ТЕСТЫ.",
      "BITTE FASS DIE TESTS NICHT AN.",
    ])
      expect(rulesIn(text), text).toEqual([text]);
  });
});
