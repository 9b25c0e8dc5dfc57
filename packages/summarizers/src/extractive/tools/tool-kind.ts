/** What a tool does to the world, as far as its name tells. */
export type ToolKind =
  | "read"
  | "write"
  | "edit"
  | "editor"
  | "patch"
  | "shell"
  | "search"
  | "todo"
  | "task"
  | "plan"
  | "agent"
  | "other";

const NAMES: Readonly<Record<Exclude<ToolKind, "other">, string>> = {
  read: "read read_file read_files readfile view view_file cat open_file get_file_contents fs_read notebookread read_many_files",
  write: "write write_file writefile create_file create fs_write write_to_file save_file",
  edit: "edit edit_file editfile multiedit multi_edit str_replace replace search_replace replace_in_file apply_diff notebookedit insert insert_content",
  editor: "str_replace_based_edit_tool str_replace_editor text_editor editor",
  patch: "apply_patch applypatch patch",
  shell:
    "bash shell sh exec exec_command run run_command run_commands runcommand run_shell_command run_terminal_cmd run_terminal_command execute_command execute_bash local_shell terminal powershell container.exec",
  search:
    "grep glob search find ls list list_dir list_files list_directory codebase_search search_files search_file_content grep_search file_search rg websearch web_search webfetch web_fetch fetch google_web_search",
  todo: "todowrite todo_write update_plan write_todos manage_todo_list todo task_list update_todo_list set_todos",
  task: "taskcreate taskupdate task_create task_update create_task update_task",
  agent: "task agent subagent sub_agent dispatch_agent spawn_agent run_agent delegate delegate_task explore",
  plan: "exitplanmode exit_plan_mode plan create_plan submit_plan",
};

const KIND_OF_NAME: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.split(" ").map((name): [string, ToolKind] => [name, kind as ToolKind]),
  ),
);

/** The kind of a tool. Names of servers and namespaces before the tool's own name do not count; arguments decide for unknown names. */
export function toolKind(toolName: string, fields: ReadonlySet<string>): ToolKind {
  const name = toolName.toLowerCase();
  const own = name.slice(Math.max(name.lastIndexOf("__") + 1, name.lastIndexOf("/"), name.lastIndexOf(":")) + 1);
  return (
    KIND_OF_NAME.get(name) ??
    KIND_OF_NAME.get(own) ??
    KIND_OF_NAME.get(name.replace(/^functions\./, "")) ??
    kindByFields(fields)
  );
}

function kindByFields(fields: ReadonlySet<string>): ToolKind {
  if (fields.has("command") || fields.has("cmd")) return "shell";
  if (fields.has("todos")) return "todo";
  if (!fields.has("file_path") && !fields.has("filepath")) return "other";
  if (fields.has("content") || fields.has("file_text")) return "write";
  return fields.has("new_string") || fields.has("new_str") || fields.has("newstring") ? "edit" : "read";
}
