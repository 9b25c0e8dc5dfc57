import {
  applySummaryChanges,
  asMessageId,
  type JsonValue,
  mergeSummaries,
  type OpenItem,
  renderSummary,
  type StructuredSummary,
  type SummaryChange,
  spanOf,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Conversation, foldAt, summaryOf } from "../testing/conversation.ts";
import { MAX_UNSETTLED } from "./selection/work-items.ts";
import { isAnnouncement, sentencesOf } from "./text/sentence.ts";

const states = (summary: StructuredSummary | undefined, kind: OpenItem["kind"]): readonly string[] =>
  (summary?.openItems ?? [])
    .filter((item) => item.kind === kind)
    .map(({ status, description }) => `${status}: ${description}`);
const work = (summary: StructuredSummary | undefined, description: string): OpenItem | undefined =>
  summary?.openItems.find((item) => item.description.includes(description));

/** A first turn that is done, so that what follows is not the original task. */
const started = (): Conversation => new Conversation().user("Set up the shop.").agent("Done. The shop is set up.");

describe("requests over folds", () => {
  it("a request is closed by the answer that a later fold holds, in the agent's own whole sentences", () => {
    const conversation = started()
      .user("Add a cart to the shop.")
      .bash("npm test", "3 passed")
      .bash("npm test", "4 passed")
      .agent("The cart is implemented in src/cart.ts. It keeps its items in local storage.")
      .user("Now add the checkout.");
    const [first, second] = foldAt(conversation, [5, 8]);
    expect(work(first, "Add a cart")).toMatchObject({
      status: "asked",
      context: "its outcome comes after this summary",
    });
    expect(work(second, "Add a cart")).toMatchObject({
      status: "done",
      context: "The cart is implemented in src/cart.ts. It keeps its items in local storage.",
      sources: ["m3", "m8"],
    });
  });

  it("an old request that is closed keeps the beginning of its answer, however long its first sentence is", () => {
    const answer =
      "The cart keeps its items in the browser's local storage under one key of the shop, and drops those that are gone " +
      "from the catalogue when the page with the cart is opened, which the customer is told of.";
    const conversation = started().user("Add a cart to the shop.").agent(answer);
    for (const page of [1, 2, 3, 4]) conversation.user(`Translate page ${page}.`).agent(`Page ${page} is translated.`);
    const [, later] = foldAt(conversation.user("Go on."), [4, 12]);
    const context = work(later, "Add a cart")?.context ?? "";
    expect(context).toMatch(/^The cart keeps its items in the browser's local storage/);
    expect(context.length).toBeLessThan(answer.length);
  });

  it("the request that the agent is at work on behind the fold is neither open nor done", () => {
    const conversation = started().user("Add a cart.").bash("ls", "src").bash("npm test", "3 passed");
    const [summary] = foldAt(conversation, [5]);
    expect(work(summary, "Add a cart")).toMatchObject({ status: "asked", priority: "medium" });
    expect(work(summary, "Add a cart")?.context).toBe("work on it continues after this summary");
    expect(summary?.currentTask).toBe("Add a cart.");
  });

  it("a request that has no answer anywhere is open", () => {
    const conversation = started().user("Add a cart.").bash("npm test", "3 passed");
    expect(work(foldAt(conversation, [5])[0], "Add a cart")).toMatchObject({ status: "open", priority: "high" });
  });

  it.each(["Great, thanks!", "ok", "Perfect.", "👍", "looks good to me"])(
    "is closed by %j, and what the agent says to that is neither its answer nor a task",
    (thanks) => {
      const conversation = started()
        .user("Add a cart.")
        .bash("npm test", "3 passed")
        .agent("The cart is there, with tests.")
        .user(thanks)
        .agent("You are welcome, always happy to help.")
        .user("Now the checkout.");
      for (const borders of [[8], [5, 8], [5, 6, 8], [5, 6, 7, 8]]) {
        const summary = foldAt(conversation, borders).at(-1);
        expect(work(summary, "Add a cart")).toMatchObject({
          status: "done",
          context: "The cart is there, with tests.",
        });
        expect(renderSummary(summary as StructuredSummary)).not.toContain("welcome");
      }
    },
  );

  it("a yes to the agent's question goes on with the request, over a fold", () => {
    const conversation = started()
      .user("Clean the shop up.")
      .agent("I would delete src/old.ts. Shall I?")
      .user("yes, go ahead")
      .bash("rm src/old.ts", "")
      .agent("Deleted src/old.ts.")
      .user("Now the checkout.");
    for (const borders of [[8], [4, 8], [5, 8], [4, 5, 7, 8]]) {
      expect(work(foldAt(conversation, borders).at(-1), "Clean the shop up")).toMatchObject({
        status: "done",
        context: "Deleted src/old.ts.",
      });
    }
    expect(work(foldAt(conversation, [5])[0], "Clean the shop up")?.status).toBe("asked");
  });

  it("what was done is open again when the user comes back to it in a later fold, and done with the request that does", () => {
    const conversation = started()
      .user("Fix the login page.")
      .agent("Fixed the redirect in login.ts.")
      .user("It still fails in Safari.")
      .bash("npm test", "3 passed")
      .agent("Fixed the cookie handling; Safari works now.")
      .user("Now the checkout.");
    const [first, second, third] = foldAt(conversation, [4, 6, 8]);
    expect(work(first, "Fix the login page")?.status).toBe("done");
    expect(work(second, "Fix the login page")?.status).toBe("asked");
    expect(states(third, "request").slice(-2)).toEqual([
      "done: Fix the login page.",
      "done: It still fails in Safari.",
    ]);
  });

  it("what the user takes back in a later fold is cancelled, and the taking back is no request", () => {
    const conversation = started()
      .user("Add a dark theme.")
      .bash("ls", "src")
      .user("Never mind.")
      .user("Check the fonts.");
    const [, second] = foldAt(conversation, [5, 6]);
    expect(states(second, "request").slice(-1)).toEqual(["cancelled: Add a dark theme."]);
  });

  it("what was done is not cancelled by a user who then takes something back", () => {
    const conversation = started().user("Add a dark theme.").agent("Done. The dark theme is there.");
    conversation.user("Forget that, then. Check the fonts.").agent("The fonts are fine.").user("Now the checkout.");
    for (const borders of [[6], [4, 6], [4, 5, 6]])
      expect(work(foldAt(conversation, borders).at(-1), "Add a dark theme")?.status).toBe("done");
  });

  it("what the user has put back is cancelled, and the putting back is a request", () => {
    const conversation = started()
      .user("Move the cart into its own folder.")
      .bash("git mv cart.ts cart/index.ts", "")
      .user("Actually, can you revert that? I want to see where each file would go first.")
      .bash("git status", "clean")
      .agent("Reverted. The cart is where it was, and here is where each file would go.")
      .user("Now the checkout.");
    for (const borders of [[9], [5, 9], [4, 6, 9]]) {
      const summary = foldAt(conversation, borders).at(-1);
      expect(work(summary, "Move the cart")).toMatchObject({ status: "cancelled" });
      expect(work(summary, "can you revert that")).toMatchObject({ status: "done" });
    }
  });

  it.each([
    [
      "Show me the numbers of the last release.",
      "lapsed",
      "the user interrupted the work on it and went on with the next request",
    ],
    ["Write the figures into the old metadata file, please.", "done", "went on with the next request"],
  ])("one that the user interrupted is done only when %j asks for it again", (next, status, context) => {
    const conversation = started()
      .user("Write the figures into the metadata file.")
      .bash("cat metadata.json", "{}")
      .user("[Request interrupted by user]", "harness")
      .user(next)
      .bash("cat release.json", "{}")
      .agent("The figures are written.")
      .user("Now the checkout.");
    for (const borders of [[10], [5, 10], [6, 10]]) {
      const summary = foldAt(conversation, borders).at(-1);
      expect(work(summary, "into the metadata file")).toMatchObject({ status, context });
    }
  });

  it("an error that a user pastes again and again is told, and what it is about is not done before it ends", () => {
    const pasted = "npm ERR! TypeError: cart.items is not iterable at total (src/cart.ts:12)";
    const conversation = started().user("Repair the total of the cart.");
    for (const place of ["reader", "writer", "cache"])
      conversation.bash(`edit ${place}`, "ok").agent(`Fixed the ${place} of the cart.`).user(pasted);
    conversation.bash("npm test", "1 failed");
    for (const borders of [[17], [8, 17], [7, 11, 15, 17]]) {
      const summary = foldAt(conversation, borders).at(-1);
      expect(work(summary, "TypeError")).toMatchObject({ status: "open" });
      expect(work(summary, "Repair the total")).toMatchObject({ status: "open" });
      expect(states(summary, "request").filter((told) => told.includes("TypeError"))).toHaveLength(1);
    }
    conversation.agent("The total is repaired in src/cart.ts.").user("Now the checkout.");
    expect(work(foldAt(conversation, [8, 19]).at(-1), "Repair the total")?.status).toBe("done");
  });

  it("what a program sends again and again is no request, and the work goes on behind it", () => {
    const nudge = "Please continue with the next step, or use the task_done tool if the task is complete.";
    const conversation = started().user("Make the search faster.");
    for (const place of ["reader", "writer", "cache", "index"])
      conversation.bash(`time ${place}`, "4 s").agent(`The ${place} takes four seconds.`).user(nudge);
    conversation.bash("npm test", "3 passed");
    expect(states(foldAt(conversation, [21]).at(-1), "request").slice(-1)).toEqual(["open: Make the search faster."]);
    for (const borders of [
      [15, 21],
      [18, 21],
      [16, 18, 21],
    ])
      expect(states(foldAt(conversation, borders).at(-1), "request"), borders.join()).toContain(
        "open: Make the search faster.",
      );
  });

  it.each([
    ["I couldn't build it, because the key is missing. Should I use the test key?", "Use the key in .env."],
    ["I was unable to find the old logo. Where is it, in the shop or in the brand folder?", "In the brand folder."],
  ])("is answered by the user's next message when it ended in a setback and a question: %s", (answer, reply) => {
    const conversation = started()
      .user("Build the release.")
      .bash("make", "failed", 1)
      .agent(answer)
      .user(reply)
      .bash("make", "ok")
      .agent("The release is built in dist/release.zip.")
      .user("Now the checkout.");
    for (const borders of [[11], [6, 11], [7, 11], [6, 7, 10, 11]])
      expect(work(foldAt(conversation, borders).at(-1), "Build the release")?.status, borders.join()).toBe("done");
  });

  it.each([
    "I undid your changes, try again.",
    "i reverted that, the page was blank. try it another way",
    "I've rolled back your edits. Please try a different approach.",
    "Ich habe deine Änderungen zurückgesetzt, versuch es nochmal.",
    "J'ai annulé tes changements, réessaie.",
    "He deshecho tus cambios, inténtalo de nuevo.",
    "Desfiz as suas alterações, tenta de novo.",
    "Я откатил твои изменения, попробуй ещё раз.",
    "我把你的修改撤回了，再试一次。",
    "変更を取り消しました。もう一度やってみてください。",
  ])("what the user says they undid does not stand as its outcome: %s", (undone) => {
    const conversation = started()
      .user("Make the header of every page sticky.")
      .agent("Done. The header has position: sticky in header.css.")
      .user(undone)
      .bash("npm test", "3 passed")
      .agent("Done. The header is a fixed element in header.tsx.")
      .user("Now the checkout.");
    for (const borders of [[9], [4, 9], [5, 9]]) {
      const item = work(foldAt(conversation, borders).at(-1), "header of every page");
      expect(item, borders.join()).toMatchObject({ status: "done", context: "went on with the next request" });
    }
    expect(work(foldAt(conversation, [4, 7]).at(-1), "header of every page")?.status).not.toBe("done");
  });

  it("has what came after the user's yes for its outcome, and not the question that was answered", () => {
    const question =
      "I would delete src/old.ts and the three pages that import it, since no link leads to them any more and the " +
      "build takes nine seconds longer with them. The tests of the pages would go as well, and with them the fixtures " +
      "of the old catalogue. Shall I?";
    const conversation = started()
      .user("Clean up what the shop does not need.")
      .agent(question)
      .user("yes")
      .bash("rm src/old.ts", "")
      .user("Now the checkout.")
      .bash("ls", "src")
      .agent("The checkout is there.");
    for (const borders of [[11], [4, 11], [5, 11], [4, 8, 11]])
      expect(work(foldAt(conversation, borders).at(-1), "Clean up what")?.context, borders.join()).toBe(
        "went on with the next request",
      );
  });

  it.each(["yes, but only the tests", "Ja, aber nur die Tests.", "no docs please, tests only"])(
    "has what was found out for its outcome, and not the question that was answered with a limit: %s",
    (reply) => {
      const conversation = started()
        .user("Find out why the importer loses a line.")
        .agent("The cause is a missing flush in `end()`. Should I fix it, with tests and docs?")
        .user(reply)
        .bash("npm test", "1 passed");
      const request = { context: "The cause is a missing flush in `end()`." };
      for (const borders of [[7], [4, 7], [5, 7], [4, 5, 7]]) {
        const told = work(foldAt(conversation, borders).at(-1), "Find out why");
        expect(told).toMatchObject({ status: "open", ...(borders.length === 1 && request) });
        expect(told?.context, borders.join()).not.toContain("Should I");
      }
      conversation.agent("Added the tests.").user("Now the checkout.");
      expect(work(foldAt(conversation, [9]).at(-1), "Find out why")).toMatchObject({ status: "done", ...request });
    },
  );

  it.each([
    "The file is locked, so I could not fix it. Should I try again?",
    "I could not fix it: the file is locked.",
  ])("is not told by a setback once what the user said to it was done: %s", (setback) => {
    const conversation = started()
      .user("Fix the importer.")
      .agent(setback)
      .user("Still broken? Try again, but leave the tests.")
      .bash("npm test", "1 passed")
      .agent("Fixed the importer.")
      .user("Now the checkout.");
    for (const borders of [[9], [4, 9], [5, 9], [4, 7, 9]]) {
      const told = work(foldAt(conversation, borders).at(-1), "Fix the importer");
      expect(told?.status, borders.join()).toBe("done");
      expect(["Fixed the importer.", "went on with the next request"], borders.join()).toContain(told?.context);
    }
  });

  it.each([
    "not the new session button. this one: plus.png, the button in there",
    "No, in the sidebar.",
    "but then the diff would not be clean, right?",
    "wait, the other file",
    "I mean the left one.",
    "Nein, in der Seitenleiste.",
    "Mais la barre de gauche.",
    "不，是左边的那个。",
    "There is one there already. Instead take the icon of the menu.",
    "Ya hay un botón ahí. Mejor mueve el otro.",
    "The names in sidebar.tsx cannot be changed, so please don't rename any of them.",
    "What is in that folder?",
    "这个文件夹里有什么吗",
    "Walk me through these changes.",
    "Erkläre mir zuerst diese Änderung.",
    "Explícame estos cambios.",
  ])("one that the user interrupted goes on when what follows corrects it: %s", (next) => {
    const conversation = started()
      .user("Move the button next to the search.")
      .bash("cat sidebar.tsx", "<Button />")
      .user("[Request interrupted by user]", "harness")
      .user(next)
      .bash("cat menu.tsx", "<Button />")
      .agent("Moved the button.")
      .user("Now the checkout.");
    for (const borders of [[11], [5, 11], [6, 11]])
      expect(work(foldAt(conversation, borders).at(-1), "Move the button"), borders.join()).toMatchObject({
        status: "done",
        context: "went on with the next request",
      });
  });

  it("an announcement that was cut off is no answer", () => {
    const conversation = started().user("Write the changelog.").agent("Let me look at the history first.");
    expect(work(foldAt(conversation, [4])[0], "Write the changelog")?.status).toBe("open");
  });

  it.each([
    ["Entrenando con los datos nuevos. Cuando termine genero los PDFs. Te aviso."],
    ["The data is not complete. First run the export again:"],
    ["数据还在导出。完成后我会通知你。"],
  ])("work that the answer says is still to come is not done: %s", (answer) => {
    const conversation = started().user("Train the model once more and write the report.").bash("ls data", "a.json");
    expect(work(summaryOf(conversation.agent(answer)).summary, "Train the model")?.status).toBe("open");
  });

  it.each(["What is a cohort?", "群组是什么意思？"])(
    "a question in between that was only answered ends no work: %s",
    (question) => {
      const conversation = started()
        .user("Draw the chart of the cohorts.")
        .bash("ls figures", "a.csv")
        .agent("Let me write the script:")
        .user(question)
        .agent("People who came in the same month.")
        .user("I see.");
      expect(work(summaryOf(conversation).summary, "Draw the chart")?.status).toBe("open");
      expect(work(summaryOf(conversation).summary, question)?.status).toBe("done");
    },
  );

  it("what the agent said before it went on working is not what came of a request", () => {
    const conversation = started()
      .user("Draw the chart and give me the figures behind it.")
      .agent("Sure. The chart needs the figures of both quarters.")
      .bash("ls figures", "no such folder")
      .agent("Let me write the script:")
      .user("What is in the folder of the figures?")
      .agent("It holds pictures.");
    expect(work(foldAt(conversation, [conversation.messages.length]).at(-1), "Draw the chart")?.context).not.toContain(
      "both quarters",
    );
  });

  it("what the agent could not do stays open in its words, lapses when nobody came back to it, and makes room in the end", () => {
    const conversation = started().user("Fix the login page.").agent("I was unable to reproduce the problem.");
    const borders: number[] = [];
    for (let turn = 0; turn < 45; turn++) {
      conversation.user(`Translate page ${turn}.`).agent(`Done. Page ${turn} is translated.`);
      borders.push(conversation.messages.length);
    }
    conversation.user("What is left?");
    const summaries = foldAt(conversation, borders, { maxTokens: 400 });
    const course = summaries.map((summary) => {
      const item = work(summary, "Fix the login page");
      return item?.kind === "chapter" ? "in a chapter" : (item?.status ?? "gone");
    });
    expect([...new Set(course)]).toEqual(["open", "lapsed", "in a chapter", "gone"]);
    expect(work(summaries[0], "Fix the login page")?.context).toBe("I was unable to reproduce the problem.");
  });
});

describe("what is asked in a long message", () => {
  const filler =
    "The calculation gives nothing when a step of it fails, and the metadata then lacks it without a word. ";
  /** How a work item describes a message. */
  const asked = (text: string): string =>
    foldAt(started().user(text).bash("ls", "src").agent("It is in src/cart.ts."), [6])[0]?.openItems.at(-1)
      ?.description ?? "";

  it.each([
    [
      "a trace",
      `~/shop (main)\n➜  shop git:(main) ✗ npx tsx src/cli.ts -c\nnode:fs:443\n    return binding.readFileUtf8(path);\n\n${"    at async asyncRunEntryPoint (node:internal/modules/run_main:98:5)\n".repeat(9)}\nNode.js v23.4.0\n\nwhy does it look in the wrong folder?`,
      "why does it look in the wrong folder?",
    ],
    [
      "a log",
      `2026-01-08 15:41:53 ERROR cart: total failed\n${"2026-01-08 15:41:54 INFO cart: retry\n".repeat(12)}\nthis comes every minute. can you find out what calls it?`,
      "this comes every minute. can you find out what calls it?",
    ],
    [
      "code in a fence",
      `\`\`\`ts\n${"export const total = (cart: Cart): number => cart.items.length;\n".repeat(8)}\`\`\`\n\nMake this count the prices. Leave the name.`,
      "Make this count the prices. Leave the name.",
    ],
    [
      "a page",
      `## Available imports\n\nTools can import from these packages:\n\n| Package | Purpose |\n|---|---|\n${"| `@shop/cart` | The cart and its items. |\n".repeat(6)}\nis this true for hooks as well? then we should document it.`,
      "is this true for hooks as well? then we should document it.",
    ],
    [
      "a diff",
      `+ 8 - **Cart**: Messages now respect the theme.\n${"+ 9 - **Theme**: A token for the background was added to it.\n".repeat(6)}\nremove that, we just want to say that themes are supported`,
      "remove that, we just want to say that themes are supported",
    ],
  ])("stands in its work item, though %s comes before it", (_, text, words) => {
    expect(asked(text)).toMatch(new RegExp(`(?:^|… )${words.replace(/[.?]/g, "\\$&")}$`));
    expect(asked(text).length).toBeLessThan(300);
  });

  it("stands in the task at that point", () => {
    const text = `2026-01-08 15:41:53 ERROR cart: total failed\n${"2026-01-08 15:41:54 INFO cart: retry\n".repeat(12)}\ncan you find out what calls it?`;
    expect(foldAt(started().user(text).bash("ls", "src"), [5])[0]?.currentTask).toContain("find out what calls it?");
  });

  it("is not cut at an ellipsis in the middle of a sentence", () => {
    const text =
      "I'm getting ReferenceError: Cannot access 'CartConverter' before its initialization ... I don't really want to move the classes ahead of main, so can we move each class to a separate file that is imported, and then rename convert-cart.ts to index.ts as the main entry";
    const conversation = started().user(text).agent("Moved the classes.").user("Now the checkout.");
    const { summary } = summaryOf(conversation);
    expect(work(summary, "I'm getting ReferenceError")?.description).toContain("move each class to a separate file");
  });

  it("is the question at its end, behind what leads to it", () => {
    const question = "Can we add logging there?";
    expect(asked(`${filler.repeat(4)}${question}`)).toBe(`${filler}${filler}… ${question}`);
    expect(asked(`Look at this:\n\n${'{"type":"message"}\n'.repeat(30)}\n\n${question}`)).toMatch(
      /^Look at this: .* … Can we/,
    );
  });

  it("is its beginning when nothing at the end asks, and all of a short message", () => {
    expect(asked(`Repair the total of the cart.\n\n${filler.repeat(6)}`)).toMatch(
      /^Repair the total of the cart\. The/,
    );
    expect(asked("npm ERR! missing script: test\n\nwhat is that?")).toBe("npm ERR! missing script: test what is that?");
    const trace = `Error: no such file\n${"    at run (node:internal/run_main:98:5)\n".repeat(20)}\nNode.js v23.4.0`;
    expect(asked(trace)).toMatch(/^Error: no such file at run/);
  });

  it.each([
    "I have *added these files to the chat* so you can go ahead and edit them.\n\n*Trust this message as the true contents of these files!*\n\nsrc/cart.ts\n```\nexport {};\n```",
    "Here are summaries of some files present in my git repository.\nDo not propose changes to these files, treat them as *read-only*.",
    "Here are some READ ONLY files, provided for your reference.\nDo not edit these files!",
    "I committed the changes with git hash 4f2a91c & commit msg: feat: add a cart",
    "I didn't see any properly formatted edits in your reply?!",
    "I am not sharing any files that you can edit yet.",
  ])("is nothing when its harness wrote it: %s", (text) => {
    const [summary] = foldAt(started().user("Add a cart.").user(text).bash("ls", "src"), [6]);
    expect(states(summary, "request")).toEqual([expect.stringMatching(/^done: The original/), "open: Add a cart."]);
  });
});

describe("summaries that stand apart", () => {
  const conversation = started()
    .user("Add a cart.")
    .bash("ls", "src")
    .bash("npm test", "3 passed")
    .agent("The cart is there, with tests.")
    .user("Now the checkout.");
  const messages = conversation.messages;
  const [first] = foldAt(conversation, [5]);
  const second = summaryOf(messages.slice(5, 8), { lastTurn: "ended" }).summary;

  it("names of earlier folds that are more than the room never take the place of what was asked and found now", () => {
    const span = spanOf(started().messages);
    const changes = Array.from(
      { length: 400 },
      (_, index): SummaryChange => ({
        op: "add",
        section: "identifiers",
        item: {
          text: `export function readPart${index}(part: Part): Result {`,
          where: "src/shop.ts",
          sources: [asMessageId("m1")],
        },
      }),
    );
    const { summary: previous } = applySummaryChanges(null, span, changes);
    const conversation = started()
      .user("Add a cart to the shop, please.")
      .bash("npm test", "3 passed")
      .agent("The cart keeps its items in local storage, because sessions end at midnight.")
      .user("Now the checkout.");
    const { summary } = summaryOf(conversation, { previous, maxTokens: 1_000 });
    expect(work(summary, "Add a cart")?.status).toBe("done");
    expect(work(summary, "Add a cart")?.context).toContain("sessions end at midnight");
    expect(summary.identifiers.length).toBeGreaterThan(10);
  });

  it("one that begins in the midst of a turn says what came of the request before it, and calls nothing the original task", () => {
    expect(states(second, "request")).toEqual(["done: The cart is there, with tests."]);
    expect(work(second, "The cart is there")?.context).toBe("said of the request before it");
    const midst = summaryOf(messages.slice(2, 8), { lastTurn: "ended" }).summary;
    expect(midst.originalTask).toBeNull();
    expect(states(midst, "request")).toEqual(["done: Add a cart."]);
  });

  it("a request is not done by what the agent says first if it says more behind the span", () => {
    const first = (lastTurn: "answered" | "ended") => {
      const conversation = new Conversation().user("Write some markdown in the chat.").agent("Reverted: it is cyan.");
      return states(summaryOf(conversation, { lastTurn }).summary, "request");
    };
    expect(first("ended")).toEqual(["done: The original task"]);
    expect(first("answered")).toEqual(["asked: The original task"]);
  });

  it("the request and its answer come together when they are folded into one", () => {
    const span = spanOf(messages.slice(0, 8));
    const joined = mergeSummaries(first as StructuredSummary, second, span).summary;
    const { summary } = summaryOf(messages.slice(8), { previous: joined });
    expect(states(summary, "request").slice(1)).toEqual(["done: Add a cart.", "open: Now the checkout."]);
    expect(work(summary, "Add a cart")).toMatchObject({
      context: "The cart is there, with tests.",
      sources: ["m3", "m8"],
    });
  });
});

describe("chapters", () => {
  const shop = (parts: number): Conversation => {
    const conversation = started();
    for (let part = 1; part <= parts; part++)
      conversation
        .user(`Ok, can you please build part number ${part} of the shop, with its own page and tests?`)
        .bash(`npm run build-${part}`, "ok")
        .agent(part === 7 ? "I was unable to build it." : `Done. Part ${part} is implemented and has its page.`);
    return conversation.user("And now the last one.");
  };
  const everyTen = (length: number): readonly number[] =>
    Array.from({ length: Math.floor(length / 10) }, (_, at) => (at + 1) * 10);

  it("the oldest closed requests of many turns become one line, that says how many they were", () => {
    const conversation = shop(60);
    const summaries = foldAt(conversation, everyTen(conversation.messages.length), { maxTokens: 1_500 });
    const chapters = summaries.map(({ openItems }) => openItems.filter(({ kind }) => kind === "chapter"));
    expect(Math.max(...chapters.map(({ length }) => length))).toBe(1);
    const [chapter] = chapters.at(-1) as readonly OpenItem[];
    expect(chapter?.description).toMatch(
      /^Turns 1 to \d+, \d+ requests: \(\d+ before\) build part number \d+ of the shop/,
    );
    expect(chapter?.description.length).toBeLessThan(1_000);
    const told = Number(/, (\d+) requests/.exec(chapter?.description as string)?.[1]);
    const lines = summaries.at(-1)?.openItems.filter(({ kind }) => kind === "request").length as number;
    expect(told + lines).toBeGreaterThanOrEqual(54);
    expect(lines).toBeGreaterThanOrEqual(3);
    expect(work(summaries.at(-1), "part number 58 of")?.status).toBe("done");
  });

  it("say of a request what became of it when it was not done", () => {
    const conversation = shop(40);
    const summaries = foldAt(conversation, everyTen(conversation.messages.length), { maxTokens: 1_500 });
    const texts = summaries.flatMap(({ openItems }) =>
      openItems.flatMap((item) => (item.kind === "chapter" ? item.description : [])),
    );
    expect(
      texts.some((text) => text.includes("build part number 7 of the shop, with its own page and tests (lapsed)")),
    ).toBe(true);
    expect(texts.some((text) => text.includes("build part number 6 of the shop, with its own page and tests;"))).toBe(
      true,
    );
  });

  it("are not made while every request has room for its line, which keeps what came of it", () => {
    const conversation = shop(20);
    const summaries = foldAt(conversation, everyTen(conversation.messages.length), { maxTokens: 20_000 });
    expect(summaries.flatMap(({ openItems }) => openItems.filter(({ kind }) => kind === "chapter"))).toEqual([]);
    expect(work(summaries.at(-1), "part number 2 of")?.context).toBe("Done. Part 2 is implemented and has its page.");
  });

  it("lines of old requests lose what came of them before they lose their place, the oldest first", () => {
    const conversation = shop(60);
    const summaries = foldAt(conversation, everyTen(conversation.messages.length), { maxTokens: 900 });
    const courses = summaries.map(({ openItems }) =>
      openItems
        .filter(({ kind, status }) => kind === "request" && status === "done")
        .sort((one, other) => (one.turn ?? 0) - (other.turn ?? 0))
        .map(({ context }) => context !== ""),
    );
    for (const told of courses) expect(told.lastIndexOf(false)).toBeLessThan(told.indexOf(true));
    expect(courses.some((told) => told.includes(false) && told.includes(true))).toBe(true);
  });
});

describe("questions over folds", () => {
  const conversation = started()
    .user("Move the data.")
    .agent("The backup is ready. Should I overwrite orders_2024 or keep both copies?")
    .user("Keep both, please, and name the copy orders_2024_old.")
    .bash("mv a b", "");

  it("a question is closed by the reply that a later fold holds", () => {
    const [first, second] = foldAt(conversation, [4, 6]);
    expect(states(first, "question")).toEqual([
      "asked: Question to the user: Should I overwrite orders_2024 or keep both copies?",
    ]);
    expect(work(second, "Should I overwrite")).toMatchObject({
      status: "done",
      context: "the user replied: Keep both, please, and name the copy orders_2024_old.",
    });
  });

  it("a question is open only when nothing follows it", () => {
    const asked = started().user("Move the data.").agent("Should I overwrite orders_2024?");
    expect(states(foldAt(asked, [4])[0], "question")[0]).toMatch(/^open: /);
  });

  it("a question that the agent did not wait for is no question to the user", () => {
    const gone = started().user("Move the data.").agent("Should I overwrite orders_2024?").bash("ls", "src");
    expect(states(foldAt(gone, [4])[0], "question")).toEqual([]);
  });
});

describe("questions that a call asks the user", () => {
  const QUESTION = "Should numbers be gapless per tenant?";
  const REPLY = "Gapless, and never reuse one.";
  const asking = (toolName: string, input: JsonValue, output: string | JsonValue): Conversation =>
    started().user("Number the invoices.").tool(toolName, input, output);

  it.each<[toolName: string, input: JsonValue, output: string | JsonValue]>([
    ["ask_user", { question: QUESTION }, REPLY],
    ["AskHuman", { inquire: QUESTION }, REPLY],
    ["__ask_user__", { questions: [{ question: QUESTION, options: ["Gapless", "Unique"] }] }, { answers: [REPLY] }],
    ["request_user_input", { questions: [{ id: "a", question: QUESTION }] }, { answers: { a: { answers: [REPLY] } } }],
    ["request_user_input", { prompt: QUESTION, options: ["Gapless"] }, JSON.stringify({ answer: REPLY })],
    ["mcp__hitl__get_user_input", { prompt: QUESTION }, { response: REPLY, cancelled: false }],
    ["human_input", { message: QUESTION }, `User response: ${REPLY}`],
    ["clarify", { question: QUESTION }, `<answer>\n${REPLY}\n</answer>`],
    ["request-clarification", { text: QUESTION }, REPLY],
    ["message_ask_user", { text: QUESTION, attachments: [] }, REPLY],
  ])("stand there with the reply, whatever the tool is called: %s", (toolName, input, output) => {
    const { summary, text } = summaryOf(asking(toolName, input, output));
    expect(states(summary, "question")).toEqual([`done: Question to the user: ${QUESTION}`]);
    expect(work(summary, QUESTION)?.context).toBe(`the user replied: ${REPLY}`);
    expect(summary.toolOutcomes).toEqual([]);
    expect(text).not.toContain("agent's note");
    expect(work(summary, "Number the invoices")?.status).toBe("open");
  });

  it.each(["", "Error: timed out waiting for the user", "User declined to answer questions", "(no response)"])(
    "have no reply when nobody gave one: %j",
    (output) => {
      const { summary } = summaryOf(asking("ask_user", { question: QUESTION }, output));
      expect(work(summary, QUESTION)).toMatchObject({ status: "lapsed", context: "the user did not answer" });
    },
  );

  it("are open while the reply has not come", () => {
    const { messages } = asking("ask_user", { question: QUESTION }, REPLY);
    expect(work(summaryOf(messages.slice(0, -1)).summary, QUESTION)?.status).toBe("open");
    const again = asking("ask_user", { question: QUESTION }, "").tool("ask_user", { question: QUESTION }, REPLY);
    const [left, replied] = foldAt(again, [5, 7]).map((summary) => work(summary, QUESTION)?.context);
    expect([left, replied]).toEqual(["the user did not answer", `the user replied: ${REPLY}`]);
  });

  it("are none when a tool asks somebody else, or about users", () => {
    const calls: readonly (readonly [string, JsonValue])[] = [
      ["ask_question", { repoName: "a/b", question: QUESTION }],
      ["get_user_details", { query: QUESTION }],
      ["update_user_prompt", { prompt: QUESTION }],
      ["search_user_questions", { query: QUESTION }],
    ];
    for (const [toolName, input] of calls)
      expect(states(summaryOf(asking(toolName, input, REPLY)).summary, "question"), toolName).toEqual([]);
  });
});

describe("to-do lists over folds", () => {
  const todos = (...items: readonly [string, string][]) => ({
    todos: items.map(([content, status]) => ({ content, status })),
  });

  it("what falls off a list, or is cleared with it, was cancelled by nobody", () => {
    for (const next of [todos(), todos(["Deploy to staging", "pending"])]) {
      const conversation = started()
        .user("Build it.")
        .tool("TodoWrite", todos(["Write parser", "in_progress"], ["Write tests", "pending"]), "ok")
        .tool("TodoWrite", next, "ok")
        .agent("All built.");
      const [, second] = foldAt(conversation, [5, 8]);
      expect(states(second, "todo").slice(0, 2)).toEqual(["lapsed: Write parser", "lapsed: Write tests"]);
      expect(states(foldAt(conversation, [8])[0], "todo").filter((state) => state.includes("Write"))).toEqual([]);
    }
  });

  it("an item with another title is the same item", () => {
    const conversation = started()
      .user("Build it.")
      .tool("TodoWrite", todos(["Write the parser", "in_progress"], ["Publish", "pending"]), "ok")
      .tool("TodoWrite", todos(["Write the parser in src/parse.ts", "completed"], ["Publish", "pending"]), "ok");
    const [, second] = foldAt(conversation, [5, 7]);
    expect(states(second, "todo")).toEqual(["done: Write the parser in src/parse.ts", "open: Publish"]);
    expect(work(foldAt(conversation, [5])[0], "Publish")).toMatchObject({
      status: "asked",
      context: "not finished at that point",
    });
  });

  it("what the list says of an item holds: cancelled by the agent, done", () => {
    const conversation = started()
      .user("Build it.")
      .tool("TodoWrite", todos(["Write parser", "pending"], ["Write docs", "pending"]), "ok")
      .tool("TodoWrite", todos(["Write parser", "completed"], ["Write docs", "cancelled"]), "ok");
    expect(states(foldAt(conversation, [5, 7])[1], "todo")).toEqual(["done: Write parser", "cancelled: Write docs"]);
  });

  it("tasks that a tool makes and changes one by one are known again by their number", () => {
    const conversation = started()
      .user("Build the shop.")
      .tool("TaskCreate", { subject: "Add the cart" }, "Task #1 created successfully: Add the cart")
      .tool("TaskCreate", { subject: "Add the checkout" }, "Task #2 created successfully: Add the checkout")
      .tool("TaskUpdate", { taskId: "1", status: "in_progress" }, "Updated task #1 status")
      .tool("TaskUpdate", { taskId: "1", status: "completed" }, "Updated task #1 status")
      .tool("TaskUpdate", { taskId: "2", status: "in_progress" }, "Updated task #2 status")
      .bash("npm test", "3 passed");
    for (const borders of [[15], [7, 15], [7, 9, 11, 15]])
      expect(states(foldAt(conversation, borders).at(-1), "todo")).toEqual([
        "done: Add the cart",
        "open: Add the checkout",
      ]);
    expect(states(foldAt(conversation, [7])[0], "todo")).toEqual(["asked: Add the cart", "asked: Add the checkout"]);
  });

  it("a list that only adds to the one before takes nothing off it", () => {
    const conversation = started()
      .user("Build it.")
      .tool("todo_write", todos(["Write parser", "pending"]), "ok")
      .tool("todo_write", { merge: true, ...todos(["Write docs", "pending"]) }, "ok");
    expect(states(foldAt(conversation, [5, 7])[1], "todo")).toEqual(["asked: Write parser", "open: Write docs"]);
  });

  it("a list that nobody wrote again once its turn was over lapses", () => {
    const conversation = started()
      .user("Build it.")
      .tool("TodoWrite", todos(["Write parser", "in_progress"]), "ok")
      .agent("All built.")
      .user("Paint it.")
      .agent("Painted.")
      .user("Sell it.")
      .agent("Sold.");
    const [first, second] = foldAt(conversation, [5, 10]);
    expect(states(first, "todo")).toEqual(["asked: Write parser"]);
    expect(states(second, "todo")).toEqual(["lapsed: Write parser"]);
  });

  it("a plan is given up some turns after it was proposed", () => {
    const conversation = started().user("Plan it.").tool("ExitPlanMode", { plan: "1. Read\n2. Write" }, "approved");
    for (let turn = 0; turn < 6; turn++) conversation.user(`Paint wall ${turn}.`).agent("Painted.");
    const [first, second, third] = foldAt(conversation, [5, 8, 17]);
    expect(first?.currentPlan).toEqual(["Read", "Write"]);
    expect(second?.currentPlan).toEqual(["Read", "Write"]);
    expect(third?.currentPlan).toBeNull();
  });

  it("a long list shows its first items and names the rest in one line", () => {
    const many = todos(...Array.from({ length: 30 }, (_, index): [string, string] => [`Step ${index}`, "pending"]));
    const conversation = started().user("Build it.").tool("TodoWrite", many, "ok").tool("TodoWrite", many, "ok");
    for (const summary of foldAt(conversation, [5, 7])) {
      expect(states(summary, "todo")).toHaveLength(11);
      expect(work(summary, "20 more")?.description).toMatch(/^20 more: Step 10; Step 11; /);
    }
  });
});

describe("errors over folds", () => {
  const failing = (): Conversation =>
    started().user("Build it.").bash("npm run build", "error TS2304: Cannot find name 'x'.", 2);
  const resolution = (summary: StructuredSummary | undefined) => summary?.errors[0]?.resolution;

  it("an error that no later turn shows again is not called unresolved for ever", () => {
    const conversation = failing().agent("I built it another way.").user("Paint it.").agent("Painted.");
    const [first, second] = foldAt(conversation, [5, 8]);
    expect(resolution(first)).toBeNull();
    expect(resolution(second)).toBe("not seen again in later turns");
  });

  it.each([
    ["read", "File does not exist.", "src/of/week.ts", "only looked for"],
    ["edit", "String to replace not found in file.", "src/week.ts", null],
  ])("of a call that went well in a later fold is told no more: %s", (tool, error, path, open) => {
    const conversation = started().user("Build it.").tool(tool, { path: "src/week.ts" }, error, "failure");
    conversation.tool(tool, { path }, "export {};");
    const [first, second] = foldAt(conversation, [5, 7]);
    expect(resolution(first)).toBe(open);
    expect(second?.errors).toEqual([]);
  });

  it("one that comes back is unresolved again", () => {
    const conversation = failing().agent("I gave up.").user("Paint it.").agent("Painted.");
    conversation.user("Build it again.").bash("npm run build", "error TS2304: Cannot find name 'x'.", 2);
    const summaries = foldAt(conversation, [5, 8, 11]);
    expect(summaries.map(resolution)).toEqual([null, "not seen again in later turns", null]);
  });
});

/** A turn of a conversation: how the agent ended it, and what the user said to that. */
interface Turn {
  readonly steps: number;
  readonly end: "done" | "answer" | "setback" | "question" | "none";
  readonly thanks: boolean;
  /** Items of a to-do list that the agent writes in the turn and never finishes. */
  readonly todos: number;
}

const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    steps: fc.nat(3),
    end: fc.constantFrom<Turn["end"]>("done", "done", "answer", "setback", "question", "none"),
    thanks: fc.boolean(),
    todos: fc.oneof(fc.constant(0), fc.nat(14)),
  }),
  { minLength: 1, maxLength: 30 },
);

