import { z } from "zod";

const ISO_TIME = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Says whether a value is an ISO 8601 date, or a time with its zone: one that means the same on every machine. */
export const isTime = (value: unknown): value is string =>
  typeof value === "string" && ISO_TIME.test(value) && !Number.isNaN(Date.parse(value));

/** Accepts an ISO 8601 date, or a time with its zone. */
export const timeSchema = z.custom<string>(
  isTime,
  "it must be an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
);
