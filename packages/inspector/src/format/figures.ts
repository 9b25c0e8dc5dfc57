/** Formats figures for the page, the same on every machine. */

const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** A whole number: `12,345`. */
export const whole = (value: number): string =>
  `${value < 0 ? "−" : ""}${String(Math.abs(Math.round(value))).replace(THOUSANDS, ",")}`;

/** A number in at most four characters and its unit: `987`, `9.9k`, `12k`, `1.2M`. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 999.5) return String(Math.round(value)).replace("-", "−");
  const [scaled, unit] =
    size < 999_500 ? [value / 1e3, "k"] : size < 999_500_000 ? [value / 1e6, "M"] : [value / 1e9, "G"];
  return `${Math.abs(scaled) < 9.95 ? scaled.toFixed(1) : String(Math.round(scaled))}${unit}`.replace("-", "−");
}

/** A fraction as a percentage: `41%`; anything above 0 and below 1% is `<1%`. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  if (share > 0 && share < 0.01) return "<1%";
  // Anything short of the whole must not read as 100%.
  return `${share < 1 && share > 0.99 ? 99 : Math.round(share * 100)}%`;
}

/** A part of a whole as a percentage; `–` if the whole is 0. */
export const shareOf = (part: number, all: number): string => (all === 0 ? "–" : percent(part / all));

/** Bytes: `812 B`, `64 KB`, `1.2 MB`. */
export function bytes(count: number): string {
  if (count < 1024) return `${Math.round(count)} B`;
  const [scaled, unit] = count < 1024 ** 2 ? [count / 1024, "KB"] : [count / 1024 ** 2, "MB"];
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)} ${unit}`;
}

/** `1 call`, `1,204 calls`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${whole(number)} ${Math.abs(number) === 1 ? one : many}`;

/** US dollars, with cents from $1 on and two significant digits below: `$12.40`, `$0.082`, `$0.00041`. */
export function money(dollars: number): string {
  if (dollars === 0) return "$0";
  const digits = Math.abs(dollars) >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(Math.abs(dollars))));
  return `${dollars < 0 ? "−" : ""}$${Math.abs(dollars).toFixed(digits)}`;
}

/** The time of a day, in UTC: `14:03:22`. */
export const timeOfDay = (at: number | null): string => (at === null ? "" : new Date(at).toISOString().slice(11, 19));

/** A day and a time, in UTC: `2026-03-01 14:03`. */
export const dayAndTime = (at: number | null): string =>
  at === null ? "" : new Date(at).toISOString().slice(0, 16).replace("T", " ");

/** A duration in its two largest units, without the smaller one if that is 0: `42 s`, `5 min`, `2 h 10 min`. */
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
