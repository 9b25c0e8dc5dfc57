// Runs a script of turns: asks the script what the agent says and calls, carries the calls out for real, logs both.

/**
 * A turn is `{ meanwhile?, ask, *work() }`: what the person does to the working copy before, what the person asks, and a
 * generator that yields the agent's steps and gets back the texts of the results. Its return value is what the agent
 * says at last.
 *
 * @throws Error when a call ends otherwise than the script expects, so that a recording never tells of things that did
 * not happen
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

/** One step of the agent: a sentence and calls that run side by side. */
export const step = (text, ...calls) => ({ text, calls });

const call = (name) => (input) => ({ name, arguments: input });

export const bash = (command) => call("bash")({ command });
export const read = (path, range = {}) => call("read")({ path, ...range });
export const grep = (pattern, path) => call("grep")({ pattern, path });
export const ls = (path) => call("ls")({ path });
export const write = (path, content) => call("write")({ path, content });
export const edit = (path, oldText, newText) => call("edit")({ path, oldText, newText });

/** Says that a call is meant to end in an error. */
export const failing = (expected) => ({ ...expected, fails: true });
