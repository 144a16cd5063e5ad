/**
 * The one style of all pages, small enough to be sent within each; no script, no font, no picture from elsewhere. Contrasts are
 * those of WCAG 2.2 AA, in light and in dark; what is clicked is at least 44 pixels high.
 */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2530; --soft: #4f5a66; --paper: #fbfaf7; --card: #ffffff; --line: #d9d4c7;
  --edge: #77736a; --accent: #0b6b58; --on-accent: #ffffff; --deep: #08513f; --wash: #e8f2ef; --alert: #9c1c1c;
  --alert-wash: #fcefed; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e0; --soft: #b0b8c0; --paper: #14181c; --card: #1b2127;
  --line: #37404a; --edge: #8a939c; --accent: #63c8b0; --on-accent: #0c1f19; --deep: #8ddcc8; --wash: #1d302c;
  --alert: #ffb3a9; --alert-wash: #391f1d; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0 auto; max-width: 44rem; padding: 2rem 1.25rem 5rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0.5rem 0 1rem; text-wrap: balance; }
h2 { font-size: 1.0625rem; margin: 2rem 0 0.25rem; }
p { margin: 0.25rem 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { color: var(--deep); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code { font: 0.9375rem ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
td, th { text-align: left; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
nav { font-size: 0.9375rem; }
.brand { display: flex; align-items: center; gap: 0.5rem; margin: 0 0 1.5rem; font-weight: 650; letter-spacing: 0.01em; }
.brand svg { width: 1.5rem; height: 1.5rem; flex: none; color: var(--accent); }
.door { max-width: 30rem; }
.door .brand { justify-content: center; }
.door main { background: var(--card); border: 1px solid var(--line); border-radius: 0.875rem; padding: 1.75rem; }
.door h1 { margin-top: 0; }
.lead { color: var(--soft); margin-bottom: 1.25rem; }
.lead strong, .whom strong { color: var(--ink); overflow-wrap: anywhere; }
label { display: block; font-weight: 600; margin: 1rem 0 0.25rem; }
.hint { color: var(--soft); font-size: 0.9375rem; margin: 0 0 0.375rem; }
input { display: block; width: 100%; min-height: 2.875rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--edge); border-radius: 0.5rem; }
input[aria-invalid=true] { border: 2px solid var(--alert); }
input:focus-visible { border-radius: 0.5rem; outline-offset: 1px; }
button, .button { display: flex; align-items: center; justify-content: center; width: 100%; min-height: 2.875rem;
  margin-top: 1.5rem; padding: 0.5rem 1.25rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none;
  color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 0.5rem; cursor: pointer; }
button:hover, .button:hover { color: var(--on-accent); background: var(--deep); border-color: var(--deep); }
button:focus-visible, .button:focus-visible { border-radius: 0.5rem; }
button.quiet, .button.quiet { color: var(--ink); background: none; border-color: var(--edge); }
button.quiet:hover, .button.quiet:hover { color: var(--ink); border-color: var(--ink); background: var(--wash); }
button.text { display: inline-flex; width: auto; margin: 0; padding: 0; min-width: 2.75rem; border: 0; background: none;
  color: var(--accent); text-decoration: underline; text-underline-offset: 0.15em; font-weight: 400; }
button.text:hover { color: var(--deep); background: none; }
.pair { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
.pair button { flex: 1 1 9rem; margin: 0; }
.beside { margin: 0.75rem 0 0; }
.beside a { display: inline-flex; align-items: center; min-height: 2.75rem; }
.or { border-top: 1px solid var(--line); margin-top: 1.25rem; padding-top: 1.25rem; }
.or h2 { margin: 0; font-size: 0.9375rem; font-weight: 400; color: var(--soft); }
.or .button { margin-top: 0.75rem; }
.alert { margin: 0 0 1.25rem; padding: 0.75rem 1rem; background: var(--alert-wash); border-left: 4px solid var(--alert);
  border-radius: 0 0.5rem 0.5rem 0; }
.alert:focus-visible { outline-color: var(--alert); border-radius: 0 0.5rem 0.5rem 0; }
.alert p { color: var(--alert); }
.alert ul { margin: 0; padding-left: 1.25rem; color: var(--alert); }
.grants { list-style: none; margin: 0.75rem 0 0; padding: 0; }
.grants li { display: grid; grid-template-columns: 1.25rem 1fr; gap: 0.625rem; padding: 0.5rem 0; border-top: 1px solid var(--line); }
.grants li:first-child { border-top: 0; }
.grants svg { width: 1.25rem; height: 1.25rem; margin-top: 0.2rem; color: var(--accent); }
.money { display: table; margin-top: 0.25rem; padding: 0 0.5rem; font-size: 0.8125rem; font-weight: 600;
  color: var(--ink); background: var(--wash); border: 1px solid var(--accent); border-radius: 1rem; white-space: nowrap; }
.door .grants + p { margin-top: 0.75rem; }
.whom { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem; margin-top: 1.25rem;
  padding-top: 0.75rem; border-top: 1px solid var(--line); font-size: 0.9375rem; color: var(--soft); }
.fine { margin-top: 1.5rem; font-size: 0.875rem; color: var(--soft); }
.proof h2 { font-size: 1.1875rem; margin: 2.25rem 0 0.375rem; }
.proof ul { margin: 0.25rem 0; padding-left: 1.25rem; }
.proof section > p + p { margin-top: 0.625rem; }
.proof section:not(.verdict) a { display: inline-block; min-height: 2.75rem; min-width: 2.75rem; margin: -0.5rem 0; padding: 0.5rem 0; }
.verdict { display: grid; grid-template-columns: 2.75rem 1fr; gap: 1rem; align-items: start; padding: 1.25rem;
  border: 1px solid var(--accent); border-left-width: 6px; border-radius: 0.875rem; background: var(--wash); }
.verdict svg { width: 2.75rem; height: 2.75rem; padding: 0.5rem; border-radius: 50%; color: var(--on-accent); background: var(--accent); }
.verdict h1 { margin: 0 0 0.25rem; font-size: 1.5rem; }
.verdict.bad { border-color: var(--alert); background: var(--alert-wash); }
.verdict.bad svg { color: var(--card); background: var(--alert); }
.figure { margin-top: 1.75rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.875rem; }
.figure h2 { margin: 0; font-size: 1.0625rem; }
.figure strong { font-size: 3rem; line-height: 1.2; font-weight: 700; font-variant-numeric: tabular-nums; }
.figure span { color: var(--soft); }
.figure svg { display: block; width: 100%; height: 0.75rem; margin: 0.5rem 0 1rem; }
.figure .track { fill: var(--line); }
.figure .bar { fill: var(--accent); }
.facts { margin: 1.75rem 0 0; border-top: 1px solid var(--line); }
.facts div { display: grid; grid-template-columns: 13rem 1fr; gap: 0 1rem; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
@media (max-width: 32rem) { .facts div { grid-template-columns: 1fr; } }
@media print { @page { margin: 14mm; } :root { color-scheme: light; font-size: 9.5pt; --ink: #000000; --soft: #3d4650;
  --paper: #ffffff; --card: #ffffff; --line: #c9c4b8; --accent: #0b6b58; --on-accent: #ffffff; --deep: #08513f; --wash: #ffffff;
  --alert: #9c1c1c; --alert-wash: #ffffff; } body { max-width: none; padding: 0; } section, .facts div { break-inside: avoid; }
  .verdict svg, .figure svg { print-color-adjust: exact; } .proof section:not(.figure) h2 { margin-top: 1.25rem; } .facts, .figure { margin-top: 1.25rem; } }
@media (max-width: 26rem) { .door { padding: 1.25rem 0.75rem 3rem; } .door main { padding: 1.25rem; } }
`;
