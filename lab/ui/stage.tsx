/** One diagram with its own window, its own chosen site and message, and beside it what is so where it stands. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Diagram } from '../diagram/diagram.tsx';
import { copyIn, type Picture } from '../diagram/picture.ts';
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
  const { rows } = picture.loaded;
  /** By its number and its receiver: the next picture of the same run may count its copies otherwise. */
  const message = useSignal<readonly [id: number, to: number] | null>(null);
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
            copy={message.value === null ? -1 : copyIn(rows, ...message.value)}
            onLook={rest.onLook}
            onStep={rest.onStep}
            onSite={(chosen) => {
              site.value = chosen;
            }}
            onCopy={(copy) => {
              message.value = [rows.id[copy]!, rows.to[copy]!];
            }}
          />
        </div>
        {rest.children}
      </div>
      <aside class="side">
        <Side
          loaded={picture.loaded}
          moment={moment}
          site={site}
          onMessage={(id, to) => {
            message.value = [id, to];
          }}
        />
      </aside>
    </div>
  );
}
