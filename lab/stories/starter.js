// An algorithm is an object. Its state is plain data, and a handler changes `my`, sends and enters.
// This one asks everybody, and everybody says yes at once. Find out what is wrong with it, and repair it.
export default {
  messages: { REQUEST: {}, YES: {} },

  // The state of each site at first. A site knows site.me, site.n and site.others.
  init: (site) => ({ wants: false, missing: 0 }),

  request(my, site) {
    my.wants = true;
    my.missing = site.n - 1;
    for (const j of site.others) site.send(j, { type: 'REQUEST' });
  },

  release(my, site) {
    my.wants = false;
  },

  on: {
    REQUEST(my, site, from) {
      site.send(from, { type: 'YES' });
    },
    YES(my, site) {
      my.missing -= 1;
      if (my.missing === 0) site.enter();
    },
  },
};
