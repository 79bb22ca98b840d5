/** A process in the group: its configured name, and which incarnation of that member it is. */
export interface Member {
  readonly id: string;
  /** When the process started, in milliseconds since 1970: what was sent to an earlier incarnation is void. */
  readonly incarnation: number;
}

/** A process that a session is to be kept with. */
export interface Contact {
  readonly id: string;
  /** Where it listens. */
  readonly address: string;
}

/** A process in a view. An engine on a register also says where it listens, and in which tenure it is. */
export interface ViewMember extends Member {
  /**
   * One uninterrupted membership of a process. A process that was left out of a view comes back under a higher
   * tenure, without a restart. A tenure that was left out never appears in a view again.
   */
  readonly tenure?: number;
  readonly address?: string;
}

/**
 * The members of the group, from now until the next view. All members of a view see the same one.
 *
 * Epochs grow, and no two views share one. An epoch is in milliseconds since 2025 and at least one more
 * than the last: see fence.ts, which builds on it.
 */
export interface View {
  readonly epoch: number;
  /** In order of their names; every member lists them alike. */
  readonly members: readonly ViewMember[];
}

export const isSame = (a: Member, b: Member): boolean =>
  a.id === b.id && a.incarnation === b.incarnation;
