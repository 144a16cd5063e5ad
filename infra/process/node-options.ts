/**
 * Without a limit, V8's heap grows to four times the 70 MB that the API needs. More threads for garbage collection
 * would take processor time from requests. If the young generation is small, V8 moves objects of unfinished requests to
 * the old generation. Collecting the old generation stops all requests for 15 to 35 ms.
 */
export const API_OPTIONS = ['--max-old-space-size=384', '--max-semi-space-size=16', '--v8-pool-size=1'];

/**
 * For glibc's malloc. It would keep the buffers of closed connections (16 KiB each): after 400 connections at once, 100 MB. From
 * this size on, it gives memory back at once.
 */
export const API_MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '12288',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
