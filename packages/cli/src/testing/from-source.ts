/**
 * Node options that run the command from its sources on every supported version: older ones need a flag for TypeScript.
 */
export const FROM_SOURCE: readonly string[] = [
  "--conditions=threadfold-source",
  "--experimental-strip-types",
  "--disable-warning=ExperimentalWarning",
];