/** What is true of one request of a generated conversation. */
interface Told {
  /** Words by which its work item is found. */
  readonly request: string;
  readonly asked: number;
  /** How many messages there were when its closing answer was said; null without one. */
  readonly closed: number | null;
}

const ENDS: Readonly<Record<Exclude<Turn["end"], "none">, (index: number) => string>> = {
  done: (index) => `Done. Part ${index} is implemented and all tests pass.`,
  answer: (index) => `The file of part ${index} is src/part-${index}.ts, as the manual has it.`,
  setback: (index) => `I was unable to build part ${index} on this machine.`,
  question: (index) => `Which colour should part ${index} have?`,
};

function written(list: readonly Turn[]): { readonly conversation: Conversation; readonly told: readonly Told[] } {
  const conversation = new Conversation();
  const wordsOf = (index: number): string =>
    index === 0 ? "The original task" : `Please look after part number ${index} of the shop.`;
  const told: Told[] = [];
  const length = () => conversation.messages.length;
  list.forEach(({ steps, end, thanks, todos }, index) => {
    conversation.user(`Please look after part number ${index} of the shop.`);
    const request = wordsOf(index);
    const asked = length();
    for (let step = 0; step < steps; step++) conversation.bash(`npm run step-${index}-${step}`, "ok");
    if (todos > 0) {
      const items = Array.from({ length: todos }, (_, item) => ({
        content: `Todo ${index}-${item}`,
        status: "pending",
      }));
      conversation.tool("TodoWrite", { todos: items }, "ok");
    }
    if (end !== "none") conversation.agent(ENDS[end](index));
    told.push({ request, asked, closed: end === "done" || end === "answer" ? length() : null });
    if (thanks && (end === "done" || end === "answer")) conversation.user("Great, thanks!").agent("You are welcome.");
  });
  return { conversation, told };
}

