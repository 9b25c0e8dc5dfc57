// The figures that the project publishes about itself: each with the command that measures it, how they are read from
// what that command prints, and the sentence that says them.

/**
 * Figures that a run of some minutes, or hours, measures. `run` is what follows `npm run`; `read` takes them from what it
 * prints; `say` is the sentence.
 */
export const MEASURED_FIGURES = [
  {
    run: "bench:probes -- --preset=threadfold --json",
    read: (text) => lines(text)[0],
    say: ({ facts, direct, reachable }) =>
      `Of ${facts} facts that recorded agents needed late, folded to 20,000 tokens without a model, ${percent(reachable / facts)} are in the prompt or found by one search with the agent's own words; ${percent(direct / facts)} stand in the prompt itself. The search was tuned on these facts.`,
  },
  {
    run: "agents",
    read(text) {
      const hosts = tableRows(text, "host");
      const total = (column) => hosts.reduce((sum, host) => sum + Number(host[column]), 0);
      const caches = hosts.map(({ cache }) => Number.parseFloat(cache));
      return {
        hosts: hosts.length,
        calls: Math.min(...hosts.map(({ calls }) => Number(calls))),
        ...{ illegal: total("illegal"), overBudget: total("over"), withoutRule: total("norule") },
        unlike: hosts.filter(({ replayed }) => replayed !== "-" && new Set(replayed.split("/")).size > 1).length,
        ...{ leastCached: Math.min(...caches), mostCached: Math.max(...caches) },
      };
    },
    say: ({ hosts, calls, illegal, overBudget, withoutRule, unlike, leastCached, mostCached }) =>
      `A scripted agent of ${whole(calls)} calls in each of ${hosts} hosts, with rate limits, server errors, overflows and cut-off answers: ${illegal} requests illegal, ${overBudget} above the budget, ${withoutRule} without the user's rule; ${unlike === 0 ? "every one" : `but for ${unlike} ${unlike === 1 ? "host" : "hosts"}, every one`} that Threadfold recorded was rendered again to the same bytes (pi makes its requests itself); ${Math.round(leastCached)} to ${Math.round(mostCached)} % of input tokens were in a cache's reach.`,
  },
  {
    run: "matrix:wire",
    read(text) {
      const [, runs, sessions, hold] = /^(\d+) runs over (\d+) sessions: (\d+) hold/m.exec(text).map(Number);
      return { runs, sessions, hold, tooLarge: Number(/(\d+) infeasible/.exec(text)?.[1] ?? 0) };
    },
    say: ({ runs, sessions, hold, tooLarge }) =>
      `Recorded sessions × five provider formats × budgets of 100,000, 50,000, 20,000 and 8,000 tokens × all presets: ${sessions} sessions, ${whole(runs)} runs, of which ${hold === runs ? "all hold" : `${whole(hold)} hold`}: each legal, or said not to fit (${tooLarge}).`,
  },
  {
    run: "bench:resume -- --json",
    read(text) {
      const [short, long] = lines(text);
      return { messages: long.messages, slower: long.firstMs / short.firstMs, megabytes: long.megabytes };
    },
    say: ({ messages, slower, megabytes }) =>
      `Opening a session on ${whole(messages)} messages and preparing its request takes ${slower.toFixed(2)} times what it takes on 1,000 with a window about as large, and at most ${Math.round(megabytes)} MB.`,
  },
  {
    run: "bench:append -- --json",
    read(text) {
      const results = lines(text);
      const { spread, lowestShare } = results.pop();
      const { messages } = results.at(-1);
      return { messages, spread, lowestShare, highestShare: Math.max(...results.map(({ share }) => share)) };
    },
    say: ({ messages, spread, lowestShare, highestShare }) =>
      `An append to SQLite, on the disk when it returns, runs at ${percent(lowestShare)} to ${percent(highestShare)} of the speed of a bare \`INSERT\`, flat within ${percent(spread)} up to ${whole(messages)} messages.`,
  },
  {
    run: "bench:prefix -- --json",
    read: (text) => lines(text)[0],
    say: ({ steps, budget, breaks, epochs }) =>
      `In ${whole(steps)} scripted steps under ${whole(budget)} tokens the prompt's prefix breaks ${breaks} times, at ${epochs} folds.`,
  },
  {
    run: "bench:requests -- --json",
    read: (text) => lines(text),
    say(budgets) {
      const each = (column) => budgets.map((row) => whole(row[column])).join(" / ");
      return `Requests in the summaries of ${budgets[0].sessions} recorded sessions, judged fold by fold by labels made by reading, at ${each("budget")} tokens: ${each("told")} in ${each("summaries")} summaries, of which ${each("doneShownOpen")} finished ones are shown as open and ${each("openShownDone")} unfinished ones as done.`;
    },
  },
  {
    run: "bench:rules -- --json",
    read: (text) => lines(text)[0],
    say: ({ precision, recall, sentences }) =>
      `Of ${sentences} labelled sentences in eight languages that the detector of rules was not tuned on, ${percent(precision)} of what it takes for rules are rules, and it finds ${percent(recall)} of them.`,
  },
  {
    run: "bench:compact -- --json",
    read: (text) =>
      JSON.parse(text).map(({ file, warm }) => ({ file, ratio: warm.ratio.median, baseline: warm.baseline.median })),
    say: (files) =>
      `Folding a recorded file, beside reading, parsing and hashing it: ${files.map(({ file, ratio, baseline }) => `${ratio.toFixed(1)} times the ${Math.round(baseline)} ms of \`${file}\``).join(", ")} (after \`npm run build\`).`,
  },
  {
    run: "bench:extractive -- --json",
    read(text) {
      const { tokens, ratio, redacted, tiktoken } = JSON.parse(text);
      return { tokens, ratio, redactedRatio: redacted.median / tiktoken.median };
    },
    say: ({ tokens, ratio, redactedRatio }) =>
      `Summarizing ${whole(tokens)} tokens without a model takes ${ratio.toFixed(2)} times what tiktoken takes to count them, ${redactedRatio.toFixed(2)} times with the look for secrets.`,
  },
  {
    run: "bench:lowering -- --json",
    read(text) {
      const formats = lines(text);
      const ratios = formats.map(({ ratio }) => ratio);
      return { tokens: formats[0].windowTokens, least: Math.min(...ratios), most: Math.max(...ratios) };
    },
    say: ({ tokens, least, most }) =>
      `Lowering a window of ${whole(tokens)} tokens into a provider's format costs ${least.toFixed(1)} to ${most.toFixed(1)} times \`JSON.stringify\` of the payload, by format.`,
  },
];

