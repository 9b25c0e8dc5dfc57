/** How Node runs the command from its sources, on every version that it runs on: older ones need a flag for TypeScript. */
export const FROM_SOURCE: readonly string[] = [
  "--conditions=threadfold-source",
  "--experimental-strip-types",
  "--disable-warning=ExperimentalWarning",
];
