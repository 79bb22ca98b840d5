/**
 * Compares the checker with SPIN on the same models, in one run on one machine: states and
 * transitions per second, and bytes per state. Each measurement is a process of its own, and the
 * median of a few is shown.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './locks/numbers.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const MODELS = [
  { id: 'ricart-agrawala', nodes: 3, entries: 2, spin: ['ra'] },
  { id: 'ricart-agrawala', nodes: 3, entries: 4, spin: ['ra', 'ra_arrays'] },
  { id: 'ricart-agrawala', nodes: 4, entries: 1, spin: ['ra', 'ra_arrays'] },
  { id: 'suzuki-kasami', nodes: 3, entries: 2, spin: ['sk'] },
  { id: 'suzuki-kasami', nodes: 3, entries: 3, spin: ['sk'] },
];

const run = (command, args, options = {}) =>
  spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options });

/** One run of our checker, in a fresh process. */
export function ours({ id, nodes, entries }) {
  const code = `
    import { check } from '${here}../dist/check/check.js';
    import { find } from '${here}../dist/algorithms/catalogue.js';
    import { makeWorld } from '${here}../dist/topologies/world.js';
    const algorithm = find('${id}');
    const settings = { entries: ${entries}, clock: () => performance.now() / 1000 };
    const { verdict, states, transitions, seconds, bytesPerState } =
      check(algorithm, makeWorld(algorithm, { nodes: ${nodes} }), settings);
    const rss = process.resourceUsage().maxRSS / 1024;
    console.log(JSON.stringify({ verdict, states, transitions, seconds, bytesPerState, rss }));`;
  const { stdout, stderr } = run('node', ['--input-type=module', '-e', code]);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** SPIN's verifier for a model, compiled; undefined if SPIN or a C compiler is missing. */
function verifier(model, { nodes, entries }, folder) {
  const flags = [`-DN=${nodes}`, `-DK=${entries}`];
  const generated = run('spin', ['-a', ...flags, `${here}models/${model}.pml`], { cwd: folder });
  if (generated.status !== 0) return undefined;
  const compile = ['-O2', '-w', '-DSAFETY', '-DMEMLIM=8000', '-o', 'pan', 'pan.c'];
  return run('gcc', compile, { cwd: folder }).status === 0 ? join(folder, 'pan') : undefined;
}

function spins(program) {
  const started = performance.now();
  const { stdout } = run(program, ['-m2000000', '-w25']);
  const seconds = (performance.now() - started) / 1000;
  const number = (pattern) => Number(pattern.exec(stdout)?.[1]);
  return {
    states: number(/([\d.e+]+) states, stored/),
    transitions: number(/([\d.e+]+) transitions/),
    seconds,
    rss: number(/([\d.]+)\s+total actual memory usage/),
  };
}

export function checkerBench(repeat = 3) {
  const rows = [];
  const hasSpin = run('spin', ['-V']).status === 0 && run('gcc', ['--version']).status === 0;
  for (const model of MODELS) {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-spin-'));
    try {
      const programs = hasSpin ? model.spin.map((name) => ({ name })) : [];
      // A folder holds one compiled program: measure it before the next is compiled.
      const measured = [];
      for (const { name } of programs) {
        const program = verifier(name, model, folder);
        if (program === undefined) continue;
        const runs = Array.from({ length: repeat }, () => spins(program));
        measured.push({ name, ...runs[0], seconds: median(runs.map((r) => r.seconds)) });
      }
      const runs = Array.from({ length: repeat }, () => ours(model));
      rows.push({
        ...model,
        ours: { ...runs[0], seconds: median(runs.map((r) => r.seconds)) },
        spin: measured,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return { rows, hasSpin };
}

const per = (count, seconds) => Math.round(count / seconds).toLocaleString('en-US');

export function checkerTable({ rows, hasSpin }) {
  const lines = [
    '| model | program | states | transitions | seconds | states/s | transitions/s | bytes a state | peak MiB | ours : SPIN, states/s |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ];
  for (const { id, nodes, entries, ours, spin } of rows) {
    const name = `${id} N=${nodes}, ${entries} each`;
    const line = (program, r, bytes, ratio) =>
      `| ${name} | ${program} | ${r.states.toLocaleString('en-US')} | ${r.transitions.toLocaleString('en-US')} | ${r.seconds.toFixed(2)} | ${per(r.states, r.seconds)} | ${per(r.transitions, r.seconds)} | ${bytes} | ${Math.round(r.rss)} | ${ratio} |`;
    lines.push(line('Latchkey, one core', ours, ours.bytesPerState, ''));
    for (const s of spin) {
      const ratio = ours.states / ours.seconds / (s.states / s.seconds);
      lines.push(line(`SPIN, ${s.name}.pml`, s, '', ratio.toFixed(2)));
    }
  }
  if (!hasSpin)
    lines.push('', 'SPIN was not measured: it needs the Debian packages `spin` and `gcc`.');
  return lines.join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(checkerTable(checkerBench()));
}
