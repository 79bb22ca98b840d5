/** What the processes tell each other directly: that they are there, and that the register is worth a look. */
import type { Plain } from '../core/plain.ts';
import { bool, natural, recordOf, type Wire } from '../core/wire.ts';
import type { Contact, Member } from '../group/view.ts';
import { RIGHT } from './leased-plan.ts';
import { isOver, type Process, partOf, readAll } from './leased-state.ts';

/** A peer that is not heard for this part of W is not reached. */
const SILENCE = 1 / 2;

/** The epoch of the sender's view; whether the sender hears the receiver; whether there is news in the register. */
const beat = recordOf({ epoch: natural, hears: bool, news: bool });
export const wire = beat as unknown as Wire<Plain>;
type Beat = ReturnType<typeof beat.read>;

export function peerBegan(us: Process, { id, incarnation }: Member): void {
  const { peers } = us.my;
  if (peers[id]?.incarnation !== incarnation) {
    peers[id] = { incarnation, at: null, confirmedAt: null };
  }
  tell(us, id, false);
}

/** Whether we hear that peer, or it hears us, for the first time after a while. */
export function peerSaid(us: Process, from: string, message: Plain): boolean {
  const { epoch, hears, news } = message as unknown as Beat;
  const { my, environment } = us;
  const peer = my.peers[from];
  if (peer === undefined || isOver(us)) return false;
  const { monotonic } = environment;
  const isFirst = !isHeard(us, from);
  const confirmedAt = hears ? monotonic : peer.confirmedAt;
  my.peers[from] = { incarnation: peer.incarnation, at: monotonic, confirmedAt };
  // At once, and not with the next beat: it waits to hear that we hear it.
  if (isFirst) tell(us, from, false);
  hearOf(us, epoch);
  if (news || epoch > (my.view?.epoch ?? 0)) readAll(us);
  return isFirst || (hears && !isRecent(us, peer.confirmedAt));
}

/** Notes the highest epoch that was heard of. */
export function hearOf({ my, environment }: Process, epoch: number): void {
  if (epoch <= my.heard) return;
  my.heard = epoch;
  my.heardAt = environment.monotonic;
}

export const tellAll = (us: Process): void => {
  for (const { id } of contactsOf(us)) tell(us, id, true);
};

export function tell(us: Process, to: string, news: boolean): void {
  us.environment.send(to, { epoch: us.my.adopted, hears: isHeard(us, to), news });
}

/** The members of the view, and all other processes that renew their records. */
export function contactsOf({ my, environment, settings }: Process): Contact[] {
  const found = new Map((my.view?.members ?? []).map(({ id, address }) => [id, { id, address }]));
  for (const [id, { record, at }] of Object.entries(my.sightings)) {
    const isFresh = my.readAt - at < RIGHT * settings.leaseMs;
    if (record?.state === 'present' && isFresh) found.set(id, { id, address: record.address });
  }
  found.delete(environment.self.id);
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Asks for sessions with all contacts, if they are others than before. */
export function reachContacts(us: Process): void {
  const contacts = contactsOf(us);
  if (JSON.stringify(contacts) === JSON.stringify(us.my.contacts)) return;
  us.my.contacts = contacts;
  us.environment.reach(contacts);
}

/** The peers that we hear and that hear us. */
export function reachedPeers(us: Process): string[] {
  const { peers, sightings } = us.my;
  return Object.keys(peers)
    .filter((id) => {
      const incarnation = sightings[id]?.record?.incarnation;
      const isSameProcess = incarnation === peers[id]!.incarnation;
      return isSameProcess && isRecent(us, peers[id]!.confirmedAt);
    })
    .sort();
}

const isHeard = (us: Process, id: string): boolean => isRecent(us, us.my.peers[id]?.at ?? null);

const isRecent = (us: Process, at: number | null): boolean =>
  at !== null && us.environment.monotonic - at < partOf(us, SILENCE);
