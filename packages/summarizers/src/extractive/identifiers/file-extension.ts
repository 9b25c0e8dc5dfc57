const EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "c h cc cpp cxx hpp hh cs m mm go rs py pyi pyx ipynb rb php java kt kts scala swift lua pl pm r jl ex exs erl hs ml clj dart zig nim " +
    "js jsx mjs cjs ts tsx mts cts vue svelte html htm css scss sass less json jsonl json5 yaml yml toml ini cfg conf env lock xml svg " +
    "md mdx rst txt adoc csv tsv sql db sqlite proto graphql gradle cmake mk make sh bash zsh fish ps1 bat cmd diff patch log out traj " +
    "png jpg jpeg gif webp pdf zip tar gz tgz whl so dll dylib cu cuh ptx tf hcl nix"
  ).split(" "),
);

/** True when a run without slashes is the name of a file: it ends in an extension that files have. */
export function isFileName(text: string): boolean {
  const dot = text.lastIndexOf(".");
  return dot > 0 && text.length - dot <= 7 && EXTENSIONS.has(text.slice(dot + 1));
}