/** Turns before a long list of to-do items, and a fold of few messages behind it, with little room. */
const CROWDED: [readonly Turn[], number[], number] = [
  [
    { steps: 3, end: "setback", thanks: false, todos: 1 },
    { steps: 3, end: "done", thanks: false, todos: 0 },
    { steps: 0, end: "answer", thanks: true, todos: 0 },
    { steps: 1, end: "done", thanks: false, todos: 0 },
    { steps: 3, end: "done", thanks: false, todos: 0 },
    { steps: 3, end: "done", thanks: true, todos: 0 },
    { steps: 1, end: "setback", thanks: false, todos: 1 },
    { steps: 1, end: "setback", thanks: false, todos: 11 },
    { steps: 2, end: "question", thanks: false, todos: 0 },
    { steps: 0, end: "done", thanks: false, todos: 0 },
    { steps: 0, end: "done", thanks: true, todos: 1 },
  ],
  [58, 62],
  600,
];

const folds = fc.tuple(turns, fc.array(fc.nat(), { minLength: 1, maxLength: 8 }), fc.integer({ min: 600, max: 3_000 }));

describe("laws of work over folds", () => {
  const eachFold = (
    check: (summary: StructuredSummary, border: number, told: readonly Told[], length: number) => void,
  ) =>
    fc.assert(
      fc.property(folds, ([list, cuts, maxTokens]) => {
        const { conversation, told } = written(list);
        const { length } = conversation.messages;
        const borders = [...new Set(cuts.map((cut) => 1 + (cut % length)))].sort((a, b) => a - b);
        foldAt(conversation, borders, { maxTokens }).forEach((summary, index) =>
          check(summary, borders[index] as number, told, length),
        );
      }),
      { ...runs(100, 6_000), examples: [[CROWDED]] },
    );

  it("no request is unsettled whose closing answer was folded, wherever the borders of the folds fell", () => {
    eachFold((summary, border, told) => {
      for (const { request, closed } of told)
        if (closed !== null && closed <= border)
          expect(["done", undefined], request).toContain(work(summary, request)?.status);
    });
  });

  it("the newest request is never done without an answer: it is open, or its answer lies behind the fold", () => {
    eachFold((summary, border, told, length) => {
      const { request, closed } = told.findLast(({ asked }) => asked <= border) ?? { request: "none", closed: 0 };
      if (closed !== null && closed <= border) return;
      const status = work(summary, request)?.status;
      expect(["open", "asked"], request).toContain(status);
      if (border === length) expect(status).toBe("open");
    });
  });

  it("no more than so much work is ever shown as unsettled", () => {
    eachFold((summary) => {
      const unsettled = summary.openItems.filter(({ status }) => status === "open" || status === "asked");
      expect(unsettled.length).toBeLessThanOrEqual(MAX_UNSETTLED);
    });
  });

  it("the newest closed request always stands in the summary, with what the agent said of it", () => {
    eachFold((summary, border, told) => {
      const newest = told.findLast(({ closed }) => closed !== null && closed <= border);
      if (newest === undefined) return;
      const item = work(summary, newest.request);
      expect(item?.status).toBe("done");
      expect(item?.context).toMatch(
        /^(?:in reply to "[^"]+": )?(?:Done\. Part \d+ is implemented|The file of part \d+ is)/,
      );
    });
  });
});

