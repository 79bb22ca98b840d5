/** Nanoseconds of the machine's clock, the same in every process. */
export const now = () => Number(process.hrtime.bigint());

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
