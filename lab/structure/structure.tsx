/** The structure of the group at one moment: a tree with turning edges, a ring, quorums and votes. */
import { DARK, LIGHT } from '../diagram/theme.ts';
import type { Loaded, Moment } from '../engine/protocol.ts';
import { isDark } from '../ui/dark.ts';

interface Props {
  readonly loaded: Loaded;
  readonly moment: Moment;
  readonly site: number;
  /** Without it, sites are only looked at. */
  readonly onSite?: (site: number) => void;
}

const SIZE = 300;
const RADIUS = 15;

export function StructureView({ loaded, moment, site, onSite }: Props) {
  const theme = isDark.value ? DARK : LIGHT;
  const { structure, nodes } = loaded;
  if (nodes > 60) return <p class="hint">The structure is drawn for up to 60 sites.</p>;
  const spots = spotsOf(structure, nodes);
  const colours: { readonly [phase: string]: string } = {
    idle: theme.ground,
    waiting: theme.waits,
    inside: theme.inside,
    down: theme.down,
  };
  const quorum = site >= 0 ? (structure.quorums[site] ?? []) : [];
  const radius = Math.min(RADIUS, 0.45 * nearest(spots));
  // A pointer along an edge of the tree is that edge, turned.
  const isPointedAlong = ([a, b]: readonly [number, number]) =>
    moment.pointers.some(({ from, to }) => (from === a && to === b) || (from === b && to === a));
  const hasPointers = moment.pointers.length > 0;
  const edges = edgesOf(structure, nodes, hasPointers).filter((edge) => !isPointedAlong(edge));
  // As high as the sites need, with the loops above them and the names below.
  const heights = spots.map(([, y]) => y);
  const top = Math.min(...heights) - radius - (moment.pointers.some(isLoop) ? 24 : 8);
  const bottom = Math.max(...heights) + radius + (loaded.names === undefined ? 8 : 24);
  return (
    <figure class="structure">
      <svg viewBox={`0 ${top} ${SIZE} ${bottom - top}`}>
        <title>{titleOf(structure.kind)}</title>
        <defs>
          {['pointer', 'vote'].map((name) => (
            <marker
              key={name}
              id={`tip-${name}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto-start-reverse"
            >
              <path d="M0 0L8 4L0 8z" fill={name === 'vote' ? theme.types[2] : theme.types[0]} />
            </marker>
          ))}
        </defs>
        {edges.map(([a, b]) => (
          <line
            key={`${a}-${b}`}
            {...between(spots[a]!, spots[b]!, radius)}
            stroke={theme.lane}
            stroke-width={structure.kind === 'complete' && structure.hub < 0 ? 0.75 : 1.5}
          />
        ))}
        {moment.pointers.map(({ from, to, name }) => (
          <path
            key={`${from} ${to} ${name}`}
            d={curve(spots[from]!, spots[to]!, radius, name)}
            fill="none"
            stroke={name === 'vote' ? theme.types[2] : theme.types[0]}
            stroke-width={name === 'vote' ? 1.3 : 2}
            stroke-dasharray={name === 'NEXT' || name === 'Next' ? '5 3' : undefined}
            marker-end={`url(#tip-${name === 'vote' ? 'vote' : 'pointer'})`}
          />
        ))}
        {spots.map(([x, y], j) => {
          const phase = moment.phases[j] ?? 'idle';
          const hasToken = (moment.tokens[j] ?? 0) > 0;
          return (
            <g
              key={j}
              {...(onSite === undefined ? LOOKED_AT : chosenBy(() => onSite(j)))}
              aria-label={`site ${j}${loaded.names === undefined ? '' : ` at ${loaded.names[j]}`}, ${phase}${hasToken ? ', has the token' : ''}`}
            >
              {quorum.includes(j) && (
                <circle
                  cx={x}
                  cy={y}
                  r={radius + 6}
                  fill="none"
                  stroke={theme.cursor}
                  stroke-width="2"
                  stroke-dasharray="4 3"
                />
              )}
              {hasToken && (
                <circle
                  cx={x}
                  cy={y}
                  r={radius + 4}
                  fill="none"
                  stroke={theme.token}
                  stroke-width="3.5"
                />
              )}
              <circle
                cx={x}
                cy={y}
                r={radius}
                fill={colours[phase] ?? theme.ground}
                stroke={
                  j === site ? theme.cursor : phase === 'waiting' ? theme.waitsEdge : theme.soft
                }
                stroke-width={j === site ? 3 : 1.5}
              />
              {radius >= 9 && (
                <text
                  x={x}
                  y={y + 4.5}
                  text-anchor="middle"
                  fill={phase === 'inside' ? theme.onInside : theme.ink}
                >
                  {j}
                </text>
              )}
              {radius < 9 && j % 5 === 0 && (
                <text x={beyond(x)} y={beyond(y) + 4.5} text-anchor="middle" fill={theme.ink}>
                  {j}
                </text>
              )}
            </g>
          );
        })}
        {loaded.names?.map((name, j) => (
          <text
            key={j}
            x={spots[j]![0]}
            y={spots[j]![1] + radius + 17}
            text-anchor="middle"
            fill={theme.ink}
          >
            {name}
          </text>
        ))}
      </svg>
      <figcaption>{captionOf(loaded, moment, site)}</figcaption>
    </figure>
  );
}

/** Of a site that nothing can be done to. */
const LOOKED_AT = { role: 'img' } as const;

/** A button cannot be part of a drawing: what makes this one of it. In SVG, `tabindex` has no capital letter. */
const chosenBy = (choose: () => void) => ({
  ...({ class: 'node', role: 'button', tabindex: 0, onClick: choose } as const),
  onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose();
  },
});

/** Outside the ring: a site too small for its number has it there. */
const beyond = (at: number): number => SIZE / 2 + 1.14 * (at - SIZE / 2);

type Spot = readonly [number, number];

const isLoop = ({ from, to }: Moment['pointers'][number]): boolean => from === to;

/** With more sites, all links would be a carpet. */
const MOST_LINKED = 12;

/** To a coordinator, every site has a link; and to each other, where each may message each. */
function edgesOf({ hub, edges, kind }: Loaded['structure'], nodes: number, hasPointers: boolean) {
  const all = Array.from({ length: nodes }, (_, j) => j);
  if (hub >= 0) return all.filter((j) => j !== hub).map((j) => [hub, j] as const);
  if (kind !== 'complete' || hasPointers || nodes > MOST_LINKED) return edges;
  return all.flatMap((a) => all.slice(a + 1).map((b) => [a, b] as const));
}

/** The distance of the two spots that are nearest to each other. */
function nearest(spots: readonly Spot[]): number {
  let least = SIZE;
  spots.forEach(([x, y], i) => {
    for (const [u, v] of spots.slice(i + 1)) least = Math.min(least, Math.hypot(x - u, y - v));
  });
  return least;
}

function spotsOf(structure: Loaded['structure'], nodes: number): Spot[] {
  if (structure.kind === 'tree') return treeSpots(structure.parents);
  const side = Math.ceil(Math.sqrt(nodes));
  const isGrid = structure.quorums.length > 0 && nodes > 4;
  const { hub } = structure;
  return Array.from({ length: nodes }, (_, j): Spot => {
    if (j === hub) return [SIZE / 2, SIZE / 2];
    if (isGrid && hub < 0) {
      const step = (SIZE - 80) / Math.max(1, side - 1);
      return [40 + (j % side) * step, 40 + Math.floor(j / side) * step];
    }
    const [place, places] = hub < 0 ? [j, nodes] : [j > hub ? j - 1 : j, nodes - 1];
    const angle = (2 * Math.PI * place) / places - Math.PI / 2;
    const radius = nodes === 1 ? 0 : SIZE / 2 - 40;
    return [SIZE / 2 + radius * Math.cos(angle), SIZE / 2 + radius * Math.sin(angle)];
  });
}

/** Each leaf has a column, and each other site is above its children. */
function treeSpots(parents: readonly number[]): Spot[] {
  const children: number[][] = parents.map(() => []);
  const root = parents.findIndex((parent, site) => parent === site);
  parents.forEach((parent, site) => {
    if (site !== root) children[parent]!.push(site);
  });
  const column: number[] = [];
  const level: number[] = [];
  let leaves = 0;
  const place = (site: number, depth: number): void => {
    level[site] = depth;
    for (const child of children[site]!) place(child, depth + 1);
    const own = children[site]!;
    column[site] = own.length === 0 ? leaves++ : (column[own[0]!]! + column[own.at(-1)!]!) / 2;
  };
  place(root, 0);
  const deepest = Math.max(1, ...level);
  const height = Math.min(82, (SIZE - 60) / deepest);
  const top = (SIZE - height * deepest) / 2;
  return parents.map((_, site): Spot => {
    const x = leaves === 1 ? SIZE / 2 : 28 + (column[site]! / (leaves - 1)) * (SIZE - 56);
    return [x, top + level[site]! * height];
  });
}

function between([x1, y1]: Spot, [x2, y2]: Spot, radius: number) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [((x2 - x1) / length) * radius, ((y2 - y1) / length) * radius];
  return { x1: x1 + dx, y1: y1 + dy, x2: x2 - dx, y2: y2 - dy };
}

