import type { ToolDurability } from "@threadfold/core";

/**
 * How the results of common tools may be folded, by tool name in lower case without separators. Tools and configuration
 * override it; see {@link durabilityPolicy}.
 */
export const BUILT_IN_DURABILITY: Readonly<Record<string, ToolDurability>> = Object.freeze({
  read: "replayable",
  readfile: "replayable",
  view: "replayable",
  viewfile: "replayable",
  cat: "replayable",
  openfile: "replayable",

  ls: "ephemeral",
  list: "ephemeral",
  listdir: "ephemeral",
  listdirectory: "ephemeral",
  listfiles: "ephemeral",
  glob: "ephemeral",
  find: "ephemeral",
  findfile: "ephemeral",
  grep: "ephemeral",
  search: "ephemeral",
  searchfile: "ephemeral",
  searchdir: "ephemeral",
  searchfiles: "ephemeral",
  codebasesearch: "ephemeral",
  sequentialthinking: "ephemeral",
  think: "ephemeral",
  todowrite: "ephemeral",
  todoread: "ephemeral",

  write: "anchoring",
  writefile: "anchoring",
  edit: "anchoring",
  editfile: "anchoring",
  multiedit: "anchoring",
  applypatch: "anchoring",
  strreplaceeditor: "anchoring",
  strreplacebasededittool: "anchoring",
  bash: "anchoring",
  shell: "anchoring",
  exec: "anchoring",
  execcommand: "anchoring",
  execute: "anchoring",
  executebash: "anchoring",
  runcommand: "anchoring",
  terminal: "anchoring",

  websearch: "non_replayable",
  webfetch: "non_replayable",
  fetch: "non_replayable",
  http: "non_replayable",
  httprequest: "non_replayable",
  browser: "non_replayable",
});
