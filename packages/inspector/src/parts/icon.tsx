const PATHS = {
  fold: "M2.5 3.5h11l-6 4.5h6l-11 4.5",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
  copy: "M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z",
  done: "m3 8.5 3.5 3.5L13 4.5",
  before: "M10 3 5 8l5 5",
  after: "m6 3 5 5-5 5",
  open: "m4 6 4 4 4-4",
  help: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1v.6M8 12v.1",
  system: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  dark: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z",
  save: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  warning: "M8 2 1.5 13.5h13zM8 6.5v3.2M8 11.6v.1",
} as const;

/** A decorative drawing: the words next to it carry the meaning. */
export const Icon = ({ name }: { readonly name: keyof typeof PATHS }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
