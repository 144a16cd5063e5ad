/**
 * Without a limit, V8's heap grows to four times the 70 MB that the API needs. More threads for garbage collection
 * would take processor time from requests.
 */
export const API_OPTIONS = ['--max-old-space-size=384', '--max-semi-space-size=8', '--v8-pool-size=1'];
