// The figures that the project publishes about itself: each with the command that measures it, how to read it from the
// command's output, and the sentence that states it.

/**
 * Figures that take a run of minutes or hours to measure. `run` is what follows `npm run`; `read` extracts the figures
 * from the output; `say` is the sentence.
 */
export const MEASURED_FIGURES = [
  {
    run: "bench:probes -- --preset=threadfold --json",
    read: (text) => lines(text)[0],
    say: ({ facts, direct, reachable }) =>
      `Of ${facts} facts that recorded agents needed late, after folding to 20,000 tokens without a model, ${percent(reachable / facts)} are in the prompt or found by one search with the agent's own words; ${percent(direct / facts)} are in the prompt itself. The search was tuned on these facts.`,
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
      `A scripted agent of ${whole(calls)} calls in each of ${hosts} hosts, with rate limits, server errors, overflows and cut-off answers: ${illegal} requests were illegal, ${overBudget} over the budget and ${withoutRule} without the user's rule; ${unlike === 0 ? "" : `except in ${unlike} ${unlike === 1 ? "host" : "hosts"}, `}every request that Threadfold recorded was rendered again to the same bytes (pi makes its requests itself); ${Math.round(leastCached)} to ${Math.round(mostCached)} % of the input tokens were within a cache's reach.`,
  },
  {
    run: "matrix:wire",
    read(text) {
      const [, runs, sessions, hold] = /^(\d+) runs over (\d+) sessions: (\d+) hold/m.exec(text).map(Number);
      return { runs, sessions, hold, tooLarge: Number(/(\d+) infeasible/.exec(text)?.[1] ?? 0) };
    },
    say: ({ runs, sessions, hold, tooLarge }) =>
      `Recorded sessions × five provider formats × budgets of 100,000, 50,000, 20,000 and 8,000 tokens × all presets: ${sessions} sessions, ${whole(runs)} runs, ${hold === runs ? "all of which pass" : `${whole(hold)} of which pass`}: each request is legal, or is reported as not fitting (${tooLarge}).`,
  },
  {
    run: "bench:resume -- --json",
    read(text) {
      const [short, long] = lines(text);
      return { messages: long.messages, slower: long.firstMs / short.firstMs, megabytes: long.megabytes };
    },
    say: ({ messages, slower, megabytes }) =>
      `Opening a session on ${whole(messages)} messages and preparing its request takes ${slower.toFixed(2)} times as long as on 1,000 messages with a window of about the same size, and at most ${Math.round(megabytes)} MB of memory.`,
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
      `An append to SQLite, which is on disk when the call returns, runs at ${percent(lowestShare)} to ${percent(highestShare)} of the speed of a bare \`INSERT\`, and its speed varies by no more than ${percent(spread)} up to ${whole(messages)} messages.`,
  },
  {
    run: "bench:prefix -- --json",
    read: (text) => lines(text)[0],
    say: ({ steps, budget, breaks, epochs }) =>
      `In ${whole(steps)} scripted steps under a budget of ${whole(budget)} tokens, the prompt's prefix breaks ${breaks} times, with ${epochs} folds.`,
  },
  {
    run: "bench:requests -- --json",
    read: (text) => lines(text),
    say(budgets) {
      const each = (column) => budgets.map((row) => whole(row[column])).join(" / ");
      return `At budgets of ${each("budget")} tokens, the ${each("summaries")} summaries of ${budgets[0].sessions} recorded sessions list ${each("told")} requests; judged fold by fold by labels made by reading, ${each("doneShownOpen")} finished ones are shown as open and ${each("openShownDone")} unfinished ones as done.`;
    },
  },
  {
    run: "bench:rules -- --json",
    read: (text) => lines(text)[0],
    say: ({ precision, recall, sentences }) =>
      `On ${sentences} labeled sentences in eight languages that the rule detector was not tuned on, ${percent(precision)} of what it takes for a rule is one, and it finds ${percent(recall)} of the rules.`,
  },
  {
    run: "bench:compact -- --json",
    read: (text) =>
      JSON.parse(text).map(({ file, warm }) => ({ file, ratio: warm.ratio.median, baseline: warm.baseline.median })),
    say: (files) =>
      `Folding a recorded file, compared with reading, parsing and hashing it: ${files.map(({ file, ratio, baseline }) => `${ratio.toFixed(1)} times the ${Math.round(baseline)} ms of \`${file}\``).join(", ")} (after \`npm run build\`).`,
  },
  {
    run: "bench:extractive -- --json",
    read(text) {
      const { tokens, ratio, redacted, tiktoken } = JSON.parse(text);
      return { tokens, ratio, redactedRatio: redacted.median / tiktoken.median };
    },
    say: ({ tokens, ratio, redactedRatio }) =>
      `Summarizing ${whole(tokens)} tokens without a model takes ${ratio.toFixed(2)} times as long as counting them with tiktoken, or ${redactedRatio.toFixed(2)} times if secrets are redacted first.`,
  },
  {
    run: "bench:lowering -- --json",
    read(text) {
      const formats = lines(text);
      const ratios = formats.map(({ ratio }) => ratio);
      return { tokens: formats[0].windowTokens, least: Math.min(...ratios), most: Math.max(...ratios) };
    },
    say: ({ tokens, least, most }) =>
      `Lowering a window of ${whole(tokens)} tokens into a provider's format takes ${least.toFixed(1)} to ${most.toFixed(1)} times as long as \`JSON.stringify\` of the payload, depending on the format.`,
  },
];

