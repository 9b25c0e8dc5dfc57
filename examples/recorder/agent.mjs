// Runs a script of turns: asks the script what the agent says and calls, runs the calls for real, and logs both.

/**
 * A turn is `{ meanwhile?, ask, *work() }`: what the person does to the working copy beforehand, what the person asks,
 * and a generator that yields the agent's steps and receives the texts of the results. Its return value is the agent's
 * last message.
 *
 * @throws Error when a call ends differently than the script expects, so that a recording never describes things that
 * did not happen
 */
export function runSession(turns, { copy, tools, log }) {
  for (const { meanwhile, ask, work } of turns) {
    meanwhile?.(copy);
    log.user(ask);
    log.assistant(runTurn(work(), tools, log), []);
  }
}

function runTurn(steps, tools, log) {
  let step = steps.next();
  while (!step.done) {
    const { text, calls } = step.value;
    const ids = log.assistant(text, calls);
    const results = calls.map((call) => carryOut(call, tools));
    results.forEach((result, index) => log.toolResult(ids[index], calls[index].name, result));
    step = steps.next(results.map((result) => result.text));
  }
  return step.value;
}

function carryOut({ name, arguments: input, fails = false }, tools) {
  const result = tools[name](input);
  if (result.isError === fails) return result;
  throw new Error(
    `${name} ${JSON.stringify(input)} should ${fails ? "fail" : "succeed"}:\n${result.text.slice(0, 4_000)}`,
  );
}

/** One step of the agent: a sentence, and calls that are made together. */
export const step = (text, ...calls) => ({ text, calls });

const call = (name) => (input) => ({ name, arguments: input });

export const bash = (command) => call("bash")({ command });
export const read = (path, range = {}) => call("read")({ path, ...range });
export const grep = (pattern, path) => call("grep")({ pattern, path });
export const ls = (path) => call("ls")({ path });
export const write = (path, content) => call("write")({ path, content });
export const edit = (path, oldText, newText) => call("edit")({ path, oldText, newText });

/** Marks a call as expected to fail. */
export const failing = (expected) => ({ ...expected, fails: true });
