// The package structure as data: which package may import which, and the order of each package's folders.

const CORE = ["core"];
const ROOMS = ["tokenizers", "strategies", "summarizers", "renderer", "rehydration", "stores", "importers"];
const ON_TOP = [...CORE, ...ROOMS, "turn", "session"];

/** What each package may import, by folder name under packages/. A new package needs its line here. */
export const PACKAGE_ARROWS = {
  core: [],
  ...Object.fromEntries(ROOMS.map((room) => [room, CORE])),
  turn: [...CORE, "strategies", "renderer", "summarizers"],
  session: [...CORE, ...ROOMS, "turn"],
  integrations: ON_TOP,
  golden: [...ON_TOP, "inspector"],
  simulation: ON_TOP,
  inspection: [...ON_TOP, "simulation"],
  // The page knows the data it draws only by its shape: types of the index, nothing that runs.
  inspector: ["inspection"],
  proxy: [...ON_TOP, "integrations"],
  cli: [...ON_TOP, "integrations", "simulation", "inspection", "inspector", "proxy"],
  threadfold: [...ON_TOP, "cli"],
};

/** What every app may import. Nothing imports an app. */
export const APPS_IMPORT = Object.keys(PACKAGE_ARROWS);

/**
 * The folders of each package's src, in order: each imports only from itself and from those before it. Files directly
 * in src come last. A package that is not listed here has no folders.
 */
export const FOLDER_ORDER = {
  core: [
    "errors",
    "json",
    "time",
    "model",
    "providers",
    "thread",
    "pins",
    "summary",
    "budget",
    "plan",
    "events",
    "audit",
    "billing",
    "recall",
    "ports",
    "laws",
  ],
  strategies: ["strategy", "durability", "draft", "ladder", "windows", "triggers", "presets", "laws"],
  turn: ["measure", "state", "decide", "propose", "fulfil", "verify", "fold", "commit", "testing"],
  session: [
    "waits",
    "queue",
    "host",
    "events",
    "journal",
    "summary",
    "memory",
    "thread",
    "request",
    "hooks",
    "fold",
    "unfold",
    "handoff",
    "prepare",
    "replay",
    "loop",
    "worker",
    "testing",
    "requirements",
    "reliability",
  ],
  tokenizers: ["encodings", "laws"],
  summarizers: ["text", "redaction", "extractive", "llm", "adapters", "checks", "cache", "laws", "testing"],
  stores: [
    "shared",
    "inspection",
    "audit",
    "erasure",
    "memory",
    "sqlite",
    "postgres",
    "filesystem",
    "s3",
    "redis",
    "encryption",
    "laws",
    "testing",
    "reliability",
  ],
  cli: [
    "output",
    "progress",
    "command",
    "parse",
    "model",
    "source",
    "store",
    "compact",
    "plan",
    "doctor",
    "mcp",
    "inspect",
    "proxy",
    "completion",
    "commands",
    "testing",
  ],
  proxy: ["apis", "answers", "conversations", "http", "testing"],
  simulation: [
    "policy",
    "recording",
    "needs",
    "measure",
    "memory",
    "summaries",
    "replay",
    "policies",
    "figures",
    "run",
    "report",
    "testing",
  ],
  inspection: [
    "rows",
    "source",
    "plans",
    "requests",
    "bill",
    "messages",
    "integrity",
    "gone",
    "bodies",
    "presets",
    "build",
    "testing",
  ],
  rehydration: ["artifacts", "recall", "testing"],
  renderer: [
    "warnings",
    "input",
    "capabilities",
    "legality",
    "neutral",
    "conform",
    "cache",
    "formats",
    "rendering",
    "overflow",
    "native",
    "laws",
    "testing",
  ],
  integrations: [
    "loopback",
    "mirror",
    "acp",
    "ai-sdk",
    "anthropic",
    "gemini",
    "langchain",
    "mastra",
    "mcp",
    "openai",
    "openai-agents",
    "opentelemetry",
    "pi",
    "session-files",
    "testing",
    "examples",
  ],
  "scripted-agents": ["script", "provider", "hosts", "run"],
  "golden-tests": ["short"],
  "inspector-tests": ["testing"],
  importers: [
    "reading",
    "session",
    "exporting",
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "ai-sdk",
    "gemini",
    "claude-code",
    "codex",
    "opencode",
    "openhands",
    "gemini-cli",
    "aider",
    "crush",
    "vscode-chat",
    "goose",
    "pi",
    "wrapped-messages",
    "live",
    "importing",
    "laws",
  ],
  inspector: ["format", "source", "model", "state", "parts", "chart", "views", "shell", "bundling", "page", "testing"],
  golden: ["mask", "options", "trace", "render", "compare", "testing"],
};

/** The only packages that core may depend on. */
export const CORE_DEPENDENCIES = ["zod", "immer", "@noble/hashes", "snowball-stemmers"];

/** Names that a pure core file may not refer to, and what each gives access to. */
export const IMPURE_NAMES = {
  process: "the host",
  globalThis: "the host",
  global: "the host",
  window: "the host",
  self: "the host",
  navigator: "the host",
  console: "output",
  fetch: "the network",
  WebSocket: "the network",
  XMLHttpRequest: "the network",
  crypto: "randomness",
  performance: "the clock",
  Temporal: "the clock",
  setTimeout: "a timer",
  setInterval: "a timer",
  setImmediate: "a timer",
  queueMicrotask: "a timer",
  require: "the host",
  Buffer: "node:buffer",
  Intl: "the machine's locale",
};

/**
 * Methods whose result depends on the machine's locale or time zone, so that two machines would write different bytes.
 */
export const LOCALE_METHODS = [
  "localeCompare",
  "toLocaleString",
  "toLocaleDateString",
  "toLocaleTimeString",
  "toLocaleLowerCase",
  "toLocaleUpperCase",
  "getTimezoneOffset",
];

/** Files of core that may refer to an impure name, and why. An exception that is no longer needed is also an error. */
export const EXCEPTIONS = [
  {
    file: "packages/core/src/recall/recall-terms.ts",
    name: "Intl",
    reason:
      "segments text without spaces, for search only and in no locale; nothing that is stored or rendered depends on it (docs/decisions/0030)",
  },
  {
    file: "packages/core/src/time/steps.ts",
    name: "globalThis",
    reason:
      "lets the event loop run during long work; when other tasks run does not affect the result (docs/decisions/0027)",
  },
  {
    file: "packages/core/src/json/sha256.ts",
    name: "globalThis",
    reason:
      "detects the platform's SHA-256, for whole texts and for running hashes; the digest is the same with and without it (docs/decisions/0001)",
  },
];
