/** How the report's page looks, in light and dark. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #cbd5e1; --soft: #64748b; --mark: #2563eb14; }
@media (prefers-color-scheme: dark) { :root { --line: #334155; --soft: #94a3b8; --mark: #60a5fa22; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; }
p { color: var(--soft); margin: 0 0 .75rem; max-width: 60rem; }
label { margin-right: 1.5rem; }
select { font: inherit; max-width: 36rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: right; font-weight: normal; }
th:first-child { text-align: left; }
tr:first-child th { color: var(--soft); vertical-align: bottom; white-space: normal; }
tr.first { background: var(--mark); font-weight: 600; }
.u-legend { font-size: 12px; text-align: left; }
`;