/** What users and agents say in one language, with ` | ` between; `#` stands for the number of what is asked. */
type Sayings = Readonly<
  Record<"asks" | "done" | "failed" | "questions" | "yes" | "thanks" | "takesBack" | "comesBack", string>
>;

const SAYINGS: Readonly<Record<string, Sayings>> = {
  en: {
    asks: "Please look after part number # of the shop. | Could you take care of section number # of the guide?",
    done: "Done. Part # is implemented and all tests pass. | I've added part #. | Section # is finished, see guide.md. | All set: section # has been written.",
    failed:
      "I was unable to build part # on this machine. | Part # still doesn't work because the key is missing. | I wasn't able to finish section #; the source is gone. | Section # could not be rendered here.",
    questions: "Which colour should part # have, red or blue? | Should section # come before the appendix?",
    yes: "Yes, go ahead. | yes please | Sounds good, do it. | Yeah, do that. | sure, go for it | Right, please continue.",
    thanks:
      "Great, thanks! | Thanks a lot, that's perfect. | Awesome, works like a charm! | Thank you so much! | Nice, works now. | ok great, love it | wow, everything works | omg you are a wizard! | yo | haha nice one, holy cow",
    takesBack: "Never mind. | Forget that, we don't need it. | forget it | Actually, cancel that.",
    comesBack:
      "I don't understand, how does it do that? | No, not that, I meant the footer. | That's not what I asked for, I meant the other page. | Hm, it's still broken on mobile. | That's wrong, the order should be the other way round. | You missed the title. | I meant the one in the annex.",
  },
  de: {
    asks: "Bitte kümmere dich um Teil Nummer # des Ladens. | Kannst du dich um Abschnitt Nummer # der Anleitung kümmern?",
    done: "Erledigt. Teil # ist umgesetzt und alle Tests sind grün. | Ich habe Teil # eingebaut. | Abschnitt # ist fertig, siehe anleitung.md. | Alles erledigt: Abschnitt # steht.",
    failed:
      "Ich konnte Teil # auf diesem Rechner nicht bauen. | Teil # funktioniert noch nicht, weil der Schlüssel fehlt. | Leider ist es mir nicht gelungen, Abschnitt # fertigzustellen. | Abschnitt # ließ sich nicht erzeugen, das klappt nicht.",
    questions: "Welche Farbe soll Teil # haben, Rot oder Blau? | Soll Abschnitt # vor dem Anhang stehen?",
    yes: "Ja, mach das. | ja bitte | Klingt gut, mach. | Gerne, leg los. | klar, mach weiter | Genau, bitte.",
    thanks:
      "Super, vielen Dank! | Danke dir, passt perfekt. | Klasse, funktioniert! | Herzlichen Dank! | Prima, läuft. | sehr gut, danke",
    takesBack: "Ach, vergiss es. | Lass das doch, brauchen wir nicht mehr. | egal, vergiss das | Hat sich erledigt.",
    comesBack:
      "Das verstehe ich nicht. | Nein, nicht das, ich meinte die Fußzeile. | Das ist nicht, was ich wollte, ich meinte die andere Seite. | Hm, auf dem Handy ist es immer noch kaputt. | Das stimmt nicht, die Reihenfolge ist falsch. | Nein, nicht so. | Ich meinte den im Anhang.",
  },
  fr: {
    asks: "Occupe-toi de la partie numéro # de la boutique. | Peux-tu t'occuper de la section numéro # du guide ?",
    done: "C'est fait. La partie # est en place et tous les tests passent. | J'ai ajouté la partie #. | La section # est terminée, voir guide.md. | C'est bon, la section # a été créée.",
    failed:
      "Je n'ai pas réussi à construire la partie # sur cette machine. | La partie # ne fonctionne toujours pas, car la clé manque. | Malheureusement je n'arrive pas à finir la section #. | Il m'a été impossible de générer la section #.",
    questions:
      "De quelle couleur doit être la partie #, rouge ou bleue ? | La section # doit-elle venir avant l'annexe ?",
    yes: "Oui, vas-y. | oui s'il te plaît | Ça me va, fais-le. | D'accord, continue. | ouais, fais-le | Exactement, merci.",
    thanks:
      "Super, merci beaucoup ! | Merci, c'est parfait. | Génial, ça marche ! | Merci bien, très bien ! | Nickel, ça marche. | parfait merci",
    takesBack: "Laisse tomber. | Oublie, on n'en a plus besoin. | annule | Oublie ça, ce n'est plus la peine.",
    comesBack:
      "Je ne comprends pas. | Non, pas ça, je parlais du pied de page. | Ce n'est pas ce que j'ai demandé, je voulais dire l'autre page. | Hm, c'est toujours cassé sur mobile. | C'est faux, l'ordre est inversé. | Même problème qu'avant. | Je voulais dire celle de l'annexe.",
  },
  es: {
    asks: "Por favor, encárgate de la parte número # de la tienda. | ¿Puedes ocuparte de la sección número # de la guía?",
    done: "Listo. La parte # está implementada y todas las pruebas pasan. | He añadido la parte #. | La sección # está terminada, mira guia.md. | Todo listo: la sección # ya está creada.",
    failed:
      "No he podido construir la parte # en esta máquina. | La parte # sigue sin funcionar porque falta la clave. | Lo siento, no conseguí terminar la sección #. | No fue posible generar la sección #.",
    questions: "¿De qué color debe ser la parte #, rojo o azul? | ¿La sección # va antes del apéndice?",
    yes: "Sí, adelante. | sí, por favor | Me parece bien, hazlo. | Vale, continúa. | claro, hazlo | Exacto, por favor.",
    thanks:
      "¡Genial, muchas gracias! | Gracias, está perfecto. | ¡Estupendo, funciona! | Mil gracias. | Muy bien, ya funciona. | perfecto, gracias",
    takesBack: "Olvídalo. | Déjalo, ya no lo necesitamos. | déjalo | Cancela eso.",
    comesBack:
      "No lo entiendo. | No, eso no, me refería al pie de página. | Eso no es lo que pedí, quería decir la otra página. | Mm, sigue roto en el móvil. | Está mal, el orden es al revés. | El mismo error de antes. | Quería decir la del apéndice.",
  },
  pt: {
    asks: "Por favor, cuide da parte número # da loja. | Você pode cuidar da seção número # do guia?",
    done: "Pronto. A parte # está implementada e todos os testes passam. | Adicionei a parte #. | A seção # está concluída, veja guia.md. | Tudo pronto: a seção # foi criada.",
    failed:
      "Não consegui construir a parte # nesta máquina. | A parte # ainda não funciona porque falta a chave. | Infelizmente não pude terminar a seção #. | Não foi possível gerar a seção #.",
    questions: "De que cor deve ser a parte #, vermelha ou azul? | A seção # vem antes do apêndice?",
    yes: "Sim, pode fazer. | sim, por favor | Parece bom, faça isso. | Beleza, continue. | claro, pode continuar | Isso, por favor.",
    thanks:
      "Ótimo, muito obrigado! | Obrigada, ficou perfeito. | Show, funcionou! | Valeu! | Muito bom, funcionou. | perfeito, obrigado",
    takesBack: "Deixa pra lá. | Esquece isso, não precisamos mais. | deixa | Cancela isso.",
    comesBack:
      "Não entendi. | Não, isso não, eu quis dizer o rodapé. | Não foi isso que eu pedi, eu me referia à outra página. | Hm, continua quebrado no celular. | Está errado, a ordem é ao contrário. | O mesmo erro de antes. | Eu me referia à do apêndice.",
  },
  ru: {
    asks: "Пожалуйста, займись частью номер # магазина. | Можешь заняться разделом номер # руководства?",
    done: "Готово. Часть # реализована, все тесты проходят. | Я добавил часть #. | Раздел # готов, смотри guide.md. | Всё сделано: раздел # создан.",
    failed:
      "Не удалось собрать часть # на этой машине. | Часть # всё ещё не работает, потому что нет ключа. | К сожалению, я не смог закончить раздел #. | Раздел # не получилось собрать.",
    questions: "Какого цвета должна быть часть #, красная или синяя? | Раздел # должен стоять перед приложением?",
    yes: "Да, давай. | да, пожалуйста | Звучит хорошо, делай. | Ага, продолжай. | конечно, делай | Верно, пожалуйста.",
    thanks:
      "Отлично, большое спасибо! | Спасибо, то что надо. | Супер, работает! | Благодарю! | Супер, всё работает. | идеально, спасибо",
    takesBack: "Забудь. | Не надо, это уже не нужно. | отмена | Неважно, забудь об этом.",
    comesBack:
      "Я не понимаю. | Нет, не это, я имел в виду подвал страницы. | Это не то, что я просил, я про другую страницу. | Хм, на телефоне всё ещё сломано. | Это неправильно, порядок другой. | Та же ошибка, что и раньше. | Я имела в виду тот, что в приложении.",
  },
  zh: {
    asks: "请处理商店的第#部分。 | 能不能处理一下指南的第#章？",
    done: "完成。第#部分已经实现，所有测试都通过了。 | 我已经添加了第#部分。 | 第#章已完成，见 guide.md。 | 搞定了，第#章已创建。",
    failed:
      "我无法在这台机器上构建第#部分。 | 第#部分还是不能用，因为缺少密钥。 | 抱歉，第#章没能写完。 | 第#章生成失败了，没有成功。",
    questions: "第#部分应该用什么颜色，红色还是蓝色？ | 第#章要放在附录前面吗？",
    yes: "好的，继续。 | 可以，做吧 | 没问题，就这么办。 | 嗯，继续吧。 | 对，请继续 | 同意，开始吧。",
    thanks: "太好了，谢谢！ | 多谢，完美。 | 很棒，可以用了！ | 非常感谢！ | 很好，可以用了。 | 完美，辛苦了",
    takesBack: "算了。 | 不用了，我们不需要它了。 | 取消 | 不需要了。",
    comesBack:
      "我不明白。 | 不，不是这个，我指的是页脚。 | 这不是我要的，我说的是另一个页面。 | 嗯，手机上还是坏的。 | 不对，顺序反了。 | 还是同样的错误。 | 我说的是附录里的那个。",
  },
  ja: {
    asks: "ショップのパート#をお願いします。 | ガイドの第#章を担当してもらえますか？",
    done: "完了しました。パート#を実装し、すべてのテストが通りました。 | パート#を追加しました。 | 第#章は完了です。guide.mdをご覧ください。 | 第#章を作成しました。",
    failed:
      "このマシンではパート#をビルドできませんでした。 | 鍵がないため、パート#はまだ動作しません。 | 申し訳ありませんが、第#章は完成できませんでした。 | 第#章の生成に失敗しました。",
    questions: "パート#の色は赤と青のどちらにしますか？ | 第#章は付録の前に置きますか？",
    yes: "はい、お願いします。 | はい、進めてください | いいですね、やってください。 | うん、続けて。 | 了解、お願いします | もちろん、どうぞ。",
    thanks:
      "素晴らしい、ありがとうございます！ | ありがとう、完璧です。 | 助かりました！ | どうもありがとうございました！ | 最高です、動きました。 | いい感じです、助かります",
    takesBack: "やっぱりいいです。 | それは忘れてください、もう不要です。 | キャンセルで | やっぱりやめます。",
    comesBack:
      "よくわかりません。 | いいえ、それではなく、フッターのことです。 | 頼んだのはそれじゃなくて、別のページです。 | うーん、スマホではまだ壊れています。 | 間違っています、順番が逆です。 | 同じエラーが出ます。 | 違います、付録の方です。",
  },
  ko: {
    asks: "쇼핑몰의 #번 부분을 맡아 주세요. | 안내서의 #번 절을 처리해 줄 수 있나요?",
    done: "완료했습니다. #번 부분을 구현했고 모든 테스트가 통과했습니다. | #번 부분을 추가했습니다. | #번 절을 끝냈습니다. guide.md를 보세요. | #번 절을 작성했습니다.",
    failed:
      "이 컴퓨터에서는 #번 부분을 빌드하지 못했습니다. | 키가 없어서 #번 부분은 아직 동작하지 않습니다. | 죄송하지만 #번 절을 완성할 수 없었습니다. | #번 절을 만드는 데 실패했습니다.",
    questions: "#번 부분의 색은 빨강과 파랑 중 무엇으로 할까요? | #번 절을 부록 앞에 둘까요?",
    yes: "네, 진행해 주세요. | 네 부탁드려요 | 좋아요, 그렇게 해 주세요. | 응, 계속해. | 알겠어요, 진행하세요 | 물론이죠, 계속해 주세요.",
    thanks:
      "좋아요, 감사합니다! | 고마워요, 완벽해요. | 훌륭해요, 잘 돼요! | 정말 감사합니다! | 좋네요, 이제 잘 됩니다. | 최고예요, 고마워요",
    takesBack: "아니에요, 됐어요. | 그건 잊어 주세요, 이제 필요 없어요. | 취소해 주세요 | 필요 없어졌어요.",
    comesBack:
      "이해가 안 돼요. | 아니요, 그게 아니라 푸터 말이에요. | 제가 부탁한 게 아니에요, 다른 페이지를 말한 거예요. | 음, 모바일에서는 여전히 깨져요. | 틀렸어요, 순서가 반대예요. | 같은 오류가 나요. | 부록에 있는 걸 말한 거예요.",
  },
  ar: {
    asks: "من فضلك اهتم بالجزء رقم # من المتجر. | هل يمكنك الاهتمام بالقسم رقم # من الدليل؟",
    done: "تم. نُفّذ الجزء # وكل الاختبارات ناجحة. | أضفت الجزء #. | اكتمل القسم #، انظر guide.md. | تم الانتهاء من القسم #.",
    failed:
      "لم أتمكن من بناء الجزء # على هذا الجهاز. | الجزء # لا يعمل بعد لأن المفتاح ناقص. | للأسف لم أستطع إكمال القسم #. | فشلت في إنشاء القسم #.",
    questions: "ما لون الجزء #، أحمر أم أزرق؟ | هل يأتي القسم # قبل الملحق؟",
    yes: "نعم، تابع. | نعم من فضلك | حسنًا، افعل ذلك. | أجل، استمر. | موافق، تفضل | طبعًا، تابع.",
    thanks: "ممتاز، شكرًا! | شكرًا جزيلًا، مثالي. | رائع، يعمل الآن! | شكرًا لك! | جميل، يعمل. | تمام شكرًا",
    takesBack: "انس الأمر. | لا داعي لذلك، لم نعد نحتاجه. | إلغاء | غيرت رأيي.",
    comesBack:
      "لا أفهم. | لا، ليس هذا، قصدت التذييل. | ليس هذا ما طلبته، قصدت الصفحة الأخرى. | ما زال معطلًا على الهاتف. | هذا خطأ، الترتيب معكوس. | نفس الخطأ يظهر. | قصدت الذي في الملحق.",
  },
};

