/** Colours for both themes: at least 3:1 against the ground, and apart for the colour-blind. */
export interface Theme {
  readonly ground: string;
  readonly ink: string;
  readonly soft: string;
  readonly lane: string;
  readonly grid: string;
  readonly waits: string;
  readonly waitsEdge: string;
  readonly inside: string;
  readonly onInside: string;
  readonly down: string;
  readonly token: string;
  readonly fault: string;
  readonly cursor: string;
  readonly types: readonly string[];
}

export const LIGHT: Theme = {
  ground: '#ffffff',
  ink: '#1b2129',
  soft: '#586270',
  lane: '#b4bcc6',
  grid: '#e8ecf0',
  waits: '#f4dca6',
  waitsEdge: '#a07a1f',
  inside: '#0b6a94',
  onInside: '#ffffff',
  down: '#c9ced5',
  token: '#cf3f5a',
  fault: '#b3261e',
  cursor: '#6f42c1',
  types: ['#0475d3', '#ab6412', '#004e2d', '#681687', '#5d4600', '#c43a92', '#403f52'],
};

export const DARK: Theme = {
  ground: '#12171d',
  ink: '#e9edf2',
  soft: '#a3aebb',
  lane: '#4b5766',
  grid: '#222a33',
  waits: '#5d4a1c',
  waitsEdge: '#d8b25a',
  inside: '#2f9fd0',
  onInside: '#0c1116',
  down: '#3a444f',
  token: '#ff7b90',
  fault: '#ff8a80',
  cursor: '#c3a6ff',
  types: ['#7bb5ff', '#e2a863', '#6dfbc9', '#8e75b8', '#ecdd53', '#be658c', '#aecfe1'],
};

export const colourOf = (theme: Theme, type: number): string =>
  theme.types[type % theme.types.length]!;
