/**
 * How the API's memory is kept small: V8 lets it grow to four times what is in use on a machine that has plenty, unless the most
 * it may take is near. In use are some 90 MB. Its garbage is collected beside the requests by one thread: four of them would take
 * two cores from who answers. On the command line, as they are read before any code runs.
 */
export const API_HEAP_FLAGS: readonly string[] = [
  '--max-old-space-size=384',
  '--max-semi-space-size=8',
  '--v8-pool-size=1',
];
