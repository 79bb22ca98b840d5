/** A process in the group: its configured name, and which of its lives this is. */
export interface Member {
  readonly id: string;
  /** When the process started, in milliseconds since 1970: what was said to an earlier life is void. */
  readonly incarnation: number;
}

/**
 * Who is in the group, from now until the next view. All members of a view see the same one.
 *
 * Epochs grow, and no two views share one. An epoch is in milliseconds since 2025 and at least one more
 * than the last: see fence.ts, which builds on it.
 */
export interface View {
  readonly epoch: number;
  /** In order of their names; every member lists them alike. */
  readonly members: readonly Member[];
}

export const isSame = (a: Member, b: Member): boolean =>
  a.id === b.id && a.incarnation === b.incarnation;
