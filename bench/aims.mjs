// @ts-check

/** What is aimed at with our instrumentation: CPU time of a call, relative to instrumentation-undici alone. */
export const RATIO_AIMS = {
  sdk: 1.05,
  bare: 1.1,
  'stream-sdk': 1.1,
  'stream-raw': 1.15,
  post: 1.01,
  get: 1.01,
};

/** How much further than without us the process may grow while it reads a body of 100 MB. */
export const MEMORY_AIM_MEGABYTES = 5;