type Course = "done" | "thanked" | "agreed" | "failed" | "taken-back" | "come-back";

/** A request of a long session, how it ended, and when that was said, as a number of messages. */
interface Ended {
  readonly request: string;
  readonly course: Course;
  readonly at: number;
}

/** A session in one language: requests with their courses, and what users said that asks for nothing. */
function session(says: Sayings, courses: readonly (readonly [Course, number])[]) {
  const conversation = new Conversation().user("🏁").agent("🙂");
  const ended: Ended[] = [];
  const asksNothing: string[] = [];
  courses.forEach(([course, choice], index) => {
    const say = (kind: keyof Sayings): string => {
      const sayings = says[kind].split(" | ");
      return (sayings[choice % sayings.length] as string).replace("#", String(index + 1));
    };
    const asksForNothing = (kind: keyof Sayings): string => {
      asksNothing.push(say(kind));
      return say(kind);
    };
    conversation.user(say("asks")).bash(`make part-${index}`, "ok");
    if (course === "taken-back") conversation.user(asksForNothing("takesBack"));
    else if (course === "agreed")
      conversation.agent(say("questions")).user(asksForNothing("yes")).bash(`make ${index}`, "ok").agent(say("done"));
    else if (course === "come-back")
      conversation.agent(say("done")).user(say("comesBack")).bash(`make ${index}`, "ok").agent(say("failed"));
    else conversation.agent(say(course === "failed" ? "failed" : "done"));
    ended.push({ request: say("asks"), course, at: conversation.messages.length });
    if (course === "thanked") conversation.user(asksForNothing("thanks")).agent("🙂");
  });
  return { conversation, ended, asksNothing: new Set(asksNothing) };
}

