import { TokenLedger } from "@threadfold/core";
import { describeWarning, FORMATS, renderRequest } from "@threadfold/renderer";
import { heuristicTokenizer, type ToolDefinition } from "threadfold";
import { readShortThread } from "./short-thread.ts";

const TOOLS: readonly ToolDefinition[] = [
  {
    name: "read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
  { name: "read_artifact", inputSchema: { type: "object", properties: { artifactId: { type: "string" } } } },
];

/** A short golden prompt: a Markdown file whose first part a person wrote and whose rest is generated from it. */
export interface ShortGolden {
  readonly title: string;
  /** The lines of the thread and the plan, and the settings before them. */
  readonly script: readonly string[];
}

/** Reads the part that a person wrote. @throws Error when the file has no title or no thread. */
export function readShortGolden(file: string): ShortGolden {
  const [, title, script] = /^# (.+)\n\n```thread\n(.*?)\n```\n/s.exec(file) ?? [];
  if (title === undefined || script === undefined) throw new Error("A short golden prompt is a title and a thread.");
  return { title, script: script.split("\n") };
}

/** Returns the whole expected file: what a person wrote, and the request in each format, one line per message. */
export function shortGolden({ title, script }: ShortGolden): string {
  const sections = FORMATS.filter(({ id }) => id !== "neutral").map((format) => {
    const { settings, lines } = settingsOf(script);
    const { thread, plan } = readShortThread(lines);
    const ledger = TokenLedger.empty(heuristicTokenizer(), () => "anchoring").extend(thread);
    const system = settings.has("host") ? [settings.get("host") as string] : [];
    const tools = settings.get("tools") === "none" ? [] : TOOLS;
    const model = settings.get("model");
    const role = settings.get("summary") as "user" | "pair" | undefined;
    const options = { ...(model !== undefined && { model }), ...(role !== undefined && { summaryRole: role }) };
    const { request, warnings, manifest } = renderRequest({ thread, plan, ledger, system, tools, ...options }, format);
    const { payload } = format.lower(request);
    const { tools: _declared, ...shown } = payload;
    const body = Object.entries(tools.length > 0 ? shown : payload).map(([field, value]) => lineOf(field, value));
    const said = [
      ...warnings.map((warning) => `- ${describeWarning(warning)}`),
      ...format.check(payload, manifest).map(({ rule, at, problem }) => `- breaks ${rule} at ${at}: ${problem}`),
    ];
    return [`## ${format.id}`, "", "```", ...body, "```", ...(said.length > 0 ? ["", ...said] : []), ""].join("\n");
  });
  return [`# ${title}`, "", "```thread", ...script, "```", "", ...sections].join("\n");
}

function settingsOf(script: readonly string[]): {
  readonly settings: ReadonlyMap<string, string>;
  readonly lines: readonly string[];
} {
  const settings = new Map<string, string>();
  const lines = script.filter((line) => {
    const [, name, value] = /^(model|host|tools|summary) = (.+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return line !== "";
    settings.set(name, value);
    return false;
  });
  return { settings, lines };
}

function lineOf(field: string, value: unknown): string {
  if (!Array.isArray(value)) return `${field}: ${shown(value)}`;
  return [`${field}:`, ...value.map((item) => `  ${shown(item)}`)].join("\n");
}

/** JSON with invisible characters escaped. */
const shown = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/\p{Cf}/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
