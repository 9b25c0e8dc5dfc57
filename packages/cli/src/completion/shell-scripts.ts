import type { Completed, CompletedPlace, CompletionTable } from "./completion-table.ts";

/** Shells for which a script can be generated. */
export const COMPLETED_SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletedShell = (typeof COMPLETED_SHELLS)[number];

/**
 * Returns the script with which a shell completes `threadfold`. Only a store's threads are looked up when a key is
 * pressed.
 */
export function completionScript(shell: CompletedShell, table: CompletionTable): string {
  if (shell === "fish") return fishScript(table);
  return shell === "bash"
    ? `${posixFunctions(table)}${BASH_ENTRY}`
    : `#compdef threadfold\n${posixFunctions(table)}${ZSH_ENTRY}`;
}

/** Quotes a text for a shell, in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Candidates in the form that the functions pass on: a word, a tab, and its meaning. */
const candidateLines = (completed: Completed): readonly string[] =>
  completed.kind === "words"
    ? completed.words.map(({ word, description }) => `${word}\t${description.replace(/\s+/g, " ")}`)
    : [];

/** The positions of a table that can be completed, which free text cannot. */
const helpfulPlaces = ({ places }: CompletionTable): readonly CompletedPlace[] =>
  places.filter(({ completed }) => completed.kind !== "anything");

/**
 * Bash and zsh share the same functions: the table, and the code that derives the position from the words before the
 * cursor.
 */
function posixFunctions(table: CompletionTable): string {
  const values = helpfulPlaces(table).map(({ place, variadic, completed }) => {
    const pattern = variadic ? `${quoted(place.replace(/\d+$/, ""))}[0-9]*` : quoted(place);
    return `    ${pattern}) ${posixAction(completed)} ;;`;
  });
  return `# Completion of threadfold, printed by: threadfold completion

# Says whether an option of a command takes a value.
_threadfold_is_valued() {
  case "$1" in
    ${table.valued.map(quoted).join(" | \\\n    ")}) return 0 ;;
  esac
  return 1
}

# Prints what can go at a position: a word, a tab and its meaning on each line, or ":files".
_threadfold_values() {
  case "$1" in
${values.join("\n")}
  esac
}

# Prints the threads of a store, each with a tab and its title.
_threadfold_threads() {
  if [ -n "$1" ]; then threadfold threads --titles --store "$1" 2>/dev/null
  else threadfold threads --titles 2>/dev/null; fi
}

# Prints what can go at the cursor. Takes the word there, and the words before it except the first.
_threadfold_candidates() {
  local current="$1" named="" pending="" place=0 store="" literal="" word=""
  shift
  for word in "$@"; do
    if [ -n "$pending" ]; then
      if [ "$pending" = --store ]; then store="$word"; fi
      pending=""
      continue
    fi
    case "$literal$word" in
      --) literal=: ;;
      --store=*) store="\${word#--store=}" ;;
      -*) if _threadfold_is_valued "$named $word"; then pending="$word"; fi ;;
      *) if [ -z "$named" ]; then named="$word"; else place=$((place + 1)); fi ;;
    esac
  done
  case "$store" in "~/"*) store="$HOME/\${store#??}" ;; esac
  if [ -n "$pending" ]; then _threadfold_values "$named $pending" "$store"; return; fi
  case "$literal$current" in
    --*=*) _threadfold_values "$named \${current%%=*}" "$store" ;;
    -*) _threadfold_values "$named -" "$store" ;;
    *) if [ -z "$named" ]; then _threadfold_values "" "$store"; else _threadfold_values "$named $place" "$store"; fi ;;
  esac
}
`;
}

function posixAction(completed: Completed): string {
  if (completed.kind === "threads") return '_threadfold_threads "$2"';
  if (completed.kind === "files") return "printf '%s\\n' ':files'";
  return `printf '%s\\n' \\\n${candidateLines(completed)
    .map((line) => `      ${quoted(line)}`)
    .join(" \\\n")}`;
}

