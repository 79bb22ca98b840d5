/** What can be done to a run where the page stands: to a message, to a site, to a link. */
import { useEffect, useRef } from 'preact/hooks';
import { at, intervene, moment, picture, site } from '../model/state.ts';

export interface MenuSpot {
  readonly x: number;
  readonly y: number;
  /** The copy under the pointer, or −1. */
  readonly copy: number;
  readonly site: number;
}

interface Deed {
  readonly text: string;
  readonly what: { readonly [field: string]: unknown };
  /** After which step; default: the step that the page stands at. */
  readonly after?: number;
}

export function BreakMenu({ spot, onClose }: { spot: MenuSpot; onClose: () => void }) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    menu.current?.querySelector('button')?.focus();
  }, []);
  const deeds = [...messageDeeds(spot.copy), ...siteDeeds(spot.site)];
  return (
    <div
      class="veil"
      role="presentation"
      onPointerDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <div
        ref={menu}
        class="menu"
        role="menu"
        aria-label="Break it"
        style={{
          left: `${Math.min(spot.x, innerWidth - 250)}px`,
          top: `${Math.min(spot.y, innerHeight - 40 - 34 * deeds.length)}px`,
        }}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      >
        {deeds.map(({ text, what, after = at.value }) => (
          <button
            key={text}
            type="button"
            role="menuitem"
            onClick={() => {
              onClose();
              void intervene({ after, ...what });
            }}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

/** A message is disturbed while it is under way: where the page stands, or else right after it is sent. */
export function messageDeeds(copy: number): Deed[] {
  const rows = picture.value?.loaded.rows;
  if (copy < 0 || rows === undefined) return [];
  const [id, to, sent, ended] = [
    rows.id[copy]!,
    rows.to[copy]!,
    rows.sentAt[copy]!,
    rows.endedAt[copy]!,
  ];
  const isUnderWay = at.value > sent && (ended < 0 || at.value <= ended);
  const after = isUnderWay ? at.value : sent + 1;
  const name = `${picture.value!.loaded.types[rows.type[copy]!]} from ${rows.from[copy]} to ${to}`;
  return [
    { text: `Lose ${name}`, what: { lose: id, to }, after },
    { text: `Delay it by 30`, what: { delay: id, to, by: 30 }, after },
    { text: `Deliver it twice`, what: { duplicate: id, to }, after },
    { text: `Cut the link ${rows.from[copy]}–${to}`, what: { cut: [rows.from[copy]!, to] }, after },
  ];
}

function siteDeeds(of: number): Deed[] {
  const now = moment.value;
  if (now === null || of < 0) return [];
  const phase = now.phases[of];
  const deeds: Deed[] = [];
  if (phase === 'idle') deeds.push({ text: `Let ${of} ask now`, what: { request: of } });
  if (phase === 'inside') deeds.push({ text: `Let ${of} leave now`, what: { exit: of } });
  if (phase !== 'down') deeds.push({ text: `Crash ${of}`, what: { crash: of } });
  if (phase === 'down' && now.canRestart)
    deeds.push({ text: `Restart ${of}`, what: { restart: of } });
  if (site.value >= 0 && site.value !== of) {
    deeds.push({ text: `Cut the link ${site.value}–${of}`, what: { cut: [site.value, of] } });
  }
  deeds.push({ text: 'Heal all links', what: { heal: true } });
  return deeds;
}
