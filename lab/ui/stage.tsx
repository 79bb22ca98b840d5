/** One diagram with its own window and its own chosen site, and beside it what is so where it stands. */
import type { ComponentChildren } from 'preact';
import { Diagram } from '../diagram/diagram.tsx';
import type { Picture } from '../diagram/picture.ts';
import type { Moment } from '../engine/protocol.ts';
import { Side } from './side.tsx';

interface Props {
  readonly picture: Picture;
  readonly name: string;
  readonly moment: Moment;
  readonly site: { value: number };
  /** What is seen, in drawn time. */
  readonly window: readonly [number, number];
  /** How many steps have been made; −1 to show no cursor. */
  readonly at: number;
  readonly onLook: (from: number, span: number) => void;
  readonly onStep: (step: number) => void;
  /** What stands below the diagram. */
  readonly children: ComponentChildren;
}

export function Stage({ picture, name, moment, site, window, at, ...rest }: Props) {
  return (
    <div class="stage">
      <div class="diagrams">
        <div class="lane">
          <Diagram
            picture={picture}
            name={name}
            from={window[0]}
            to={window[1]}
            at={at}
            site={site.value}
            copy={-1}
            onLook={rest.onLook}
            onStep={rest.onStep}
            onSite={(chosen) => {
              site.value = chosen;
            }}
          />
        </div>
        {rest.children}
      </div>
      <aside class="side">
        <Side loaded={picture.loaded} moment={moment} site={site} />
      </aside>
    </div>
  );
}
