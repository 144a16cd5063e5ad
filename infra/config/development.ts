/** The organisation in the subject of development certificates. */
export const DEVELOPMENT = 'Ringfence development';
/** PEM parsers skip this line, because the line comes before the key. */
export const KEY_MARK = 'Made for development by Ringfence. Production refuses this key.';
