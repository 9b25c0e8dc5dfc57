import type { CommandEntry } from "./command/cli-command.ts";

/** Every command, in the order of the help. To add one, add a file in `commands/` and an entry here. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "compact",
    summary: "fold a recorded session to fit a budget and render the request",
    load: async () => (await import("./commands/compact.ts")).compactCommand,
  },
  {
    name: "plan",
    summary: "show what a fold would do, cost and hide, without storing anything",
    load: async () => (await import("./commands/plan.ts")).planCommand,
  },
  {
    name: "simulate",
    summary: "replay recorded sessions call by call under presets and budgets, and report what each costs and forgets",
    load: async () => (await import("./commands/simulate.ts")).simulateCommand,
  },
  {
    name: "inspect",
    summary: "show a page with what the model saw at each call, why, what it cost, and proof that this is true",
    load: async () => (await import("./commands/inspect.ts")).inspectCommand,
  },
  {
    name: "context",
    summary: "show what the model saw at one call, for terminals, hooks and status lines",
    load: async () => (await import("./commands/context.ts")).contextCommand,
  },
  {
    name: "import",
    summary: "put a recorded session into a store",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  {
    name: "threads",
    summary: "list the threads of a store",
    load: async () => (await import("./commands/threads.ts")).threadsCommand,
  },
  {
    name: "title",
    summary: "give a thread a title",
    load: async () => (await import("./commands/title.ts")).titleCommand,
  },
  {
    name: "plans",
    summary: "list the plans of a thread",
    load: async () => (await import("./commands/plans.ts")).plansCommand,
  },
  {
    name: "render",
    summary: "render the request that a plan produces",
    load: async () => (await import("./commands/render.ts")).renderCommand,
  },
  {
    name: "explain",
    summary: "show why a message is, or is not, in the prompt, and its text",
    load: async () => (await import("./commands/explain.ts")).explainCommand,
  },
  {
    name: "search",
    summary: "find passages of a thread, folded or not",
    load: async () => (await import("./commands/search.ts")).searchCommand,
  },
  {
    name: "export",
    summary: "write a folded thread as a session file that pi or Claude Code can open",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  {
    name: "handoff",
    summary: "start a fresh thread with what a goal needs from another one",
    load: async () => (await import("./commands/handoff.ts")).handoffCommand,
  },
  {
    name: "fork",
    summary: "start a separate thread from the beginning of another one",
    load: async () => (await import("./commands/fork.ts")).forkCommand,
  },
  {
    name: "revert",
    summary: "restore an earlier plan of a thread, as a new one",
    load: async () => (await import("./commands/revert.ts")).revertCommand,
  },
  {
    name: "pin",
    summary: "keep a text in every request of a thread, or lift a pin",
    load: async () => (await import("./commands/pin.ts")).pinCommand,
  },
  {
    name: "diff",
    summary: "show what changed from one plan to another",
    load: async () => (await import("./commands/diff.ts")).diffCommand,
  },
  {
    name: "replay",
    summary: "render every recorded request again and compare the bytes",
    load: async () => (await import("./commands/replay.ts")).replayCommand,
  },
  {
    name: "bill",
    summary: "show what the calls of a thread cost, what the prompt cache missed and why",
    load: async () => (await import("./commands/bill.ts")).billCommand,
  },
  {
    name: "costs",
    summary: "show tokens and dollars for all threads of a store, by day, thread or model",
    load: async () => (await import("./commands/costs.ts")).costsCommand,
  },
  {
    name: "verify",
    summary: "check that what the store holds is intact",
    load: async () => (await import("./commands/verify.ts")).verifyCommand,
  },
  {
    name: "init",
    summary: "find a project's host in its package.json and write a starter program for it",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  {
    name: "doctor",
    summary: "check whether this machine, its disk and its servers can keep a store",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  {
    name: "audit",
    summary: "write a thread's whole record to one file, check such a file, or make a checkpoint",
    load: async () => (await import("./commands/audit.ts")).auditCommand,
  },
  {
    name: "archive",
    summary: "move a thread, or all that have been idle for some time, out of the store into sealed files",
    load: async () => (await import("./commands/archive.ts")).archiveCommand,
  },
  {
    name: "unarchive",
    summary: "bring an archived thread back into the store, byte for byte",
    load: async () => (await import("./commands/archive.ts")).unarchiveCommand,
  },
  {
    name: "erase",
    summary: "erase a thread's content for good, but keep the proof that it was there",
    load: async () => (await import("./commands/erase.ts")).eraseCommand,
  },
  {
    name: "lint",
    summary: "check any payload against a provider's rules, whichever tool made it",
    load: async () => (await import("./commands/lint.ts")).lintCommand,
  },
  {
    name: "mcp",
    summary: "serve folded content to any MCP client, over stdio or HTTP",
    load: async () => (await import("./commands/mcp.ts")).mcpCommand,
  },
  {
    name: "run",
    summary: "run an agent that you cannot change behind the proxy",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  {
    name: "proxy",
    summary: "run just the proxy, for anything that takes a base URL",
    load: async () => (await import("./commands/proxy.ts")).proxyCommand,
  },
  {
    name: "completion",
    summary: "print the script that completes commands, options, choices and thread ids in your shell",
    load: async () => (await import("./commands/completion.ts")).completionCommand(COMMANDS),
  },
  {
    name: "presets",
    summary: "list the presets and their parameters",
    load: async () => (await import("./commands/presets.ts")).presetsCommand,
  },
  {
    name: "models",
    summary: "list known models: window, suggested cap, prices, and the date of each",
    load: async () => (await import("./commands/models.ts")).modelsCommand,
  },
];
