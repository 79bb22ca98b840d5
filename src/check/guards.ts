/** The conditions under which a step that a cell allows is possible in a global state. */
export const ALWAYS = 0;
export const DRAINED = 1; //  nothing is in flight to or from the site
export const QUIET = 2; //    nothing is in flight at all
export const CRASH = 3; //    another crash is allowed
export const LOSS = 4; //     another loss is allowed
export const DUPLICATE = 5; // another duplication is allowed
// The faults still allowed share one integer, a byte each.
export const ONE_LESS = [0, 0, 0, 1, 1 << 8, 1 << 16];
