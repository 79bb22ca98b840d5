/**
 * All sockets in one folder must lead to the same group: `latchkey lock` takes the first that answers. Two groups
 * behind one folder would give one lock to two holders.
 */
import { dirname } from 'node:path';
import { openAt } from '../client/open-session.ts';
import { socketsAt } from '../client/socket-paths.ts';
import { UsageError } from '../core/errors.ts';

/** A daemon that does not answer within this is not asked any more. */
const ANSWER_MS = 1_000;

export interface GroupIdentity {
  readonly group: string;
  readonly members: readonly string[];
  /** The engine on a store: then the members change, and the name of the group is all that is compared. */
  readonly engine?: string | undefined;
}

/** Throws a UsageError if a live daemon in the folder of this socket belongs to another group. */
export async function refuseOtherGroup(socket: string, ours: GroupIdentity): Promise<void> {
  const others = socketsAt(dirname(socket)).filter((path) => path !== socket);
  const answers = await Promise.allSettled(others.map((path) => compare(path, ours)));
  // The first in the order of their names, whichever answered first: so the message is always the same.
  const refusal = answers.find(({ status }) => status === 'rejected');
  if (refusal !== undefined) throw (refusal as PromiseRejectedResult).reason;
}

async function compare(path: string, ours: GroupIdentity): Promise<void> {
  let theirs: GroupIdentity;
  try {
    const { session } = await openAt(path, 'a daemon that starts', ANSWER_MS);
    theirs = { group: session.group, members: session.members, engine: session.engine };
    void session.close(new Error('the question is answered'));
  } catch {
    // No daemon, or one that is stuck: it gives out no lock now.
    return;
  }
  if (textOf(theirs) === textOf(ours)) return;
  throw new UsageError(
    `${path} serves ${textOf(theirs)}, and this daemon would serve ${textOf(ours)} from the same folder: ` +
      'take another --group or --socket, or stop the other daemon',
  );
}

const textOf = ({ group, members, engine }: GroupIdentity): string =>
  engine === undefined
    ? `the group "${group}" of ${[...members].sort().join(', ')}`
    : `the group "${group}" on ${engine}`;