const STATES: Readonly<Record<Course, readonly OpenItem["status"][]>> = {
  done: ["done"],
  thanked: ["done"],
  agreed: ["done"],
  failed: ["open", "lapsed"],
  "taken-back": ["cancelled"],
  // What failed at last is open; only a later request may go on with it.
  "come-back": ["open", "asked", "lapsed"],
};

describe("requests in the languages of users", () => {
  const courses = fc.array(
    fc.tuple(fc.constantFrom<Course>("done", "thanked", "agreed", "failed", "taken-back", "come-back"), fc.nat(11)),
    { minLength: 20, maxLength: 60 },
  );

  it.each(Object.entries(SAYINGS))("stand where they stand, over many folds of a long session: %s", (_, says) => {
    fc.assert(
      fc.property(courses, fc.integer({ min: 4, max: 40 }), (list, every) => {
        const { conversation, ended, asksNothing } = session(says, list);
        const { length } = conversation.messages;
        const borders = [
          ...Array.from({ length: Math.floor(length / every) }, (_, index) => (index + 1) * every),
          length,
        ];
        foldAt(conversation, [...new Set(borders)], { maxTokens: 3_000 }).forEach((summary, index) => {
          for (const { description, status, kind } of summary.openItems) {
            if (kind !== "request") continue;
            expect(asksNothing.has(description), description).toBe(false);
            const end = ended.find(({ request }) => request === description);
            if (end === undefined || end.at > (borders[index] as number)) continue;
            expect(STATES[end.course], `${end.course}: ${description}`).toContain(status);
          }
        });
      }),
      runs(5, 60),
    );
  });
});