/** Describes what `npm start` shows of the bundled session, from the JSON of its command. */
export const sayBundledSession = ({ tokens: { before, after, budget }, pins: { live, present } }) =>
  `The bundled session, ${whole(before)} tokens, folds to ${whole(after)} under a budget of ${whole(budget)}, with ${present === live ? `its ${live}` : `${present} of its ${live}`} standing instructions kept word for word.`;

/** Describes the default preset's results on the benchmarks page: `brief` for the README, and `whole`. */
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
  const bill = `the bill is ${each("bill", (cell) => Number(cell).toFixed(2))} at budgets of ${each("budget")} tokens (sending everything is 1; cached reads cost a tenth)`;
  const replayed = `${sessions} recorded sessions of real agents (${calls} calls), replayed call by call`;
  return {
    brief: `${replayed}: with the default preset, ${bill}. For comparison, ${peers.size} policies of other libraries were replayed.`,
    whole: `${replayed}, in comparison with ${peers.size} policies of other libraries. With the default preset, ${bill}. Of what calls used and had last seen more than ten calls before, ${each("cold", (cell) => Math.round(cell))} % is in the prompt; of everything that they used and had seen before, ${each("all+1")} % is in the prompt or in the result of one recall. The prefix breaks ${each("breaks")} times per 100 calls; ${each("bad")} requests are illegal or empty, and ${each("fit")} % are within the budget. The policy was chosen on these same sessions.`,
  };
}

/** Describes the speed figures of the benchmarks page. */
export function saySpeed(page) {
  const tables = [...page.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => markdownRows(table));
  const once = tables.flat().find((row) => row.policy === "threadfold" && "100,000, ms" in row);
  const turns = tables.flat().filter((row) => "messages in the thread" in row);
  const times = turns.map((row) => row["ms per turn"]).sort((a, b) => a - b);
  return `Making one prompt of 60,000 tokens from a history of 100,000 messages takes ${(Number.parseFloat(once["100,000, ms"]) / 1_000).toFixed(1)} s; a session's turn takes ${times[0]} to ${times.at(-1)} ms with ${turns[0]["messages in the thread"]} to ${turns.at(-1)["messages in the thread"]} messages.`;
}

const whole = (value) => Math.round(value).toLocaleString("en-US");
const percent = (share) => `${Math.round(share * 100)} %`;

/** Parses one JSON value per line. */
const lines = (text) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/**
 * Returns the rows of a table of aligned columns, keyed by the names in its header, which begins with the given word.
 */
function tableRows(text, head) {
  const all = text.split("\n");
  const [names, ...rows] = all
    .slice(all.findIndex((line) => line.startsWith(head)))
    .map((line) => line.trim().split(/\s{2,}/));
  return rows
    .filter((row) => row.length === names.length)
    .map((row) => Object.fromEntries(names.map((name, column) => [name, row[column]])));
}

/**
 * Returns the rows of a Markdown table, keyed by the names in its header; if two columns have one name, the first wins.
 */
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
