/** The time of a day, in UTC: `14:03:22`. */
export const timeOfDay = (at: number | null): string => (at === null ? "" : new Date(at).toISOString().slice(11, 19));

/** A day and a time, in UTC: `2026-03-01 14:03`. */
export const dayAndTime = (at: number | null): string =>
  at === null ? "" : new Date(at).toISOString().slice(0, 16).replace("T", " ");

/** How long something took, in its two largest units, the smaller one where it is not nothing: `42 s`, `5 min`, `2 h 10 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return inTwo(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? inTwo(hours, "h", minutes % 60, "min") : inTwo(Math.floor(hours / 24), "d", hours % 24, "h");
}

const inTwo = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