describe("a short message of a user's", () => {
  /** Whether a message counts as a request, when the agent had just said that it was done. */
  const asks = (text: string): boolean => {
    const conversation = started()
      .user("Add a cart.")
      .bash("npm test", "3 passed")
      .agent("The cart is there, with tests.");
    const [summary] = foldAt(conversation.user(text).bash("ls", "src").user("Now the checkout."), [8]);
    return states(summary, "request").some((told) => told.includes(text));
  };

  it.each(
    [
      "Looks good, thanks for that! | Yes, that's right | Yup, all good | Okay cool, carry on | Scrap that. | no longer needed",
      "Ja, genau so. | Sieht super aus, danke! | Danke, das war's | Lass gut sein. | egal, vergiss das | Brich ab.",
      "Oui, c'est ça. | Merci, ça fonctionne ! | Parfait, merci pour ton aide | Non, laisse tomber. | annule",
      "Todo bien, gracias. | Perfecto, así está bien | Dale, gracias | déjalo | Ya no hace falta, gracias.",
      "Sim, isso mesmo. | Tudo certo! | Maravilha, obrigado! | Deixa pra lá. | Não é mais necessário.",
      "Да, всё верно. | Спасибо за помощь! | Да, именно так | Забудь. | Уже не надо, спасибо.",
      "对，就是这样 | 谢谢你的帮助！ | 太棒了，就这样 | 算了。 | 不需要了，谢谢",
      "はい、その通りです | ありがとう、これで大丈夫です | はい、問題ありません | やっぱりやめておきます。",
      "네, 맞아요 | 감사합니다, 이제 됐어요 | 좋습니다! | 됐어요, 괜찮아요. | 필요 없어요, 고마워요",
      "نعم، هذا صحيح | شكرًا على المساعدة! | ممتاز، هكذا تمامًا | انس الأمر. | لا داعي، شكرًا",
    ].flatMap((line) => line.split(" | ")),
  )("asks for nothing: %s", (text) => expect(asks(text)).toBe(false));

  it.each(
    [
      "It is all for the help page | Good, now fix the header | Show me how it works | Cancel button to the left",
      "Ja, aber mach den Rand schmaler | Mach das Menü links | Lass das Menü links. | Das ist für die Seite",
      "Merci, ajoute aussi un test. | Oublie la marge, mets 8px. | Sí, pero cambia el color | Gracias, ahora el menú.",
      "Deixa o menu à esquerda. | Obrigado, agora o menu. | Да, но поменяй цвет | Не забудь добавить тест.",
      "好的，但是改一下颜色 | 取消按钮放左边 | 谢谢，再加个测试 | はい、でも色を変えて | 忘れないでテストを追加して",
      "네, 하지만 색을 바꿔 주세요 | 고마워요, 테스트도 추가해 주세요 | 취소 버튼은 왼쪽에 두세요 | 잊지 말고 테스트를 추가해 주세요",
      "نعم، لكن غيّر اللون | شكرًا، أضف اختبارًا أيضًا | زر الإلغاء إلى اليسار | لا تنس إضافة اختبار",
    ].flatMap((line) => line.split(" | ")),
  )("asks for something: %s", (text) => expect(asks(text)).toBe(true));
});

