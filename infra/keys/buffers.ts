/**
 * Frees the memory of a buffer that nobody will use again, and empties it: the garbage collector, which would find it some day, counts
 * megabytes outside of its heap as a reason to go through all of it. What shares its memory with others is left as it is.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
