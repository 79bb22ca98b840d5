/** What Lodha and Kshemkalyani's algorithm costs, by n alone, whatever the options: a printed form can use them too. */
export const messageCosts = {
  // 2N − |CSet|, or one less for the last of a set of concurrent requests (section 4.1). The
  // abstract's 2(N−1) − x forgets the FLUSH: three at once take 8 messages, not 6.
  messages: {
    formula: 'N−1 to 2(N−1)',
    bounds: ({ n }: { readonly n: number }) => ({ least: n - 1, most: 2 * (n - 1) }),
  },
  light: {
    formula: '2(N−1)',
    bounds: ({ n }: { readonly n: number }) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
  },
};
