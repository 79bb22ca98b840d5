// An algorithm is an object. Its state is plain data, and a handler changes `my`, sends and enters.
// This one asks every other site, and every site says yes at once. Find out what is wrong, and repair it.
type State = { wants: boolean; missing: number };
type Message = { type: 'REQUEST' } | { type: 'YES' };
interface Site {
  me: number; //        the number of this site, from 0 to n − 1
  n: number; //         how many sites there are
  others: number[]; //  all sites but this one
  send(to: number, message: Message): void;
  enter(): void; //     this site is inside until `release` is called
}

export default {
  // The messages and their fields: { REQUEST: { number: 'int' } } has one.
  messages: { REQUEST: {}, YES: {} },

  init: (): State => ({ wants: false, missing: 0 }),

  request(my: State, site: Site) {
    my.wants = true;
    my.missing = site.n - 1;
    for (const j of site.others) site.send(j, { type: 'REQUEST' });
  },

  release(my: State) {
    my.wants = false;
  },

  on: {
    REQUEST(_my: State, site: Site, from: number) {
      site.send(from, { type: 'YES' });
    },
    YES(my: State, site: Site) {
      my.missing -= 1;
      if (my.missing === 0) site.enter();
    },
  },
};
