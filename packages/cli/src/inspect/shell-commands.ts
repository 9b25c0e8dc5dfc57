import type { Commands } from "@threadfold/inspection";

/** Where a store is named that has a password in its address. */
const FROM_ENVIRONMENT = '"$THREADFOLD_STORE"';

/** Commands that work on a thread of a store, with the places that a reader fills in. */
export function shellCommands(threadId: string, address: string): Commands {
  const thread = shellWord(threadId);
  const store = `--store ${addressWord(address)}`;
  return {
    explain: `threadfold explain ${thread} {message} ${store}`,
    pin: `threadfold pin ${thread} {text} ${store}`,
    revert: `threadfold revert ${thread} {plan} ${store}`,
    search: `threadfold search ${thread} {query} ${store}`,
    replay: `threadfold replay ${thread} ${store}`,
    verify: `threadfold verify ${thread} ${store}`,
  };
}

/** A text as one word of a shell. */
const shellWord = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const addressWord = (address: string): string => (address.includes("://") ? FROM_ENVIRONMENT : shellWord(address));

/** What a source is called where others may see it: no password, and no folder of this machine. */
export function sourceTitle(source: string): string {
  if (!source.includes("://")) return source.split(/[\\/]/).at(-1) ?? source;
  if (!URL.canParse(source)) return "a server";
  const { protocol, hostname, pathname } = new URL(source);
  return `${protocol}//${hostname}${pathname}`;
}
