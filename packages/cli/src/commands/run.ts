import type { CliCommand } from "../command/cli-command.ts";
import { clientEnvironment, figuresLine, PROXY_OPTIONS, withProxy } from "../proxy/proxied.ts";
import { storeAddress } from "../store/store-address.ts";

/** `run`: runs a command that asks its provider through a proxy, which folds what it sends. */
export const runCommand: CliCommand = {
  arguments: [{ name: "command", description: "behind --, the command and what it is called with", variadic: true }],
  options: PROXY_OPTIONS,
  examples: ["run -- claude", "run --budget 100k --store threads.db -- node my-agent.js --verbose"],
  run({ arguments: [command = "", ...given], options }, { io }) {
    return withProxy(options, io, {}, async (proxy, figures) => {
      const exitCode = await io.runChild(command, given as readonly string[], clientEnvironment(proxy));
      const kept = `kept in ${storeAddress(options, io.env)}`;
      // What the command printed is its own: nothing is added to it.
      return { data: figures(), text: () => "", notes: [`threadfold: ${figuresLine(figures())}, ${kept}`], exitCode };
    });
  },
};
