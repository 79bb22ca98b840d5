/** The exercises: an algorithm with one line wrong, and the schedule that shows it is for the reader to find. */
export interface Exercise {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  /** What is wrong, told at the end. */
  readonly line: string;
}

export const EXERCISES: readonly Exercise[] = [
  {
    id: 'names',
    title: 'This Ricart and Agrawala has one line wrong: bring both sites inside',
    hint: 'Let one site go in, and only then let the other ask. Try it both ways round.',
    line: 'A site that asks defers a REQUEST when its own name is smaller. It should compare the numbers of the requests first: the site that is inside has the smaller number, and replies all the same.',
  },
  {
    id: 'copies',
    title: 'This Suzuki and Kasami has one line wrong: bring two of three sites inside',
    hint: 'Watch what site 0 has after it has sent the token away.',
    line: 'A site that sends the token keeps it as well: the line that removes it is missing. From then on there are two tokens.',
  },
  {
    id: 'deaf',
    title: 'This Lamport has one line wrong: bring two of three sites inside',
    hint: 'Let two sites ask at the same time, and deliver answers before questions.',
    line: 'A site that asks marks every other site as heard from. So it goes in while the earlier request of another site is still in flight.',
  },
];
