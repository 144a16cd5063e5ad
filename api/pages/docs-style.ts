/** What the pages of the documentation have beyond the one style of all pages. */
export const DOCS_STYLE = `
body.wide { max-width: 76rem; }
.top { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-bottom: 1rem; border-bottom: 1px solid var(--line); }
.top a, .chapters a, .doors a, .contents a, .onward a { display: inline-flex; align-items: center; min-height: 2.75rem; min-width: 2.75rem; }
.book { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2.5rem; }
.chapters ol { list-style: none; margin: 0; padding: 0; position: sticky; top: 1rem; }
.chapters a[aria-current] { color: var(--ink); font-weight: 650; text-decoration: none; }
.guide h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; }
.guide h3 { font-size: 1.0625rem; margin: 1.75rem 0 0.25rem; }
.guide p { margin: 0.625rem 0; max-width: 46rem; }
.guide li { max-width: 46rem; }
.guide p a, .guide li a, .guide td a { display: inline-flex; align-items: center; min-height: 2.75rem; min-width: 2.75rem; margin: -0.5rem 0; }
.guide .contents { padding-left: 1.5rem; }
.guide .contents p { margin: 0 0 0.75rem; color: var(--soft); }
.guide .contents > li > a, .guide .doors a { margin: 0; font-weight: 600; }
.code { margin: 0.75rem 0; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); min-width: 0; }
.code figcaption { padding: 0.25rem 0.875rem; font-size: 0.8125rem; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--line); }
.code pre { margin: 0; padding: 0.75rem 0.875rem; overflow-x: auto; font: 0.8125rem/1.55 ui-monospace, monospace; }
.code pre code { font: inherit; overflow-wrap: normal; white-space: pre; }
.code.sh pre code { white-space: pre-wrap; overflow-wrap: anywhere; }
.code.json { background: var(--wash); }
.scrolls { overflow-x: auto; }
@media (min-width: 75rem) { .code.sh:has(+ .code.ts) { float: left; width: calc(50% - 0.375rem); margin-top: 0.125rem; }
  .code.sh + .code.ts { margin-left: calc(50% + 0.375rem); }
  .code.ts + * { clear: both; } }
@media (max-width: 56rem) { .book { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .chapters ol { position: static; columns: 2; } .chapters { order: 2; border-top: 1px solid var(--line); padding-top: 1rem; } }
@media (max-width: 30rem) { .chapters ol { columns: 1; } }
`;
