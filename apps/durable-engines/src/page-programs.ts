import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Flags for a Node that does not run TypeScript by default. */
const READ_TYPESCRIPT = process.features.typescript ? [] : ["--experimental-strip-types"];

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** How a program ended. */
interface ProgramEnd {
  readonly signal: string | null;
  readonly code: number | null;
  readonly output: string;
}

/** The programs of a host's page as a reader has them, in a separate folder. */
export interface PagePrograms {
  readonly folder: string;
  /** Runs a program to its end, in a separate process. */
  run(file: string, environment: Readonly<Record<string, string>>): Promise<ProgramEnd>;
  close(): void;
}

/** Writes the programs of `docs/hosts/<page>` to a folder. */
export function pagePrograms(page: string): PagePrograms {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-engine-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  const markdown = readFileSync(join(root, "docs/hosts", page), "utf8");
  for (const [, file = "", code = ""] of markdown.matchAll(/^```ts\n\/\/ ([\w.-]+)\n(.*?)^```$/gms))
    writeFileSync(join(folder, file), code);
  return {
    folder,
    run: (file, environment) =>
      new Promise((resolve) => {
        const args = [...READ_TYPESCRIPT, "--import", new URL("die-at.mjs", import.meta.url).href, file];
        const env = { ...process.env, ...environment };
        const child = execFile(process.execPath, args, { cwd: folder, env }, (_error, stdout, stderr) =>
          resolve({ signal: child.signalCode, code: child.exitCode, output: `${stdout}${stderr}` }),
        );
      }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The text of the model's answer, which is in the thread and nowhere else. */
export const ANSWER = "The ledger is in order, all seven pages.";

/** A double of the Messages API that keeps every request as it was sent, byte for byte. */
export interface ModelDouble {
  readonly environment: Readonly<Record<string, string>>;
  readonly requests: string[];
  close(): void;
}

/** Starts a double of the Messages API. */
export async function startModel(): Promise<ModelDouble> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push((await request.toArray()).join(""));
    const message = {
      ...{ id: `msg_${requests.length}`, type: "message", role: "assistant", model: "claude-sonnet-5" },
      ...{ content: [{ type: "text", text: ANSWER }], stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 100, output_tokens: 10 },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    environment: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: "of the double" },
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