describe("what an answer says of its request", () => {
  const answered = (answer: string): StructuredSummary =>
    summaryOf(started().user("Fix the button.").bash("npm test", "3 passed").agent(answer).user("Next: the footer."))
      .summary;

  it.each([
    "I removed the overflow, the button is visible. If it still doesn't show up, clear the cache.",
    "Der Überlauf ist entfernt. Falls er noch nicht sichtbar ist, leere den Cache.",
    "I fixed the button. Does it work on your phone, or is it still not visible?",
    "Root cause: the parent had failed to grow. I fixed the overflow of the button.",
    "I fixed the overflow, which is why the button could not be clicked.",
  ])("a setback in a condition, a cause or a question does not leave it open: %s", (answer) => {
    expect(work(answered(answer), "Fix the button")?.status).toBe("done");
  });

  it.each([
    "I could not find the button if it is rendered by a portal.",
    "No se pudo arreglar el botón.",
    "I moved the button. It still fails in one test.",
  ])("a setback that happened leaves it open: %s", (answer) => {
    expect(work(answered(answer), "Fix the button")?.status).toBe("open");
  });

  it.each([
    "The lockfile should be committed with the change. The overflow comes from the parent's width.",
    "The parent is squash-merged before the release. The overflow comes from the parent's width.",
    "No code commit was created by the hook. The overflow comes from the parent's width.",
    "The label says `status: completed` there. The overflow comes from the parent's width.",
  ])("what is to be done, a part of a word and a quoted word do not say that it is done: %s", (answer) => {
    expect(work(answered(`I looked at all of its styles. ${answer}`), "Fix the button")?.context).toMatch(/^I looked/);
  });

  it.each([
    "Here is the plan for the button. Please confirm if you would like to proceed.",
    "Would you like me to:\n\n1. Remove the overflow\n2. Widen the parent\n\nLet me know how you'd like to proceed.",
    "ボタンの計画は以下の通りです。内容をご確認ください。どちらがよいか教えてください。",
  ])("the agent asks without a question mark: %s", (answer) => {
    const { summary } = summaryOf(started().user("Fix the button.").agent(answer));
    expect(states(summary, "question")).not.toEqual([]);
  });

  it("an offer to hear of failures is no question, nor is a heading above an explanation", () => {
    const answer =
      "## When should you use a route?\nUse it for each page. I fixed the button. Let me know if it fails.";
    expect(states(summaryOf(started().user("Fix the button.").agent(answer)).summary, "question")).toEqual([]);
  });

  it.each([
    "Here are the details: JG7FMM, business to economy. Please confirm if you would like me to proceed.",
    "Here are your reservations: JG7FMM and LQ940Q. Let me know which one you'd like to modify.",
    "To get started, please provide your email address and your zip code.",
    "Here is what I would change. Once you confirm, I'll proceed with the downgrade.",
    "Here are the fares of both flights. Would you like to proceed with this option?",
    "Hier ist die Liste, sie ist fertig. Bitte bestätigen Sie, dass ich sie so buchen soll.",
    "La liste est prête, voici le détail. Tu confirmes ?",
  ])("one that waits for the user's word has not done it: %s", (answer) => {
    const conversation = started().user("Downgrade all my flights.").tool("get_flights", {}, "JG7FMM").agent(answer);
    const { summary } = summaryOf(conversation.user("Fine, but only the first one of them."));
    expect(work(summary, "Downgrade")?.status).toBe("open");
  });

  it("one that hands something over and offers more has done it", () => {
    const answer = "Here are the five slowest queries. Would you like me to add an index for the first?";
    expect(work(answered(answer), "Fix the button")?.status).toBe("done");
  });

  it.each([
    "The refund goes to your card. Is there anything else I can help you with?",
    "Both will be sent to Seattle. Anything else?",
    "Die Adresse ist jetzt Kiel. Kann ich sonst noch etwas für Sie tun?",
    "L'adresse est maintenant Lyon. Puis-je faire autre chose pour vous ?",
    "La dirección ahora es Lima. ¿Puedo ayudarle en algo más?",
    "Адрес теперь Казань. Могу ли я помочь чем-нибудь ещё?",
    "地址现在是上海。还有什么可以帮您的吗？",
    "住所は大阪です。他に何かお手伝いできることはありますか？",
  ])("an offer to do anything else is no question about the work: %s", (answer) => {
    const conversation = started().user("Fix the address.").tool("set_address", {}, "{}").agent(answer);
    expect(states(summaryOf(conversation).summary, "question")).toEqual([]);
    const { summary } = summaryOf(conversation.user("How late is it in Lagos now?"));
    expect(work(summary, "Fix the address")).toMatchObject({
      status: "done",
      context: answer.split(/(?<=[.。]) ?/)[0],
    });
  });

  it("what somebody blocked on purpose is no setback, and what is blocked or not allowed is", () => {
    const status = (answer: string): string | undefined => work(answered(answer), "Fix the button")?.status;
    expect(status("I blocked 185.220.0.0/16 for thirty days and the page answers again.")).toBe("done");
    expect(status("The deployment is blocked by the linter.")).toBe("open");
    expect(status("I'm not allowed to patch the autoscaler in this namespace.")).toBe("open");
  });

  it("one that is done but for a part says both", () => {
    const answer = "Done: the bot runs behind the webhook. The certificate is not yet renewed by itself.";
    expect(work(answered(answer), "Fix the button")).toMatchObject({ status: "open", context: answer });
  });

  it("a short reply is told with the question that it answers", () => {
    const conversation = started()
      .user("Scale the resizer to six.")
      .tool("scale", { replicas: 6 }, "scaled")
      .agent("Scaled to six. Shall I raise the maximum of the autoscaler to 8?")
      .user("only to 7")
      .tool("patch", { maxReplicas: 7 }, "patched")
      .agent("The autoscaler allows seven replicas now.")
      .user("Now the documentation of it.");
    const told =
      'in reply to "Shall I raise the maximum of the autoscaler to 8?": The autoscaler allows seven replicas now.';
    for (const borders of [[11], [8, 11], [10, 11]])
      expect(work(foldAt(conversation, borders).at(-1), "only to 7")).toMatchObject({ status: "done" });
    expect(work(foldAt(conversation, [11])[0], "only to 7")?.context).toBe(told);
  });

  it("what came of work that goes on is kept for when it is over", () => {
    const conversation = started()
      .user("Commit the change and add an alert.")
      .bash("gh pr create --fill", "pull/812")
      .agent("Pull request #812 is open and the alert is applied.")
      .user("It still fails in the staging cluster, look there too.")
      .bash("kubectl get pods", "none")
      .agent("Fixed in the staging cluster.")
      .user("Next: the footer.");
    const [first, second] = foldAt(conversation, [8, 10]);
    expect(work(first, "Commit the change")).toMatchObject({
      status: "asked",
      context: "Pull request #812 is open and the alert is applied. (its outcome comes after this summary)",
    });
    expect(work(second, "Commit the change")).toMatchObject({
      status: "done",
      context: "Pull request #812 is open and the alert is applied.",
    });
  });

  it("a long answer that is cut loses whole sentences, so that none says the contrary", () => {
    const rule = "You must not drop the table `audit_log` before the migration.";
    const answer = `${`${rule} `.repeat(15)}\n`.repeat(4);
    for (let cut = 0; cut < 70; cut++)
      expect(new Set(sentencesOf(answer, 1_600 + cut, 700 + cut).map(({ text }) => text))).toEqual(new Set([rule]));
  });

  it("a table in the answer that ends a turn is told row by row", () => {
    const answer = "| Route | Latency |\n|---|---|\n| /checkout/payment | 812 ms at the 99th percentile |";
    const { summary } = summaryOf(started().user("Which route is slow?").agent(`I measured the routes.\n\n${answer}`));
    const facts = summary.facts.map(({ text }) => text).join("\n");
    expect(facts).toContain("812 ms at the 99th percentile");
    expect(facts).not.toContain("| Route |");
  });

  it.each(["hello", "Hi there!", "Guten Morgen", "你好", "こんにちは"])("a greeting is no task: %s", (greeting) => {
    const { summary } = summaryOf(new Conversation().user(greeting).agent("Hello! How can I help?").user("Fix a.ts."));
    expect(summary.originalTask?.text).toBe("Fix a.ts.");
  });

  it.each(["API Error: 529 Overloaded", "Claude usage limit reached", "Prompt is too long", "Request timed out"])(
    "what the harness reports in the agent's place is no answer: %s",
    (answer) => {
      const { summary } = summaryOf(started().user("Fix the button of the shop.").agent(answer));
      expect(work(summary, "Fix the button")?.status).toBe("open");
    },
  );

  it.each([
    "お任せします",
    "up to you",
    "entscheide du",
    "comme tu veux",
    "你决定",
    "lanjutkan",
    "kontynuuj",
    "va bene",
  ])("the user leaves the choice to the agent: %s", (reply) => {
    const conversation = started().user("Fix the button.").agent("Shall I widen the parent of it?").user(reply);
    const { summary } = summaryOf(conversation.bash("npm test", "3 passed"));
    expect(states(summary, "request").at(-1)).toBe("open: Fix the button.");
  });

  it.each([
    "Ich beginne mit der Datei src/button.ts und ihren Stilen.",
    "Nun lese ich die Datei src/button.ts und ihre Stile.",
    "Je commence par le fichier src/button.ts et ses styles.",
    "Vamos a ver el archivo src/button.ts y sus estilos ahora.",
    "src/button.tsのスタイルを確認します。",
    "Lo corrijo y lanzo otra vez las pruebas de src/button.ts.",
    "Ahora creo los estilos en src/button.ts y los pruebo.",
    "Te aviso cuando src/button.ts tenga sus estilos.",
    "Je corrige src/button.ts et je relance les tests.",
    "Ich korrigiere src/button.ts und starte die Tests neu.",
    "Исправляю src/button.ts и запускаю тесты.",
    "现在生成 src/button.ts 的样式。",
    "정리한 뒤 src/button.ts를 수정하겠습니다.",
  ])("what the agent announces in another language is worth less than what it found: %s", (text) => {
    expect(isAnnouncement(text)).toBe(true);
  });

  it.each([
    "Todavía veo el botón cortado.",
    "Pasa lo mismo en el móvil.",
    "nao to entendendo, era pra ter apenas um botão",
    "the menu isnt where to look, look at the header",
    "You changed the wrong file.",
    "your list isn't fully accurate",
  ])("the user comes back: %s", (complaint) => {
    const conversation = started().user("Fix the button of the shop.").agent("I fixed the button.").user(complaint);
    expect(work(summaryOf(conversation).summary, "Fix the button")?.status).toBe("open");
  });

  it("a refused call that nothing was printed for when it ran later is not told as refused", () => {
    const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    for (const [tool, input] of [
      ["Bash", { command: "mv src/brain src/layer" }],
      ["Edit", { file_path: "src/a.ts", old_string: "a", new_string: "b" }],
    ] as const) {
      const conversation = started().user("Rename it.").tool(tool, input, refusal, "failure");
      expect(summaryOf(conversation).text).toContain("refused");
      conversation.user("What is in that folder?").tool(tool, input, "(Bash completed with no output)");
      expect(summaryOf(conversation).text).not.toContain("refused");
    }
  });

  it("a refused command that ran later is not told as refused", () => {
    const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const refused = started()
      .user("Publish it.")
      .tool("Bash", { command: "npm publish --tag next" }, refusal, "failure");
    const told = (conversation: Conversation): boolean =>
      summaryOf(conversation).summary.toolOutcomes.some(
        ({ errorMessage }) => errorMessage?.startsWith("refused") ?? false,
      );
    expect(told(refused)).toBe(true);
    expect(told(refused.user("Do it now.").bash("npm publish --tag next", "+ shop@1.0.0"))).toBe(false);
  });
});
