const ISO_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?$/i;

/** Epoch times up to this value are in seconds, larger ones in milliseconds. */
const LATEST_IN_SECONDS = 1e11;

/** The latest time that a Date can represent, in milliseconds since the epoch. */
const LATEST = 8.64e15;

/**
 * Reads a time that another program wrote: ISO 8601 text, or seconds or milliseconds since the epoch. Text without a
 * time zone is read as UTC, so that the result never depends on the machine.
 *
 * @returns ISO 8601 in UTC with milliseconds, or undefined when it is not a time.
 */
export function utcTime(value: unknown): string | undefined {
  if (typeof value === "string") return isCanonical(value) ? value : toIso(epochOfText(value));
  if (typeof value === "number") return toIso(value > LATEST_IN_SECONDS ? value : value * 1000);
  return undefined;
}

/** Returns the time one millisecond later. */
export const millisecondAfter = (time: string): string => toIso(Date.parse(time) + 1) ?? time;

/** The form that nearly every log uses needs no conversion. */
function isCanonical(text: string): boolean {
  return (
    text.length === 24 &&
    text[4] === "-" &&
    text[10] === "T" &&
    text[19] === "." &&
    text[23] === "Z" &&
    Date.parse(text) >= 0
  );
}

function epochOfText(text: string): number {
  const match = ISO_TIME.exec(text);
  return match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[3] ?? "Z"}`);
}

function toIso(time: number): string | undefined {
  return time >= 0 && time < LATEST ? new Date(Math.floor(time)).toISOString() : undefined;
}
