import type { CliCommand } from "../command/cli-command.ts";
import { clientEnvironment, PROXY_OPTIONS, parseProxyRequest } from "../proxy/proxy-request.ts";
import { addressName } from "../store/store-address.ts";

/** `run`: runs a command that calls its provider through a proxy, which folds what it sends. */
export const runCommand: CliCommand = {
  arguments: [{ name: "command", description: "after --, the command and its arguments", variadic: true }],
  options: PROXY_OPTIONS,
  examples: ["run -- claude", "run --budget 100k --store threads.db -- node my-agent.js --verbose"],
  async run({ arguments: [command = "", ...given], options }, { io }) {
    const request = parseProxyRequest(options, io.env);
    // Loaded here because no other command needs it.
    const { figuresLine, withProxy } = await import("../proxy/proxied.ts");
    return withProxy(request, io, {}, async (proxy, figures) => {
      const exitCode = await io.runChild(command, given as readonly string[], clientEnvironment(proxy));
      const kept = `kept in ${addressName(request.storeAddress)}`;
      // Stdout belongs to the command: nothing is added to it.
      return { data: figures(), text: () => "", notes: [`threadfold: ${figuresLine(figures())}, ${kept}`], exitCode };
    });
  },
};
