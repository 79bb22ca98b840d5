/** What stands beside a diagram: the structure of the group, and the inspector. */
import type { Loaded, Moment } from '../engine/protocol.ts';
import { StructureView } from '../structure/structure.tsx';
import { Inspector } from './inspector.tsx';

interface Props {
  readonly loaded: Loaded;
  readonly moment: Moment;
  /** The site that is chosen, or −1. */
  readonly site: { value: number };
  readonly onMessage: (id: number, to: number) => void;
}

export function Side({ loaded, moment, site, onMessage }: Props) {
  const onSite = (chosen: number) => {
    site.value = chosen;
  };
  return (
    <>
      <StructureView loaded={loaded} moment={moment} site={site.value} onSite={onSite} />
      <Inspector
        loaded={loaded}
        moment={moment}
        site={site.value}
        onSite={onSite}
        onMessage={onMessage}
      />
    </>
  );
}