/** Bash splits a word at = and :, and replaces only what follows the last of these. */
const BASH_ENTRY = `
_threadfold() {
  local line="\${COMP_LINE:0:COMP_POINT}" current="" option="" given="" candidate=""
  local -a words
  read -ra words <<< "$line"
  case "$line" in
    *[[:space:]]) ;;
    *) current="\${words[\${#words[@]}-1]}"; unset "words[\${#words[@]}-1]" ;;
  esac
  case "$current" in --*=*) option="\${current%%=*}=" ;; esac
  given="\${current##*[=:]}"
  given="\${current%"$given"}"
  COMPREPLY=()
  compopt +o default 2>/dev/null
  while IFS= read -r candidate; do
    if [ "$candidate" = :files ]; then compopt -o default 2>/dev/null; return; fi
    candidate="$option\${candidate%%$'\\t'*}"
    case "$candidate" in "$current"*) COMPREPLY+=("\${candidate#"$given"}") ;; esac
  done < <(_threadfold_candidates "$current" "\${words[@]:1}")
}
complete -o default -F _threadfold threadfold
`;

const ZSH_ENTRY = `
_threadfold() {
  local current="$PREFIX" candidate=""
  local -a found described
  found=("\${(@f)$(_threadfold_candidates "$current" "\${(@Q)words[2,CURRENT-1]}")}")
  if [[ "$current" == --*=* ]]; then compset -P '*='; fi
  if [[ "\${found[1]}" == :files ]]; then _files; return; fi
  for candidate in "\${(@)found}"; do
    if [[ -n "$candidate" ]]; then described+=("\${\${candidate%%$'\\t'*}//:/\\\\:}:\${\${candidate#*$'\\t'}#\${candidate%%$'\\t'*}}"); fi
  done
  if (( \${#described} )); then _describe 'threadfold' described; fi
}
if [[ "\${funcstack[1]}" == _threadfold ]]; then _threadfold "$@"; else compdef _threadfold threadfold; fi
`;

function fishScript(table: CompletionTable): string {
  const values = helpfulPlaces(table).map(({ place, variadic, completed }) => {
    const pattern = variadic ? `'${place.replace(/\d+$/, "")}*'` : `'${place}'`;
    return `        case ${pattern}\n            ${fishAction(completed)}`;
  });
  return `# Completion of threadfold, printed by: threadfold completion fish

function __threadfold_is_valued
    contains -- "$argv[1]" \\
        ${table.valued.map((name) => `'${name}'`).join(" \\\n        ")}
end

function __threadfold_threads
    if test -n "$argv[1]"
        threadfold threads --titles --store "$argv[1]" 2>/dev/null
    else
        threadfold threads --titles 2>/dev/null
    end
end

function __threadfold_values
    switch "$argv[1]"
${values.join("\n")}
    end
end

function __threadfold_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l named ""
    set -l pending ""
    set -l place 0
    set -l store ""
    set -l literal ""
    for word in $words[2..-1]
        if test -n "$pending"
            test "$pending" = --store; and set store "$word"
            set pending ""
            continue
        end
        switch "$literal$word"
            case --
                set literal :
            case '--store=*'
                set store (string replace -- --store= '' "$word")
            case '-*'
                __threadfold_is_valued "$named $word"; and set pending "$word"
            case '*'
                if test -z "$named"
                    set named "$word"
                else
                    set place (math $place + 1)
                end
        end
    end
    set store (string replace -r '^~/' "$HOME/" -- "$store")
    if test -n "$pending"
        __threadfold_values "$named $pending" "$store" "$current"
        return
    end
    switch "$literal$current"
        case '--*=*'
            set -l parts (string split -m 1 = -- "$current")
            for candidate in (__threadfold_values "$named $parts[1]" "$store" "$parts[2]")
                printf '%s=%s\\n' "$parts[1]" "$candidate"
            end
        case '-*'
            __threadfold_values "$named -" "$store" "$current"
        case '*'
            if test -z "$named"
                __threadfold_values "" "$store" "$current"
            else
                __threadfold_values "$named $place" "$store" "$current"
            end
    end
end

complete -c threadfold -f -a '(__threadfold_candidates)'
`;
}

/** Quotes a text for fish, in single quotes, within which a backslash also escapes. */
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;

function fishAction(completed: Completed): string {
  if (completed.kind === "threads") return '__threadfold_threads "$argv[2]"';
  if (completed.kind === "files") return '__fish_complete_path "$argv[3]"';
  return `printf '%s\\n' \\\n${candidateLines(completed)
    .map((line) => `                ${fishQuoted(line)}`)
    .join(" \\\n")}`;
}
