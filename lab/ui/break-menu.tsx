/** What can be done to a run where the page stands: to a message, to a site, to a link. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { faultsOf } from '../model/spec.ts';
import {
  at,
  chosenCopy,
  copyOf,
  intervene,
  listed,
  moment,
  picture,
  problem,
  site,
  spec,
} from '../model/state.ts';

export interface MenuSpot {
  readonly x: number;
  readonly y: number;
  /** The copy that is meant, or −1. */
  readonly copy: number;
  readonly site: number;
  /** Whether it lists the links of the site instead. */
  readonly isOfLinks?: boolean;
}

/** Where the menu is open; null while it is closed. */
export const menuSpot = signal<MenuSpot | null>(null);

interface Deed {
  readonly text: string;
  readonly what: { readonly [field: string]: unknown };
  /** After which step; default: the step that the page stands at. */
  readonly after?: number;
}

/** An item that opens another list in place of this one. */
interface Opening {
  readonly text: string;
  readonly opens: MenuSpot;
}

function itemsAt(spot: MenuSpot): (Deed | Opening)[] {
  if (spot.isOfLinks === true) return linkDeeds(spot.site);
  return [...messageDeeds(spot.copy), ...siteDeeds(spot.site), ...linkOpenings(spot)];
}

/**
 * Opens it by key or button: for the message and the site that are chosen, or else for the first message that is under
 * way and for the site of the last step.
 */
export function openMenu(): void {
  const now = moment.value;
  const box = document.querySelector('canvas.diagram')?.getBoundingClientRect();
  if (now === null || box === undefined) return;
  const [first] = now.underWay;
  const copy = chosenCopy.value < 0 && first !== undefined ? copyOf(first.id, first.to) : -1;
  menuSpot.value = {
    ...{ x: box.left + 0.3 * box.width, y: box.top + 40 },
    copy: chosenCopy.value < 0 ? copy : chosenCopy.value,
    site: site.value >= 0 ? site.value : now.site,
  };
}

export function BreakMenu() {
  const spot = menuSpot.value;
  const menu = useRef<HTMLDivElement>(null);
  // Before the next frame: a key that is pressed at once is a key of the menu.
  useLayoutEffect(() => {
    if (spot === null) return;
    const before = document.activeElement as HTMLElement | null;
    menu.current?.querySelector('button')?.focus();
    return () => before?.focus();
  }, [spot]);
  if (spot === null) return null;
  const close = () => {
    menuSpot.value = null;
  };
  const items = itemsAt(spot);
  return (
    <div
      class="veil"
      role="presentation"
      onPointerDown={(event) => event.target === event.currentTarget && close()}
    >
      <div
        ref={menu}
        class="menu"
        role="menu"
        aria-label="Break it"
        tabIndex={-1}
        style={{
          left: `${Math.max(4, Math.min(spot.x, innerWidth - 290))}px`,
          top: `${Math.max(4, Math.min(spot.y, innerHeight - 40 - 34 * items.length))}px`,
        }}
        onKeyDown={(event) => onMenuKey(event, close)}
      >
        {items.map((item) => (
          <button
            key={item.text}
            type="button"
            role="menuitem"
            aria-haspopup={'opens' in item ? 'menu' : undefined}
            onClick={() => {
              if ('opens' in item) {
                menuSpot.value = item.opens;
                return;
              }
              close();
              void intervene({ after: item.after ?? at.value, ...item.what });
            }}
          >
            {item.text}
          </button>
        ))}
      </div>
    </div>
  );
}

/** As in any menu: arrows go up and down, escape and tab close it. */
function onMenuKey(event: KeyboardEvent, close: () => void): void {
  event.stopPropagation();
  if (event.key === 'Escape' || event.key === 'Tab') {
    event.preventDefault();
    close();
    return;
  }
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll('button')];
  const now = items.indexOf(document.activeElement as HTMLButtonElement);
  const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  items.at(to % items.length)?.focus();
}

