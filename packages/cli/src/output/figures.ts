/** A whole number with commas between the thousands, whatever the machine's locale is. */
export function figure(value: number): string {
  const digits = String(Math.round(Math.abs(value)));
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, ",");
  return value < 0 ? `-${grouped}` : grouped;
}

/** A number and what it counts: `1 message`, `2 messages`. */
export function count(value: number, noun: string, nouns = `${noun}s`): string {
  return `${figure(value)} ${value === 1 ? noun : nouns}`;
}

/** A share as whole percent. With `Math.floor` it is never said to be more than it is. */
export function percent(part: number, whole: number, round: (value: number) => number = Math.round): string {
  return whole === 0 ? "0 %" : `${round((part / whole) * 100)} %`;
}