function curve(a: Spot, b: Spot, radius: number, name: string): string {
  if (a === b) {
    const [x, y] = a;
    return `M${x - 8} ${y - radius}C${x - 22} ${y - radius - 26} ${x + 22} ${y - radius - 26} ${x + 8} ${y - radius - 1}`;
  }
  const { x1, y1, x2, y2 } = between(a, b, radius + 4);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  // A long arrow goes around the sites between its ends.
  const around = 10 + 0.4 * Math.max(0, length - SIZE / 3);
  const bend = name === 'HOLDER' ? 0 : name === 'LAST' ? 16 : name === 'vote' ? around : -16;
  const [mx, my] = [
    (x1 + x2) / 2 - ((y2 - y1) / length) * bend,
    (y1 + y2) / 2 + ((x2 - x1) / length) * bend,
  ];
  return `M${x1} ${y1}Q${mx} ${my} ${x2} ${y2}`;
}

const titleOf = (kind: string): string =>
  ({
    tree: 'The tree',
    ring: 'The ring',
    graph: 'The network',
    complete: 'The sites: each may message each',
  })[kind] ?? 'The sites and their quorums';

function captionOf(loaded: Loaded, moment: Moment, site: number): string {
  const names = [...new Set(moment.pointers.map(({ name }) => name))];
  const quorum = site >= 0 ? loaded.structure.quorums[site] : undefined;
  const { kind, hub } = loaded.structure;
  const isLinked = kind === 'complete' && hub < 0 && names.length === 0;
  const parts = [
    ...(isLinked && loaded.nodes <= MOST_LINKED
      ? ['lines: every site may send to every other']
      : []),
    ...names.map((name) =>
      name === 'vote'
        ? 'arrows: from an arbiter to the site that has its vote'
        : `arrows: ${name}${name.toUpperCase() === 'NEXT' ? ' (dashed)' : ''}`,
    ),
    ...(loaded.hasTokens ? ['red ring: has the token'] : []),
    ...(quorum !== undefined && quorum.length > 0 ? [`dashed: the quorum of ${site}`] : []),
  ];
  return parts.join(' · ');
}