/** A message is disturbed while it is under way: where the page stands, or else right after it is sent. */
function messageDeeds(copy: number): Deed[] {
  const rows = picture.value?.loaded.rows;
  if (copy < 0 || rows === undefined) return [];
  const [from, to] = [rows.from[copy]!, rows.to[copy]!];
  const [id, sent, ended] = [rows.id[copy]!, rows.sentAt[copy]!, rows.endedAt[copy]!];
  const isUnderWay = at.value > sent && (ended < 0 || at.value <= ended);
  const after = isUnderWay ? at.value : sent + 1;
  const name = `${picture.value!.loaded.types[rows.type[copy]!]} from ${from} to ${to}`;
  const later = timeToBeOvertaken(copy);
  return [
    { text: `Lose ${name}`, what: { lose: id, to }, after },
    { text: 'Delay it by 30', what: { delay: id, to, by: 30 }, after },
    ...(later > 0
      ? [{ text: 'Let the next message overtake it', what: { delay: id, to, by: later }, after }]
      : []),
    { text: 'Deliver it twice', what: { duplicate: id, to }, after },
    { text: `Cut the link ${from}–${to}`, what: { cut: [from, to] }, after },
  ];
}

/** By how much it must come later to arrive after the next message of its link; 0 where the two cannot change places. */
function timeToBeOvertaken(copy: number): number {
  const { rows } = picture.value!.loaded;
  const links = spec.value.links === '' ? listed.value?.links : spec.value.links;
  const ended = rows.endedAt[copy]!;
  if (links !== 'any' || ended < 0) return 0;
  for (let next = copy + 1; next < rows.copies && rows.sentAt[next]! < ended; next++) {
    const isBehind = rows.from[next] === rows.from[copy] && rows.to[next] === rows.to[copy];
    if (!isBehind || rows.endedAt[next]! <= ended) continue;
    return Math.ceil(rows.time[rows.endedAt[next]!]! - rows.time[ended]! + 0.5);
  }
  return 0;
}

function siteDeeds(of: number): Deed[] {
  const now = moment.value;
  if (now === null || of < 0) return [];
  const phase = now.phases[of];
  const deeds: Deed[] = [];
  if (phase === 'idle') deeds.push({ text: `Let site ${of} ask now`, what: { request: of } });
  if (phase === 'inside') deeds.push({ text: `Let site ${of} leave now`, what: { exit: of } });
  if (phase !== 'down') deeds.push({ text: `Crash site ${of}`, what: { crash: of } });
  if (phase === 'down' && now.canRestart)
    deeds.push({ text: `Restart site ${of}`, what: { restart: of } });
  if (site.value >= 0 && site.value !== of) {
    deeds.push({ text: `Cut the link ${site.value}–${of}`, what: { cut: [site.value, of] } });
  }
  const isAnyCut = [...faultsOf(spec.value), ...spec.value.interventions].some(
    (fault) => 'cut' in fault || 'partition' in fault,
  );
  if (isAnyCut) deeds.push({ text: 'Heal all links', what: { heal: true } });
  return deeds;
}

/** A link can be cut at any moment, also while no message is on it. */
function linkOpenings(spot: MenuSpot): Opening[] {
  if (spot.site < 0 || linkedTo(spot.site).length === 0) return [];
  return [{ text: `Cut a link of site ${spot.site} …`, opens: { ...spot, isOfLinks: true } }];
}

const linkDeeds = (of: number): Deed[] =>
  linkedTo(of).map((other) => ({
    text: `Cut the link ${of}–${other}`,
    what: { cut: [of, other] },
  }));

/** The neighbours in the structure; all other sites where each may message each. */
function linkedTo(of: number): number[] {
  const { structure, nodes } = picture.value!.loaded;
  const { edges, hub } = structure;
  const isLinked = (other: number) =>
    hub >= 0
      ? other === hub || of === hub
      : edges.length === 0 || edges.some((edge) => edge.includes(of) && edge.includes(other));
  return Array.from({ length: nodes }, (_, other) => other).filter(
    (other) => other !== of && isLinked(other),
  );
}

/** By key: the message that is chosen is lost. */
export function loseChosen(): void {
  const [lose] = messageDeeds(chosenCopy.value);
  if (lose === undefined) problem.value = 'choose a message first: click on it, or on its name';
  else void intervene({ after: lose.after!, ...lose.what });
}
