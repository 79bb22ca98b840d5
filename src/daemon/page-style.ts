/** How the page looks: one column on phones, light and dark, no colour without a word or a mark beside it. */
export const style = `
:root {
  --ink: #1b2230; --soft: #5a6478; --paper: #f5f6f9; --card: #ffffff; --line: #dfe3ea;
  --accent: #2457c5; --good: #17703f; --bad: #a8480f; --held: #e3ecff; --waits: #fff1d9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e9f0; --soft: #a0a9ba; --paper: #12151c; --card: #1b2029; --line: #303846;
    --accent: #86aaff; --good: #6fd39a; --bad: #ffab70; --held: #20346a; --waits: #4a3612;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, -apple-system, 'Segoe UI', sans-serif;
}
main { max-width: 72rem; margin: 0 auto; padding: 1rem; display: grid; gap: 1rem; }
@media (min-width: 60rem) {
  main { grid-template-columns: 3fr 2fr; align-items: start; }
  #stale, #overview { grid-column: 1 / -1; }
  #locks { grid-row: span 3; }
}
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; min-width: 0; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .35rem; overflow-wrap: anywhere; }
small { font-weight: normal; color: var(--soft); font-size: .82em; }
p { margin: .4rem 0; }
.health { font-size: 1.05rem; }
.good { color: var(--good); }
.bad, .warn, .error { color: var(--bad); }
#stale { background: var(--waits); border-radius: 10px; padding: .8rem 1rem; margin: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: .8rem 0 0; }
.figures dt { color: var(--soft); font-size: .82rem; }
.figures dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
ul, ol { list-style: none; margin: 0; padding: 0; }
.locks > li { border-top: 1px solid var(--line); padding: .7rem 0; }
.locks > li:first-child { border-top: 0; padding-top: 0; }
.line { display: grid; grid-template-columns: 6.5rem 1fr; gap: .5rem; margin-top: .3rem; align-items: baseline; }
.label { color: var(--soft); font-size: .85rem; }
.line ul, .line ol { display: flex; flex-wrap: wrap; gap: .35rem; min-width: 0; }
.line li { border-radius: 6px; padding: .12rem .5rem; font-size: .88rem; overflow-wrap: anywhere; }
.held { background: var(--held); }
.waits { background: var(--waits); }
.for, td { font-variant-numeric: tabular-nums; }
.for { font-weight: 600; }
.mode, .whom { font-size: .8em; font-style: italic; }
.fence { display: block; color: var(--soft); font: .75rem ui-monospace, monospace; }
.fence::before { content: 'fence '; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); }
tbody th { overflow-wrap: anywhere; }
#members td { white-space: nowrap; }
thead th { border-top: 0; color: var(--soft); font-weight: normal; font-size: .82rem; }
.events li { padding: .2rem 0; font-size: .9rem; overflow-wrap: anywhere; }
time { color: var(--soft); font-variant-numeric: tabular-nums; margin-right: .4rem; }
.none, .rules, .more { color: var(--soft); font-size: .88rem; }
.rules { margin-top: .8rem; }
code { font: .92em ui-monospace, monospace; }
nav { max-width: 72rem; margin: 0 auto; padding: 1rem 1rem 0; display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
footer { max-width: 72rem; margin: 0 auto; padding: 0 1rem 1.5rem; color: var(--soft); font-size: .88rem; }
a { color: var(--accent); margin-right: .8rem; }
@media (max-width: 30rem) {
  .line { grid-template-columns: 1fr; gap: .15rem; }
  main { padding: .6rem; gap: .6rem; }
}
`;
