/** Raymond's two routines: to pass the privilege on, and to ask for it. */
import type { NodeId } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import type { RaymondSite, State } from '../raymond.ts';
import { NOWHERE } from './initialize.ts';
import { stampTime } from './rebuild.ts';
import { isNumbered, isUnderWay, stamp } from './recovery.ts';

export function take(my: State, site: RaymondSite, from: NodeId): void {
  // Without numbers the paper sets HOLDER to self wherever it pointed: only ordered links excuse that.
  const isExpected = my.holder === from || my.holder === NOWHERE || site.options.unnumbered;
  assert(isExpected, 'the privilege comes from the way we point, if we know it');
  my.holder = site.me;
}

/**
 * A neighbour's REQUEST joins the queue. With `defer`, a REQUEST of the neighbour from which we await the
 * PRIVILEGE has overtaken it, and is put aside.
 */
export function admit(my: State, site: RaymondSite, from: NodeId): void {
  if (site.options.defer && my.holder === from && my.asked) my.early = true;
  else my.queue.push(from);
}

/** With `defer`: the PRIVILEGE has been processed, and the REQUEST that overtook it is next. */
export function receive(my: State, site: RaymondSite, from: NodeId): void {
  if (!my.early) return;
  my.early = false;
  my.queue.push(from);
  proceed(my, site);
}

/** ASSIGN_PRIVILEGE, then MAKE_REQUEST: the paper runs both, in this order, after every event. */
export function proceed(my: State, site: RaymondSite): void {
  if (my.holder === NOWHERE || isUnderWay(my)) return;
  let passing = false;
  if (my.holder === site.me && !my.using && my.queue.length > 0) {
    my.holder = my.queue.shift()!;
    my.asked = false;
    my.using = my.holder === site.me;
    if (my.using) site.enter();
    else passing = true;
  }
  const asking = my.holder !== site.me && my.queue.length > 0 && !my.asked;
  if (asking) my.asked = true;
  if (passing && asking && site.options.piggyback) {
    send(my, site, 'PRIVILEGE_REQUEST');
  } else {
    if (passing) send(my, site, 'PRIVILEGE');
    if (asking) send(my, site, 'REQUEST');
  }
}

export type OfThePaper = 'REQUEST' | 'PRIVILEGE' | 'PRIVILEGE_REQUEST';

function send(my: State, site: RaymondSite, type: OfThePaper): void {
  if (isNumbered(site.options)) {
    if (site.options.rebuild === 'timestamps') stampTime(my, type);
    site.send(my.holder, { type: `STAMPED_${type}`, ...stamp(my, site, my.holder) });
  } else site.send(my.holder, { type });
}
