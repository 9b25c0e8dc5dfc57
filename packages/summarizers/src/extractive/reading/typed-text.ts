/** Blocks that harnesses put into what a user typed. */
const HARNESS_BLOCKS = [
  "system-reminder",
  "local-command-stdout",
  "command-message",
  "command-args",
  "environment_context",
  "user_instructions",
];
const HARNESS_TEXT =
  /^\s*(?:<(?:command-name|local-command-|bash-|task-notification|environment_context|user_instructions)|Caveat: The messages below|\[Request interrupted|# AGENTS\.md instructions)/;

/** What a person typed in a user message: nothing when a program wrote all of it. */
export function typedText(text: string): string {
  const typed = text.includes("<") ? HARNESS_BLOCKS.reduce(withoutBlocks, text) : text;
  return HARNESS_TEXT.test(typed) ? "" : typed.trim();
}

function withoutBlocks(text: string, tag: string): string {
  let rest = "";
  let from = 0;
  for (let open = text.indexOf(`<${tag}>`); open >= 0; open = text.indexOf(`<${tag}>`, from)) {
    const close = text.indexOf(`</${tag}>`, open);
    if (close < 0) break;
    rest += text.slice(from, open);
    from = close + tag.length + 3;
  }
  return from === 0 ? text : rest + text.slice(from);
}
