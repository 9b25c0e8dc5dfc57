import type { CliCommand } from "../command/cli-command.ts";
import { parsePort } from "../parse/options.ts";
import { clientEnvironment, PROXY_OPTIONS, parseProxyRequest } from "../proxy/proxy-request.ts";

/** Environment variable for your own token, so that it does not appear in process lists. */
const TOKEN_VARIABLE = "THREADFOLD_PROXY_TOKEN";

/** `proxy`: runs between agents and their providers until it is interrupted, and folds what they send. */
export const proxyCommand: CliCommand = {
  arguments: [],
  options: [
    { flags: "--port <port>", description: "loopback port, 0 for a free one", fallback: "0" },
    {
      flags: "--without-token",
      description:
        "let anyone on this machine in (default: the address contains $THREADFOLD_PROXY_TOKEN, or a new token)",
    },
    ...PROXY_OPTIONS,
  ],
  examples: ["proxy --port 4142 --store threads.db", "proxy --budget 100k --upstream openai=http://127.0.0.1:11434/v1"],
  async run({ options }, { io }) {
    const request = parseProxyRequest(options, io.env);
    const { port, withoutToken } = options;
    const own = io.env[TOKEN_VARIABLE] ?? "";
    const token = withoutToken === true ? { token: null } : own === "" ? {} : { token: own };
    const served = { port: parsePort("--port", port), ...token };
    // Loaded here because no other command needs it.
    const { figuresLine, turnLine, withProxy } = await import("../proxy/proxied.ts");
    const onTurn = (turn: Parameters<typeof turnLine>[0]) => {
      const line = turnLine(turn);
      if (line !== undefined) io.stderr.write(`${line}\n`);
    };
    return withProxy(request, io, { ...served, onTurn }, async (proxy, figures) => {
      const shown = Object.entries(clientEnvironment(proxy)).map(([name, url]) => `export ${name}=${url}`);
      const lines = own === "" ? shown : shown.map((line) => line.replace(`/${own}/`, `/$${TOKEN_VARIABLE}/`));
      io.stderr.write(`${lines.join("\n")}\n`);
      await interrupted(io.signal);
      return { data: figures(), text: () => figuresLine(figures()) };
    });
  },
};

async function interrupted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (!signal.aborted) await promise;
}
