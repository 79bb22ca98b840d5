/** What is known of an error outside these files, where several have the same answer. */

/** The survey retells other papers, which we have not all seen. */
export const retold =
  'We know of no published remark. The words are the survey’s: whether the paper that it retells ' +
  'has the error, we do not say.';

export const unknown = 'We know of no published remark on it.';