/** What `npm start` shows of the bundled session, from the JSON of its command. */
export const sayBundledSession = ({ tokens: { before, after, budget }, pins: { live, present } }) =>
  `The bundled session, ${whole(before)} tokens, folds to ${whole(after)} under a budget of ${whole(budget)}, with ${present === live ? `its ${live}` : `${present} of its ${live}`} standing instructions kept word for word.`;

/** What the page of benchmarks says of the default preset: in `brief` for the README, and as a `whole`. */
export function saySideBySide(page) {
  const [, sessions, calls] = /^(\d+) recorded sessions of real agents, ([\d,]+) model calls/m.exec(page);
  const peers = new Set([...page.matchAll(/^\| (?<name>[^|]+?) \| peer \|/gm)].map(({ groups }) => groups.name));
  const budgets = [...page.matchAll(/^### (?<budget>[\d,]+) tokens, .*\n\n(?<table>(?:\|.*\n)+)/gm)].map(
    ({ groups: { budget, table } }) => ({
      budget,
      ...markdownRows(table).find(({ policy }) => policy === "threadfold"),
    }),
  );
  const each = (column, say = (cell) => cell) => budgets.map((row) => say(row[column])).join(" / ");
  const bill = `is ${each("bill", (cell) => Number(cell).toFixed(2))} at budgets of ${each("budget")} tokens`;
  const replayed = `${sessions} recorded sessions of real agents, ${calls} calls, replayed call by call`;
  return {
    brief: `${replayed}: the bill with the default preset (cached reads at a tenth; sending everything is 1) ${bill}, beside ${peers.size} policies of other libraries.`,
    whole: `${replayed} beside ${peers.size} policies of other libraries. With the default preset the bill (cached reads at a tenth; sending everything is 1) ${bill}; of what calls used and had last seen more than ten calls before, ${each("cold", (cell) => Math.round(cell))} % stands in the prompt, and of all that they used ${each("all+1")} % in the prompt or in the result of one recall; the prefix breaks ${each("breaks")} times in 100 calls; ${each("bad")} requests are illegal or empty, and ${each("fit")} % are within the budget. The policy was chosen on these sessions.`,
  };
}

/** What the page of benchmarks says of speed. */
export function saySpeed(page) {
  const tables = [...page.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => markdownRows(table));
  const once = tables.flat().find((row) => row.policy === "threadfold" && "100,000, ms" in row);
  const turns = tables.flat().filter((row) => "messages in the thread" in row);
  const times = turns.map((row) => row["ms a turn"]).sort((a, b) => a - b);
  return `One prompt of 60,000 tokens from a history of 100,000 messages takes ${(Number.parseFloat(once["100,000, ms"]) / 1_000).toFixed(1)} s, and a session's turn ${times[0]} to ${times.at(-1)} ms at ${turns[0]["messages in the thread"]} to ${turns.at(-1)["messages in the thread"]} messages.`;
}

const whole = (value) => Math.round(value).toLocaleString("en-US");
const percent = (share) => `${Math.round(share * 100)} %`;

/** A JSON value a line. */
const lines = (text) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** The rows of a table of aligned columns, by the names in its head, which begins with the word given. */
function tableRows(text, head) {
  const all = text.split("\n");
  const [names, ...rows] = all
    .slice(all.findIndex((line) => line.startsWith(head)))
    .map((line) => line.trim().split(/\s{2,}/));
  return rows
    .filter((row) => row.length === names.length)
    .map((row) => Object.fromEntries(names.map((name, column) => [name, row[column]])));
}

/** The rows of a Markdown table by the names in its head; of two columns of one name the first. */
function markdownRows(table) {
  const [names, , ...rows] = table
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column]]).reverse()));
}
