/**
 * Without a limit, V8's heap grows to four times the 70 MB that the API needs. More threads for garbage collection
 * would take processor time from requests. If the young generation is small, V8 moves objects of unfinished requests to
 * the old generation. Collecting the old generation stops all requests for 15 to 35 ms.
 */
export const API_OPTIONS = ['--max-old-space-size=384', '--max-semi-space-size=32', '--v8-pool-size=1'];
